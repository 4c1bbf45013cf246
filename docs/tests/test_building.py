"""What builds the site finds what is wrong; ARCHITECTURE.md is true."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from docs.building import architecture, commands, docstrings, names, root_pages, samples, snippets, spelling
from docs.building.layered import arrange

ROOT = Path(__file__).parents[2]


def python(code: str, exact: bool = False, names: dict[str, Any] | None = None) -> str:
    return snippets.run(snippets.Block("python", 1, code), "page.md:1", {} if names is None else names, exact) or ""


@pytest.mark.parametrize("exact", [False, True])
def test_a_snippet_that_prints_something_else_or_fails_is_found(exact: bool) -> None:
    assert python("print(1 + 1)  # 2\n", exact) == ""
    assert "prints" in python("print(1 + 1)  # 3\n", exact)
    assert "ZeroDivisionError" in python("1 / 0\n", exact)


def test_a_comment_may_explain_what_is_printed() -> None:
    assert python("print([3, 2])  # [3, 2]: two clusters\n") == ""
    assert "prints '[3, 2]'" in python("print([3, 2])  # two clusters\n")
    assert "prints '2'" in python("print(\n    2\n)  # 25\n")
    assert python("print('many\\nlines')  # a table\n") == ""
    assert "prints ['[3, 2]']" in python("print([3, 2])  # [3, 2]: two clusters\n", exact=True)


def test_what_stands_below_code_is_all_that_it_prints(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nfor k in (1, 2):\n    print(k)\n```\n\n```text\n1\n2\n```\n"
        "```python\nprint(1)\n```\n```text\n2\n```\n"
        "```console\n$ wt --version\nwt 0.0\n```\n"
    )
    found = snippets.check(page)
    assert found.n_run == 3
    wrong, version = found.faults
    assert "page.md:11: not what it prints" in wrong
    assert "-2\n+1" in wrong
    assert "-wt 0.0" in version


def test_blocks_of_a_page_share_names_and_lists_may_hold_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 2\n```\n- item\n\n  ```python\n  y = x + 1\n  ```\n```pycon\n>>> x + y\n5\n>>> y\n4\n```\n"
        "```python\n# not run: needs a GPU\n1 / 0\n```\n```python\n# not run: needs time\n```\n"
        "```python\n# src/new.py\nfrom . import nothing\n```\n```sh\nwt cluster --nothing\n```\n`wt info --nothing`\n",
        "utf-8",
    )
    found = snippets.check(page)
    assert found.n_run == 4
    assert found.left == ("page.md:16: needs a GPU", "page.md:20: needs time")
    wrong, no_reason, option, inline = found.faults
    assert "Expected:\n    4\nGot:\n    3" in wrong
    assert "no reason to leave code out: time" in no_reason
    assert "No such option" in option
    assert "--nothing is no option" in inline


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("wt cluster points.csv -k 3  # three", None),
        ("$ .venv/bin/wt info | head", None),
        ("make docs PYTHON=python3.12", None),
        ('pip install "wasserstein-transform[plot]"', None),
        ("wt clusters points.csv", "no such command"),
        ("wt cluster nowhere.csv --eps", "--eps"),
        ("wt warmup && make nothing", "the Makefile has no nothing"),
        ('pip install "wasserstein-transform[plot,nothing]"', "there is no extra nothing"),
    ],
)
def test_a_command_that_is_none_is_found(command: str, fault: str | None, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        samples.make_files()
        said = commands.wrong(f"{command}\n")
    assert said == [] if fault is None else fault in "".join(said)


def test_a_docstring_without_example_or_with_unknown_parameters_is_found() -> None:
    good = names.Name("localize", "suggest_eps", names.wt.localize.suggest_eps)
    assert names.without_example([good]) == []
    assert docstrings.faults([good])[0] == []
    assert names.without_example([names.Name("tests", "python", python)]) == ["wt.tests.python"]

    def wrong(points: object) -> None:
        """Do nothing.

        Parameters
        ----------
        point : array of shape (n, m)
            Points.
        """

    names.wt.parameters.wrong = wrong  # where numpydoc looks for it
    try:
        (fault,), counted = docstrings.faults([names.Name("parameters", "wrong", wrong)])
    finally:
        del names.wt.parameters.wrong
    assert "wt.parameters.wrong: PR02 Unknown parameters {'point'}" in fault
    assert counted["PR01"] == 1


def test_names_as_people_write_them_lead_to_one_page() -> None:
    known = names.written()
    for text in ("wt.cluster", "wt.clustering.cluster", "clustering.cluster"):
        assert known[text] == "wasserstein_transform.cluster"
    assert known["wt.image.RegionTree"] == "wasserstein_transform.image.RegionTree"
    assert "curvature" not in known  # of graphs and of pictures
    assert known["wt.graphs.curvature"] != known["wt.plotting.curvature"]


def test_links_of_pages_made_of_files_in_the_root_lead_to_files() -> None:
    for file in ("CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "README.md"):
        text = root_pages.turned((ROOT / file).read_text("utf-8"))
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            made = {"contributing.md", "architecture.md", "changes.md"}
            assert target.startswith("http") or target in made or (ROOT / "docs" / target[3:]).exists(), target


def test_files_that_the_architecture_names_are_there() -> None:
    named = re.findall(r"`([\w/]+\.(?:py|h|js|json))`", (ROOT / "ARCHITECTURE.md").read_text("utf-8"))
    there = [f"/{file.relative_to(ROOT).as_posix()}" for file in ROOT.glob("*/**/*.*") if ".venv" not in file.parts]
    assert len(named) > 25
    for path in named:
        assert any(file.endswith(f"/{path}") for file in there), path


def test_the_list_of_packages_in_the_architecture_is_whole() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("Words: a")[0]
    source = ROOT / "src" / "wasserstein_transform"
    packages = [folder.parent.name for folder in source.glob("*/__init__.py")]
    packages += [file.stem for file in source.glob("[a-z]*.py")]
    modules = [file.stem for file in source.glob("_*.py") if file.stem != "__init__"]
    assert sorted(re.findall(r"^\| `([a-z]\w+)` \|", text, re.MULTILINE)) == sorted(packages)
    assert sorted(re.findall(r"`(_[a-z][a-z_]*)`", text)) == sorted(modules)


def test_a_misspelled_word_is_found_and_code_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "ROOT", tmp_path)
    page, module = tmp_path / "page.md", tmp_path / "module.py"
    page.write_text(
        "A metric of metrixes, `qwerty_code`, GridSearchCV.\n```python\nqwerty = 1\n```\nMarco's transformz\n", "utf-8"
    )
    module.write_text(
        '"""Locolor of points.\n\n>>> qwerty()\nqwertied\n"""\nx = "localizze it"  # ballz so on\ny = "ballz"\n',
        "utf-8",
    )
    found = spelling.unknown([page, module])
    assert list(found) == ["ballz", "localizze", "locolor", "metrixes", "transformz"]
    assert found["transformz"] == ["page.md:5"]
    assert found["ballz"] == ["module.py:6"]


def test_words_of_the_project_are_sorted_and_listed_once() -> None:
    words = (ROOT / "docs" / "words.txt").read_text("utf-8").split()
    assert words == sorted(set(words))


def test_arrows_that_pass_a_layer_have_a_joint_beside_its_boxes() -> None:
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")])
    places, ways = arrange(graph, [["a"], ["b"], ["c"]])
    assert [y for _, y in places.values()] == [0.0, -1.0, -2.0]
    (long,) = [way for way in ways if len(way) == 3]
    assert abs(long[1][0] - places["b"][0]) > 0.5


def test_the_picture_of_the_packages_is_of_this_tree() -> None:
    drawn = architecture.IMAGE.read_text("utf-8")
    assert architecture.arrows() in drawn, "PYTHONPATH=docs python -m building.architecture draws it anew"
