"""What the README and the documentation say is so; `building.snippets` runs their code."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from click.testing import CliRunner

from docs.building import figures, names, snippets
from wasserstein_transform.cli.app import app
from wt_paper.experiments.parameters import FULL
from wt_paper.reporting import summary

ROOT = Path(__file__).parents[2]


def between_marks(file: str) -> str:
    text = (ROOT / file).read_text("utf-8")
    return text.partition("<!-- claims -->\n")[2].partition("\n<!-- end of claims -->")[0]


def test_the_summary_of_claims_is_that_of_the_record() -> None:
    assert between_marks("docs/paper.md") == summary()


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


def test_links_and_images_of_the_readme_are_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / "README.md").read_text("utf-8")):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_pages_for_users_are_there_and_all_their_code_runs_but_recipes_for_large_packages() -> None:
    pages = {page.name: page.read_text("utf-8") for page in snippets.pages()}
    assert pages.keys() > set(snippets.EXACT)
    for name in snippets.EXACT:
        assert all(block.reason in (None, *snippets.PACKAGES) for block in snippets.blocks(pages[name])), name


def test_the_command_of_the_readme_runs_on_the_table_that_the_demo_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = re.search(r"^wt (cluster .*?) +#", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert command is not None
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="demo")["main"]()
    done = CliRunner().invoke(app, command[1].split())
    assert done.exit_code == 0, done.output
    assert "800 points, columns x, y" in done.output
    assert {file.name for file in tmp_path.iterdir()} == {"demo.png", "points.csv", "clusters"}


def test_scores_of_the_readme_are_those_of_the_records() -> None:
    """Of clusters means over the sets, in brackets those of half B."""
    readme = (ROOT / "README.md").read_text("utf-8")
    given, free = figures.read("clustering")["tables"][:2]
    for start, table in (("clusters, 61", given), ("the same, number", free)):
        (row,) = re.findall(rf"^\| {start}.*", readme, re.MULTILINE)
        said = re.findall(r"(\.\d{3}) \((\.\d{3})\)", row)
        half = next(k for k, name in enumerate(table["columns"]) if name.startswith("B ("))
        known = {(row[2][1:], row[half][1:]): row[0] for row in table["rows"]}
        methods = [known[scores] for scores in said]
        assert methods[0] == "ours"
        assert len(methods) > 1
    seconds = {row[0]: row[8].partition(",")[0] for row in free["rows"] if row[1].startswith("defaults")}
    assert "slower**: {} s".format(seconds["ours"].lstrip("0")) in readme
    assert all(f"{name} {seconds[name].removeprefix('0')} s" in readme for name in ("HDBSCAN", "PLSCAN"))
    near = {row[1]: row[3][1:] for row in figures.read("communities")["tables"][0]["rows"] if row[0].startswith("near")}
    assert f"near the threshold: NMI | {near['here']} | Leiden {near['Leiden']} |" in readme
