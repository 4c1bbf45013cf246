"""`sweep`: run the Gaussian Transform for many radii and weights, to choose between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from ..engine import Engine, current
from ..localize import Localization
from ..localize.kernel import ProfileLike
from ..measures import Gaussians
from ..spaces import GaussianMetric, Space, as_space
from ..transforms import Process, Transform, gaussian_transform
from ..transforms.iteration import Request, run
from ..transforms.transform import Eps, warn_massless
from .runs import Run, Sweep


def sweep(
    X: ArrayLike | Space,
    eps: Eps,
    lam: float | Sequence[float] = 1.0,
    n_iter: int = 1,
    *,
    profile: ProfileLike = "flat",
    ridge: int | None = None,
    tol: float | None = None,
    merge: float | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Sweep:
    """Run the Gaussian Transform for every pair of an ε and a λ.

    Each run is, bit for bit, `iterate(gaussian_transform(eps, lam, profile, ridge), space, n_iter=n_iter, ...)`. The
    covariances at the start do not depend on λ and are computed once for each ε; the iterations are computed for each
    run.

    Parameters
    ----------
    X : array of shape (n, m), or Space
        The points.
    eps : float or sequence of float
        Radii, in the unit of the points; each is used for all iterations of its runs. Repeated values are run once,
        here and in `lam`.
    lam : float or sequence of float, default 1
        Weights λ ≥ 0 of the covariances.
    n_iter : int, default 1
        Number of iterations of each run; 0 gives the GT distances of the unmoved points.
    profile, ridge
        As for `gaussian_transform`.
    tol, merge
        As for `iterate`.
    sample_weight : array of shape (n,), optional
        Masses of the points; None means equal masses. A Space has its own.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine. Results do not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Sweep
        All runs; prints as a table.

    Notes
    -----
    Time is that of one `iterate` per run; memory 8·n·(m + m²) bytes per run and per ε.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.sweep([[0.0], [1.0], [2.0], [7.0], [8.0]], eps=[1, 2, 6], lam=[0, 4], n_iter=2)
    >>> found
    <Sweep of 6 runs on 5 points>
    eps  lam  neighbors  alone  n_iter  movement  converged  places  clusters  coverage  stability
      1    0        2.2     0%       2       0.5         no       2         2       60%       1.00
      1    4        1.4    60%       2      0.82         no       4         2      100%       1.00
      2    0        2.6     0%       2         0         no       2         2      100%       0.00
      2    4        2.6     0%       2         0         no       2         2      100%       0.00
      6    0        3.8     0%       2      0.41         no       1         1       40%       0.00
      6    4        3.0     0%       2      0.51         no       3         1      100%       0.00
    steadiest: eps=1, lam=0 with 2 clusters
    >>> found[1, 0].trajectory.points.ravel()
    array([1. , 1. , 1. , 7.5, 7.5])
    """
    space = as_space(X, sample_weight)
    radii, lams = _values(eps, "eps", check.eps), _values(lam, "lam", check.lam)
    n_iter = check.count(n_iter, "n_iter", 0)
    tol = None if tol is None else check.tolerance(tol, "tol")
    merge = None if merge is None else check.tolerance(merge, "merge")
    processes = [[gaussian_transform(e, l, profile, ridge) for l in lams] for e in radii]
    engine, total = current(engine, n_jobs=n_jobs, verbose=verbose), len(radii) * len(lams)
    if space.points is not None:
        n, m = space.points.shape
        states = total + len(radii)  # the start of each eps, and the end of each run
        engine.reserve(8.0 * states * n * (m + m * m), f"a sweep of {total} runs", "sweep over fewer values")

    with engine.watched() as engine:
        return Sweep(tuple(_runs(space, radii, lams, processes, n_iter, tol, merge, engine)))


def _runs(
    space: Space, radii: list[float], lams: list[float], processes: list[list[Process]], n_iter: int,
    tol: float | None, merge: float | None, engine: Engine,
) -> Iterator[Run]:  # fmt: skip
    done, total, quiet = 0, len(radii) * len(lams), engine.quiet()  # only the sweep reports progress
    massless = np.zeros(space.n, bool)
    engine.report("sweep", 0, total)
    for e, of_radius in zip(radii, processes, strict=True):
        start = _start(of_radius[0], space, quiet)
        for l, process in zip(lams, of_radius, strict=True):
            measures = replace(start, lam=l)
            started = Space(GaussianMetric(measures.means, measures.covs, l), space.weights, measures.means)
            ready = Process(Transform(_Ready(measures, e), _first(process).transport), process.step)
            walk, alone = run(Request(ready, n_iter, tol, merge), space, quiet)
            massless |= alone
            yield Run(e, l, started, walk)
            done += 1
            engine.report("sweep", done, total)
    warn_massless(massless)  # one warning for all runs


@dataclass(frozen=True, eq=False)
class _Ready(Localization):
    """A localization that returns given measures, so that the loop starts from them."""

    measures: Gaussians
    eps: float
    makes = Gaussians

    @property
    def scale(self) -> float:
        return self.eps

    def __call__(self, space: Space, engine: Engine | None = None) -> Gaussians:
        return self.measures


def _values(values: Any, name: str, checked: Callable[[Any], float]) -> list[float]:
    """Check one number or several; return them without repetition."""
    if np.ndim(values) == 0:
        return [checked(values.item() if isinstance(values, np.ndarray) else values)]
    if len(values) == 0:
        raise ValueError(f"{name} must hold at least one value to sweep over, got an empty sequence")
    return list(dict.fromkeys(checked(value) for value in values))


def _first(process: Process) -> Transform:
    assert process.start is not None  # the Gaussian Transform has a start
    return process.start


def _start(process: Process, space: Space, engine: Engine) -> Gaussians:
    """Return the measures at τ = 0; they are the same for every λ, apart from the λ they carry."""
    measures = _first(process).localize(space, engine)
    assert isinstance(measures, Gaussians)
    return measures
