"""How long importing takes: the package alone, and what `wt.cluster` needs."""

from __future__ import annotations

import subprocess
import sys

from .timing import Row, median_seconds


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
    ]
