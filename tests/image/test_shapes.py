"""Pixels alike in shape, found without roots, against distances themselves."""

from __future__ import annotations

import numpy as np
import pytest

from wasserstein_transform.compute.gaussians.bures_jit import gap_plane, gap_space
from wasserstein_transform.compute.pixels.motion import _patch, window_of
from wasserstein_transform.compute.pixels.patches_jit import moments


def as_shape(cov: np.ndarray) -> np.ndarray:
    return np.append(cov[np.triu_indices(len(cov))], np.sqrt(max(np.linalg.det(cov), 0.0)))


def covariances(axes: int, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Some of full rank, lower ranks, none, tiny, and many of each that are equal or nearly so."""
    made = []
    for k in range(n):
        factor = rng.normal(size=(axes, k % (axes + 2))) * 10.0 ** -(k % 7)
        made.append(factor @ factor.T)
    some = [made[k] * (1 + step) for k in range(8) for step in (0.0, 1e-15, 1e-13, 1e-9, 1e-4)]
    return [*made, *some, 4.0 * np.eye(axes), 4.0 * np.eye(axes)]


@pytest.mark.slow
@pytest.mark.parametrize("lam", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize("axes", [2, 3])
def test_those_alike_in_shape_are_those_within_the_radius(axes: int, lam: float, rng: np.random.Generator) -> None:
    shapes = np.array([as_shape(cov) for cov in covariances(axes, 60, rng)])
    n = len(shapes) // 16 * 16
    patch = _patch(window_of((1, 99, 99) if axes == 2 else (99, 99, 99), 8.0), 1, shapes.shape[1])
    patch.size[:], patch.values[:], patch.shapes[:, :n] = (n, n, 1), 0.0, shapes[:n].T
    away = rng.integers(0, 9, n) ** 2.0
    patch.offsets[:, :n], patch.offsets[3, :n] = 1.0, (64.0 * (1 + 2e-12) - away) / lam
    sums, traces = np.empty(10), shapes[:n, [0, 2] if axes == 2 else [0, 3, 5]].sum(axis=1)
    patch.lacks[:n] = traces - patch.offsets[3, :n]
    for own in shapes[:n]:
        count = moments(patch, np.zeros(1), own, True, axes, 1.0, 64.0, sums)
        gaps = [gap_space(shape, own) if axes == 3 else gap_plane(*shape, *own) for shape in shapes[:n]]
        within = np.array(gaps) <= patch.offsets[3, :n]
        np.testing.assert_array_equal(patch.marks[:n] > 0, within)
        assert count == within.sum()
