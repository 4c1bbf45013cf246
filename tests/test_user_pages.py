"""What pages for users say is so: all that their code prints, and figures of the README."""

from __future__ import annotations

import contextlib
import re
import runpy
import shutil
from pathlib import Path

import pytest

pytest.importorskip("click")

from click.testing import CliRunner

from docs.building import figures, snippets
from wasserstein_transform.cli.app import app

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in snippets.pages() if page.name in snippets.EXACT], ids=lambda p: p.name
)
def test_pages_for_users_have_all_that_their_code_prints(page: Path, page_files: Path, tmp_path: Path) -> None:
    shutil.copytree(page_files, tmp_path, dirs_exist_ok=True)  # commands write no file twice
    with contextlib.chdir(tmp_path):
        found = snippets.check(page)
    assert found.faults == ()
    assert found.left == ()
    assert found.n_run > 0


def test_pages_for_users_are_there() -> None:
    assert {page.name for page in snippets.pages()} > set(snippets.EXACT)


def test_the_readme_has_all_that_its_code_prints() -> None:
    found = snippets.check(ROOT / "README.md")
    assert found.faults == ()
    assert found.left == ()
    assert found.n_run >= 4


def test_the_command_of_the_readme_runs_on_the_table_that_the_demo_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
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
