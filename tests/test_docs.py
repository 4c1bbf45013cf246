"""What the site is built of; `make docs` builds it."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from docs.building import constants, names, root_pages, snippets
from docs.building.layered import arrange

nx = pytest.importorskip("networkx")
ROOT = Path(__file__).parents[1]
PAGES = ("start", "five-lines")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("laspy")
    pytest.importorskip("pandas")
    pytest.importorskip("PIL")
    found = tmp_path_factory.mktemp("files")
    with contextlib.chdir(found):
        snippets.make_files()
    return found


@pytest.mark.parametrize("page", PAGES)
def test_snippets_give_what_the_page_says(page: str, folder: Path) -> None:
    found = snippets.blocks((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    assert len(found) > 1
    with contextlib.chdir(folder):
        assert {line: snippets.run(code, page) for line, code in found} == {line: None for line, _ in found}


def test_a_snippet_that_prints_something_else_or_fails_is_found() -> None:
    assert snippets.run("print(1 + 1)  # 2\n", "good") is None
    assert "prints ['2']" in (snippets.run("print(1 + 1)  # 3\n", "other") or "")
    assert "ZeroDivisionError" in (snippets.run("1 / 0\n", "bad") or "")


def test_every_public_name_is_documented() -> None:
    at = names.homes()
    for name in names.every_name():
        home = at[name.short, id(name.value)]
        assert constants.about(home) if name.kind == "data" else name.value.__doc__, name.shown


def test_names_as_people_write_them_lead_to_one_page() -> None:
    known = names.written()
    for text in ("wt.cluster", "wt.auto.cluster", "auto.cluster"):
        assert known[text] == "wasserstein_transform.cluster"
    assert known["wt.image.Merging"] == "wasserstein_transform.image.Merging"
    assert "Curve" not in known  # of data sets and of scenes
    assert known["wt.datasets.Curve"] != known["wt.explorer.Curve"]


def test_links_of_pages_made_of_files_in_the_root_lead_to_files() -> None:
    for file in ("CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "README.md"):
        text = root_pages.turned((ROOT / file).read_text("utf-8"))
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            made = {"contributing.md", "architecture.md", "changes.md"}
            assert target.startswith("http") or target in made or (ROOT / "docs" / target[3:]).exists(), target


def test_arrows_that_pass_a_layer_have_a_joint_beside_its_boxes() -> None:
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")])
    places, ways = arrange(graph, [["a"], ["b"], ["c"]])
    assert [y for _, y in places.values()] == [0.0, -1.0, -2.0]
    (long,) = [way for way in ways if len(way) == 3]
    assert abs(long[1][0] - places["b"][0]) > 0.5
