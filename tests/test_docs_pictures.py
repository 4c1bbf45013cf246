"""Pictures of the site: charts name what exists, and pages show what is drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("sphinx_gallery")

from docs.building import charts, gallery, inks, links, names, theory_pictures

DOCS = Path(__file__).parents[1] / "docs"


def shown(directive: str) -> dict[str, str]:
    """Names that pages show by a directive, and the text of the page."""
    found = {}
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text("utf-8")
        found |= dict.fromkeys(re.findall(rf"^```{{{directive}}} (\S+)$", text, re.MULTILINE), text)
    return found


def functions(chart: charts.Chart) -> list[str]:
    answers = [answer for question in chart.questions for answer in question.answers] + list(chart.otherwise)
    return [name.split("(")[0] for name, _ in answers if name.startswith("wt.")]


@pytest.mark.parametrize("name", charts.CHARTS)
def test_answers_of_charts_are_public_names_and_stand_in_the_text_as_well(name: str) -> None:
    known, page = names.written(), shown("chart")[name]
    for function in functions(charts.CHARTS[name]):
        assert function in known
        assert function in page.replace(f"{{chart}} {name}", ""), f"{function} has no text beside the chart"


@pytest.mark.parametrize("name", charts.CHARTS)
@pytest.mark.parametrize("shape", charts._SHAPES, ids=lambda shape: shape.name)
def test_boxes_of_charts_stay_inside_and_letters_stay_in_their_boxes(name: str, shape: charts._Shape) -> None:
    drawing = charts.svg(charts.CHARTS[name], shape, {})
    for x, width in re.findall(r'<rect[^>]* x="([\d.]+)"[^>]* width="([\d.]+)"', drawing):
        assert float(x) + float(width) <= shape.width
    for chart in charts.CHARTS.values():
        for question in chart.questions:
            for function, says in question.answers:
                room = shape.width - (shape.question + 62 if shape.beside else 84) - 20
                assert 8.5 * len(function) <= room
                assert 6.6 * len(says) <= room


def test_answers_link_to_their_pages() -> None:
    drawing = charts.svg(charts.CHARTS["methods"], charts._SHAPES[0], {"wt.cluster": "reference/cluster.html"})
    assert drawing.count("<a href=") == 1
    assert 'href="reference/cluster.html"' in drawing


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
    scripts = {name: sorted((DOCS.parent / "examples" / name).glob("plot_*.py")) for name in gallery.FOLDERS}
    assert {file.stem.removeprefix("plot_") for file in scripts["gallery"]} == set(gallery.ORDER)
    assert sorted(map(gallery.as_listed, map(str, scripts["gallery"]))) == list(range(len(gallery.ORDER)))
    assert [gallery.as_listed(str(file)) for file in scripts["tutorial"]] == list(
        range(1, 1 + len(scripts["tutorial"]))
    )


def test_links_to_scripts_lead_to_pages_of_the_site() -> None:
    source = [
        "[a](../examples/tutorial/plot_3_lambda.py), [b](../examples/gallery/plot_gps.py), [c](../examples/tutorial/)"
    ]
    links.to_pages(None, "guide", source)
    assert source == ["[a](tutorial/plot_3_lambda.rst), [b](gallery/plot_gps.rst), [c](tutorial/index.rst)"]
