"""Commands run in this process or in one of their own, and small files for them."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from click.testing import CliRunner, Result

import wasserstein_transform as wt
from wasserstein_transform.cli.app import app

SCRIPT = "import sys; sys.argv[0] = 'wt'; from wasserstein_transform.cli import main; main()"


def run(*words: object, input: bytes | None = None) -> Result:
    """A command in this process; its output is no terminal."""
    return CliRunner().invoke(app, list(map(str, words)), input=input)


def process(
    *words: object, input: bytes = b"", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, words)],
        input=input,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )


def blobs(seed: int = 0) -> np.ndarray:
    """Two clusters of 30 points."""
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=(60, 2)) + 9.0 * (np.arange(60)[:, None] >= 30), 6)


def ring() -> np.ndarray:
    """Noisy points around two circles."""
    return wt.datasets.circles(0, n=300, noise=0.05).points


def write_csv(path: Path, points: np.ndarray, **more: object) -> Path:
    """A table of x, y and other columns."""
    names = ["x", "y", "z"][: points.shape[1]]
    columns = [*points.T.tolist(), *(list(column) for column in more.values())]
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*names, *more])
        writer.writerows(zip(*columns, strict=True))
    return path


def rows(content: Path | str) -> list[dict[str, str]]:
    """The rows of a CSV file, or of its text."""
    text = content.read_text() if isinstance(content, Path) else content
    return list(csv.DictReader(text.splitlines()))


def column(content: Path | str, name: str) -> list[float]:
    """A column of numbers."""
    return [float(row[name]) for row in rows(content)]
