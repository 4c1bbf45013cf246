"""The paper's algorithms, slow and obvious: the functions of docs/hundred-lines.md, a line for each formula."""

from __future__ import annotations

from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "hundred-lines.md"
BLOCKS = [rest.split("```\n")[0] for rest in PAGE.read_text("utf-8").split("```python\n")[1:]]
NAMES: dict = {}
exec(compile(BLOCKS[0], PAGE.name, "exec"), NAMES)

euclidean, localize, pairwise = NAMES["euclidean"], NAMES["localize"], NAMES["pairwise"]
mean_and_covariance, dcov_squared = NAMES["mean_and_covariance"], NAMES["dcov_squared"]
wasserstein, gaussian_distances = NAMES["wasserstein"], NAMES["gaussian_distances"]
mean_shift, local_truncation = NAMES["mean_shift"], NAMES["local_truncation"]
gaussian_transform = NAMES["gaussian_transform"]


def inside(D: np.ndarray, eps: float) -> np.ndarray:
    """Which points are in closed balls."""
    return eps * (1 + 1e-12) >= D
