"""Numbers beyond all measure on the command line are one line, whatever the option."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from wasserstein_transform.cli.app import app

io = pytest.importorskip("imageio.v3")

SEGMENT = ["segment", "picture.png", "-o", "out"]
COMMUNITIES = ["communities", "graph.txt", "-o", "out"]
COUNTS = [
    *([*SEGMENT, option] for option in ("--min-size", "--n-iter", "--jobs")),
    *([*COMMUNITIES, option] for option in ("--n", "--jobs")),
    *(["cluster", "points.csv", "-o", "out", option] for option in ("--clusters", "--jobs")),
    *(["denoise", "points.csv", "-o", "out", option] for option in ("--dim", "--n-iter")),
    *(["transform", "points.csv", "-o", "out", option] for option in ("--n-iter", "--ridge")),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    io.imwrite(tmp_path / "picture.png", np.zeros((4, 5, 3), np.uint8))
    (tmp_path / "graph.txt").write_text("a b\nb c\nc a\n")
    (tmp_path / "points.csv").write_text("0,1\n1,3\n2,2\n3,1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.repeated(8)
@pytest.mark.parametrize("words", COUNTS, ids=lambda words: " ".join([words[0], words[1], words[-1]]))
def test_counts_beyond_all_measure_are_refused_in_a_line(words: list[str], folder: Path) -> None:
    for value in ("999999999999999999999", "1" + "0" * 400):
        done = CliRunner().invoke(app, [*words, value])
        assert isinstance(done.exception, SystemExit), done.exception
        assert done.exit_code == 2
        assert len(done.output) < 1200
        assert words[-1] in done.output
        assert value[:60] in done.output  # a misspelled option ends with 2, too
    assert not (folder / "out").exists() or not list((folder / "out").iterdir())
