"""How long `import wasserstein_transform` takes."""

from __future__ import annotations

import subprocess
import sys

from .timing import Row, median_seconds


def run() -> list[Row]:
    def start(statement: str) -> float:
        return median_seconds(lambda: subprocess.run([sys.executable, "-c", statement], check=True))

    ours, empty, numpy = start("import wasserstein_transform"), start("pass"), start("import numpy")
    return [
        Row(
            "`import wasserstein_transform`",
            f"{ours - empty:.3f} s",
            f"`import numpy`, same run: {numpy - empty:.3f} s",
            "–",
        )
    ]
