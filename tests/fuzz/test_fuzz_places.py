"""Links among results."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from wasserstein_transform.cli.app import app

pytestmark = pytest.mark.slow

POINTS = "x,y\n" + "".join(f"{k % 7},{k % 5}\n" for k in range(30))


def _run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="links need rights elsewhere")
@pytest.mark.parametrize("name", ["transformed.csv", "transformed.png", "summary.json"])
def test_links_among_results_lead_nowhere_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text(POINTS)
    (tmp_path / "out").mkdir()
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "out" / name).symlink_to(tmp_path / ("precious" if name == "summary.json" else "new"))
    status, said = _run("transform", tmp_path / "points.csv", "-o", tmp_path / "out", "--force")
    assert status == 2
    assert "is a link that leads out of" in " ".join(said.split())
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "new").exists()
