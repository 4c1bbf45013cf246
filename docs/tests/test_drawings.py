"""Pictures of the site: pages show what is drawn."""

from __future__ import annotations

import re
from pathlib import Path

from docs.building import gallery, inks, links, theory_pictures

DOCS = Path(__file__).parents[1]


def shown(directive: str) -> dict[str, str]:
    """Names that pages show by a directive, and the text of the page."""
    found = {}
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text("utf-8")
        found |= dict.fromkeys(re.findall(rf"^```{{{directive}}} (\S+)$", text, re.MULTILINE), text)
    return found


def test_pages_show_all_drawn_pictures_and_no_others() -> None:
    assert set(shown("drawn")) == set(theory_pictures.PICTURES)


def test_pictures_come_for_light_and_dark_pages_and_are_the_same_at_every_build(tmp_path: Path) -> None:
    for folder in ("first", "second"):
        inks.save({"curvature": theory_pictures.curvature}, tmp_path / folder)
    files = sorted(file.name for file in (tmp_path / "first").iterdir())
    assert files == ["curvature-dark.svg", "curvature-light.svg"]
    for file in files:
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()
    light, dark = ((tmp_path / "first" / f"curvature-{theme}.svg").read_text() for theme in ("light", "dark"))
    assert inks.INKS["light"].blue.lower() in light
    assert inks.INKS["dark"].blue.lower() in dark


def test_every_script_has_its_place() -> None:
    scripts = sorted((DOCS.parent / "examples" / gallery.FOLDER).glob("plot_*.py"))
    assert {file.stem.removeprefix("plot_") for file in scripts} == set(gallery.ORDER)
    assert sorted(map(gallery.as_listed, map(str, scripts))) == list(range(len(gallery.ORDER)))


def test_links_to_scripts_lead_to_pages_of_the_site() -> None:
    source = ["[b](../examples/gallery/plot_gps.py), [c](../examples/gallery/)"]
    links.to_pages(None, "start", source)
    assert source == ["[b](gallery/plot_gps.rst), [c](gallery/index.rst)"]
