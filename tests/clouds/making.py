"""Clouds to store, processes to run on them, and the comparison with memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import wasserstein_transform as wt

EPS = {1: 0.1, 2: 0.6, 3: 1.5}
PROCESSES: dict[str, Callable[[float], Any]] = {
    "mean shift": wt.mean_shift,
    "mean shift by a smooth kernel": lambda eps: wt.mean_shift(eps, "epanechnikov"),
    "cut kernel": lambda eps: wt.Transform(wt.Mean(wt.Kernel(eps / 2, "gaussian", cut=2.0)), wt.DiracDistance()),
    "ridge": lambda eps: wt.mean_shift(eps, ridge=1),
    "GT": lambda eps: wt.gaussian_transform(eps, 2.0),
    "GT without lam": lambda eps: wt.gaussian_transform(eps, 0.0),
    "GT by a smooth kernel": lambda eps: wt.gaussian_transform(eps, 1.0, "triangle"),
    "ridge of GT": lambda eps: wt.gaussian_transform(eps, 2.0, ridge=1),
    "a step of GT alone": lambda eps: wt.gaussian_transform(eps, 2.0).step,
    "radii that shrink": lambda eps: wt.gaussian_transform([eps, eps / 2, eps / 2], 1.0),
}

N, N_ITER, PARTS = 900, 3, 5
PROCESS = wt.gaussian_transform(EPS[2], 2.0)


def cloud(n: int, m: int, seed: int = 0) -> np.ndarray:
    """Evenly spread points, a dense spot, duplicates, and a far one."""
    rng = np.random.default_rng(seed + m)
    even = rng.uniform(0, 12, size=(n - n // 5 - 1, m)) * np.array([3.0, 1.0, 1.0])[:m]
    spot = rng.normal(5, 0.2, size=(n // 5, m))
    X = np.concatenate([even, spot, [[1e6] * m]])
    X[rng.integers(0, n - 1, n // 20)] = X[rng.integers(0, n - 1, n // 20)]
    return X[rng.permutation(n)]


def weights_of(n: int) -> np.ndarray:
    """Weights that are no powers of two, a quarter of them 0."""
    return np.random.default_rng(7).integers(0, 4, n) * 0.37


def stored(folder: Path, process: Any, X: np.ndarray, weights: np.ndarray | None = None, **asked: Any) -> Any:
    """A run on points that are saved before."""
    folder.mkdir(exist_ok=True, parents=True)
    np.save(folder / "points.npy", X)
    source: Any = folder / "points.npy"
    if weights is not None:
        np.save(folder / "weights.npy", weights)
        source = wt.clouds.sources.open_source(source, weights=str(folder / "weights.npy"))
    return wt.clouds.iterate(process, source, folder=folder / "run", **asked)


def assert_same(found: wt.clouds.StoredTrajectory, whole: wt.transforms.Trajectory) -> None:
    """All that both say: points and covariances to the bit, movements up to rounding."""
    assert (found.n_iter, found.converged, found.outcome) == (whole.n_iter, whole.converged, whole.outcome)
    np.testing.assert_allclose(found.movements, whole.movements, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(found.points(), whole.points)
    if found.state.lam is not None:
        np.testing.assert_array_equal(found.covariances(), whole.last.metric.covs)


def go(folder: Path, n_iter: int = N_ITER, process: Any = PROCESS, **asked: Any) -> wt.clouds.StoredTrajectory:
    """A run on the points that `save` has saved."""
    source = wt.clouds.sources.open_source(folder / "points.npy", weights=str(folder / "weights.npy"))
    return wt.clouds.iterate(process, source, folder=folder / "run", n_iter=n_iter, n_parts=PARTS, **asked)


def save(folder: Path) -> None:
    """Points with weights in a folder."""
    np.save(folder / "points.npy", cloud(N, 2))
    np.save(folder / "weights.npy", 1 + weights_of(N))


class Ended(Exception):  # noqa: N818
    """Somebody ended the run."""


def ends_after(n_updates: int) -> Callable[[object], None]:
    """Progress that ends a run."""
    left = [n_updates]

    def progress(update: object) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Ended

    return progress


def flip(path: Path, at: int) -> None:
    """Change a bit of a file."""
    content = bytearray(path.read_bytes())
    content[at] ^= 0x40
    path.write_bytes(bytes(content))
