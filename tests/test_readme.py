"""What the README and the documentation say is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("click")

from docs.building import names, snippets
from wt_paper.experiments.parameters import FULL
from wt_paper.reporting import summary

ROOT = Path(__file__).parents[1]
CODE = [
    "docs/how-it-works.md",
    "docs/parameters.md",
    "docs/estimators.md",
    "docs/exact-transport.md",
    "docs/large.md",
    "docs/paper.md",
]


def between_marks(file: str) -> str:
    text = (ROOT / file).read_text("utf-8")
    return text.partition("<!-- claims -->\n")[2].partition("\n<!-- end of claims -->")[0]


def test_the_summary_of_claims_is_that_of_the_record() -> None:
    assert between_marks("docs/paper.md") == summary()


@pytest.mark.repeated(1)
@pytest.mark.parametrize("file", CODE)
def test_the_code_of_pages_prints_what_they_say(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = snippets.check(ROOT / file)
    assert found.faults == ()
    assert found.n_run > 0


def names_in(page: str) -> list[str]:
    """Names of the package and the theory in code of a page: wt.image.segment, theory.prokhorov."""
    return re.findall(r"`((?:wt|theory)\.[\w.]+)", page)


def test_every_name_on_the_map_of_the_paper_exists() -> None:
    page = (ROOT / "docs/paper.md").read_text("utf-8")
    found = names_in(page)
    linked = names.written()
    for name in found:
        assert name in linked, name
    rows = [line for line in page.splitlines() if re.match(r"\| [2-6]\.\d", line)]
    assert len(rows) > 30
    assert all(names_in(row) or "`python -m wt_paper" in row for row in rows)
    experiments = {name for line in re.findall(r"`python -m wt_paper ([\w\s-]+)`", page) for name in line.split()}
    assert experiments == set(FULL)


@pytest.mark.parametrize("file", ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))])
def test_links_and_images_are_there(file: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            assert (ROOT / file).parent.joinpath(target).exists(), target
