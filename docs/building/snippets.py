"""Run the Python snippets of pages: `PYTHONPATH=docs python -m building.snippets PAGE…`.

Each block runs by itself, in a folder with small files of every kind that a page names. A line `print(…)  # text` must
print that text.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

import wasserstein_transform as wt

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PROMISE = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)


def blocks(page: str) -> list[tuple[int, str]]:
    """The snippets of a page, and the lines they begin at."""
    return [(page[: found.start()].count("\n") + 2, found.group(1)) for found in _BLOCK.finditer(page)]


def run(code: str, name: str) -> str | None:
    """What is wrong with a snippet, or None."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(code, name, "exec"), {"__name__": "__snippet__"})
    except Exception:
        return traceback.format_exc(limit=-1)
    promised, printed = _PROMISE.findall(code), said.getvalue().splitlines()
    return None if promised == printed else f"the page says {promised}, but it prints {printed}"


def make_files() -> None:
    """Small files of every kind, in the current folder."""
    rng = np.random.default_rng(0)
    shape = wt.datasets.dumbbell()
    wt.tables.write(wt.tables.Table(dict(zip("xy", shape.points.T, strict=True))), "points.csv")
    _trips()
    _scan(rng)
    _photo(rng)
    places = np.vstack([rng.normal(scale=0.3, size=(60, 2)), rng.normal(loc=4, scale=0.3, size=(60, 2))])
    np.save("distances.npy", np.linalg.norm(places[:, None] - places[None], axis=2))
    Path("edges.csv").write_text("source,target\n0,1\n1,2\n2,0\n3,4\n4,5\n5,3\n2,3\n")
    Path("vectors.txt").write_text("cat 1.0 0.2\ndog 0.9 0.4\nran 0.1 1.0\nsat 0.3 0.9\n")
    Path("corpus.txt").write_text("the cat sat\nthe dog sat\na dog ran\n")


def _trips() -> None:
    """Fixes of a town at 48° north and 11° east."""
    X, trips, _ = wt.datasets.streets(2, n_trips=60)
    lat = 48.0 + X[:, 1] / 111_320
    lon = 11.0 + X[:, 0] / (111_320 * np.cos(np.radians(lat.mean())))
    wt.tables.write(wt.tables.Table({"lon": lon, "lat": lat, "trip": trips}), "trips.csv")


def _scan(rng: np.random.Generator) -> None:
    """A hill of 40 m by 40 m, with noise of 10 cm."""
    x, y = rng.uniform(0, 40, size=(2, 3000))
    z = 5 * np.exp(-((x - 20) ** 2 + (y - 20) ** 2) / 200) + rng.normal(scale=0.1, size=3000)
    wt.tables.write(wt.tables.Table({"x": x, "y": y, "z": z}), "scan.las")


def _photo(rng: np.random.Generator) -> None:
    """Two shapes on a ground, in color, with noise."""
    from PIL import Image  # noqa: PLC0415

    y, x = np.mgrid[:90, :120]
    color = np.array([[40, 60, 120], [220, 180, 60], [90, 180, 90]])
    which = np.where((x - 40) ** 2 + (y - 40) ** 2 < 500, 1, np.where(x + y > 140, 2, 0))
    picture = color[which] + rng.normal(scale=4, size=(90, 120, 3))
    Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save("photo.png")


def main(*pages: str) -> int:
    """Run all snippets, say which fail, and return how many do."""
    start, found = time.perf_counter(), [(Path(page).name, *block) for page in pages for block in blocks(_text(page))]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        make_files()
        for page, line, code in found:
            wrong = run(code, f"{page}:{line}")
            failed += wrong is not None
            if wrong is not None:
                print(f"{page}, line {line}: {wrong}", file=sys.stderr)
    print(f"{len(found) - failed} of {len(found)} snippets run as written, {time.perf_counter() - start:.0f} s")
    return failed if found else 1


def _text(page: str) -> str:
    return Path(page).read_text("utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.exit(min(main(*sys.argv[1:]), 1))
