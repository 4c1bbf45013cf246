"""Distances on a device: those of the CPU, to the last digits."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.backends.cuda import Cuda


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_pairs_of_points(m: int, cuda: Cuda, rng: np.random.Generator) -> None:
    metric = wt.Euclidean(rng.normal(size=(50, m)))
    rows, cols = rng.integers(0, 50, (2, 200))
    found = cuda.pairs(metric.form, rows, cols, wt.Engine(device=cuda))
    np.testing.assert_allclose(found, metric.pairs(rows, cols), rtol=1e-13)
