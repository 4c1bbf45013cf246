"""Files that name other files: summaries that lead elsewhere, links among results."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wasserstein_transform.cli.app import app

pytestmark = pytest.mark.slow

POINTS = "x,y\n" + "".join(f"{k % 7},{k % 5}\n" for k in range(30))


def _run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


def _summary(folder: Path, **changes: object) -> Path:
    (folder / "points.csv").write_text(POINTS)
    asked = {"command": "suggest", "file": str(folder / "points.csv"), "options": [], **changes}
    path = folder / "summary.json"
    path.write_text(json.dumps({"again": asked, "file": {"sha256": "0"}}))
    return path


@pytest.mark.parametrize(
    "option",
    [
        "-oELSEWHERE",
        "-qoELSEWHERE",
        "--output=ELSEWHERE",
        "--out",
        "--store=x",
        "--scheduler=tcp://x",
        "--help",
        "--columns",
    ],
)
def test_a_summary_says_neither_where_nor_by_whom(option: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.csv"
    path = _summary(tmp_path, options=[option.replace("ELSEWHERE", str(elsewhere))])
    status, said = _run("again", path)
    assert status == 2
    assert "is no option of a run" in said
    assert not elsewhere.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_summary_names_no_devices_and_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("/dev/zero", str(tmp_path / "pipe"), str(tmp_path)):
        status, said = _run("again", _summary(tmp_path, file=name))
        assert status == 2
        assert "is not there any more; say where it is" in " ".join(said.split())


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="links need rights elsewhere")
@pytest.mark.parametrize("name", ["distances.npy", "distances.png", "summary.json"])
def test_links_among_results_lead_nowhere_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text(POINTS)
    (tmp_path / "out").mkdir()
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "out" / name).symlink_to(tmp_path / ("precious" if name == "summary.json" else "new"))
    status, said = _run("distances", tmp_path / "points.csv", "-o", tmp_path / "out", "--force")
    assert status == 2
    assert "is a link that leads out of" in " ".join(said.split())
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "new").exists()
