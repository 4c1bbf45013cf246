"""How long a start takes: importing the package and what `wt.cluster` needs, and first calls, which compile."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from .timing import Row, median_seconds

_POINTS = "import numpy as np, wasserstein_transform as wt; X = np.random.default_rng(0).normal(size=(400, 2)); "
_FIRST = {
    "`wt.cluster` of 400 points": "wt.cluster(X)",
    "`LocalTruncation` of 400 points": "wt.LocalTruncation(0.2).fit(X)",
    "`MeanShift` of 400 points": "wt.MeanShift(0.2).fit(X)",
    "`wt.denoise` of 400 points": "wt.denoise(X)",
    "`wt.segment` of 60 × 80 pixels": "wt.segment(np.random.default_rng(0).random((60, 80, 3)))",
}


def first_and_second(call: str) -> tuple[float, float]:
    """Seconds of a process that calls a function with nothing compiled, and of the next process."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            subprocess.run([sys.executable, "-c", _POINTS + call], check=True, env=environment, capture_output=True)
            seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1]


def run() -> list[Row]:
    def start(statement: str) -> float:
        return median_seconds(lambda: subprocess.run([sys.executable, "-c", statement], check=True))

    ours, empty, numpy = start("import wasserstein_transform"), start("pass"), start("import numpy")
    libraries = "import numba, numba.typed, scipy.cluster.hierarchy, scipy.sparse.csgraph, scipy.spatial, scipy.special"
    others, cluster = start(libraries), start(f"{libraries}, wasserstein_transform; wasserstein_transform.cluster")
    return [
        Row(
            "`import wasserstein_transform`",
            f"{ours - empty:.3f} s",
            f"`import numpy`, same run: {numpy - empty:.3f} s",
            "–",
        ),
        Row(
            "`wasserstein_transform.cluster`, imported after NumPy, SciPy and numba",
            f"{cluster - others:.3f} s",
            f"NumPy, SciPy and numba, same run: {others - empty:.3f} s",
            "–",
        ),
        *(_first_row(name, call) for name, call in _FIRST.items()),
    ]


def _first_row(name: str, call: str) -> Row:
    first, second = first_and_second(call)
    return Row(f"{name}: the first process of an installation", f"{first:.1f} s", f"the next one: {second:.1f} s", "–")
