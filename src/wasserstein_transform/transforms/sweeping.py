"""The Gaussian Transform for many radii and weights at once, to choose between them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._cached import cached_property
from .._shown import table
from .._types import Floats, Ints
from ..engine import Engine, Progress, current
from ..localize import Localization, Truncation
from ..localize.profiles import ProfileLike
from ..measures import Gaussians
from ..spaces import Euclidean, GaussianMetric, Space, quotient
from .loop import Asked, run
from .named import Eps, gaussian_transform
from .trajectory import Trajectory
from .transform import Process, Transform, warn_massless

_TOGETHER = 1e-3  # of eps: points that near are in one place
_ASKED = 1000  # points whose neighbors are counted
_SAME = 1e-9  # relative: 0.1 + 0.2 finds the run of 0.3


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a sweep. What is counted is counted on first use.

    Attributes
    ----------
    eps, lam : float
    start : Space
        The state of τ = 0: the unmoved points under their GT distance.
    trajectory : Trajectory
        What `iterate` gives for these two.
    """

    eps: float
    lam: float
    start: Space
    trajectory: Trajectory

    @property
    def neighbors(self) -> float:
        """Points within ε of a point at the start, in the GT distance, itself included: the mean over up to 1,000.

        Near 1, ε is too small (or λ too large) for anything to happen; near n, everything falls together at once. With
        weights, the mass within ε in units of the mean mass of a point.
        """
        return self._company[0]

    @property
    def alone(self) -> float:
        """Share of the mass, of the same points, that has nobody else within ε."""
        return self._company[1]

    @property
    def movement(self) -> float:
        """Largest movement of the last iteration, relative to ε; NaN if there was none."""
        return self.trajectory.movements[-1] if self.trajectory.movements else float("nan")

    @cached_property
    def places(self) -> int:
        """Different places with mass at the end, those within ε/1000 of each other counted as one."""
        return _n_places(self.trajectory, self.eps)

    @cached_property
    def _company(self) -> tuple[float, float]:
        return _company(self.start, self.eps)

    def __repr__(self) -> str:
        return f"<Run of eps={self.eps:g}, lam={self.lam:g}: {self.trajectory.outcome}>"


_COLUMNS: dict[str, tuple[Callable[[Run], Any], Callable[[Any], str]]] = {
    "eps": (lambda run: run.eps, "{:.4g}".format),
    "lam": (lambda run: run.lam, "{:.4g}".format),
    "neighbors": (lambda run: run.neighbors, "{:.1f}".format),
    "alone": (lambda run: run.alone, "{:.0%}".format),
    "n_iter": (lambda run: run.trajectory.n_iter, str),
    "movement": (lambda run: run.movement, "{:.2g}".format),
    "converged": (lambda run: run.trajectory.converged, lambda value: "yes" if value else "no"),
    "places": (lambda run: run.places, str),
}
"""What a table of runs holds: by name, the value and how it is written."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The runs of a sweep; prints as a table, and `sweep[eps, lam]` is one run.

    The columns are what `Run` tells: eps, lam, neighbors and alone at the start, n_iter (iterations done), movement
    (the last one, in ε), converged, and places at the end. Counting them for the first print takes a moment.

    Attributes
    ----------
    runs : tuple of Run
        By eps, then lam, as they were given.
    """

    runs: tuple[Run, ...]

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns by name; `pandas.DataFrame(sweep.table)` takes them as they are."""
        return {name: [value(run) for run in self.runs] for name, (value, _) in _COLUMNS.items()}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame, a row for each run."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("to_pandas needs pandas (pip install pandas); sweep.table has the same columns") from None
        return pandas.DataFrame(self.table)

    def _repr_html_(self) -> str:
        title, *_ = repr(self).splitlines()
        return table(title[1:-1], _COLUMNS, zip(*self._cells(), strict=True))

    def _cells(self) -> list[list[str]]:
        """The table as it is written, column by column."""
        return [list(map(_COLUMNS[name][1], column)) for name, column in self.table.items()]

    def _asked(self) -> tuple[list[float], list[float]]:
        return [run.eps for run in self.runs], [run.lam for run in self.runs]

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, pair: tuple[float, float]) -> Run:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(f"a sweep is asked for sweep[eps, lam], got {pair!r}; sweep.runs lists all")
        off = [max(_apart(run.eps, pair[0]), _apart(run.lam, pair[1])) for run in self.runs]
        nearest = int(np.argmin(off))
        if not off[nearest] <= _SAME:
            eps, lam = (", ".join(f"{v:g}" for v in dict.fromkeys(column)) for column in self._asked())
            raise KeyError(f"no run has eps={pair[0]!r} and lam={pair[1]!r}; eps are {eps} and lam {lam}")
        return self.runs[nearest]

    def __repr__(self) -> str:
        cells = [[name, *column] for name, column in zip(_COLUMNS, self._cells(), strict=True)]
        widths = [max(map(len, column)) for column in cells]
        rows = zip(*cells, strict=True)
        lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
        n = len(self.runs[0].trajectory.quotients[-1].labels)
        return "\n".join([f"<Sweep of {len(self)} run{'s' if len(self) > 1 else ''} on {n} points>", *lines])


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
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> Sweep:
    """The Gaussian Transform for every pair of an ε and a λ.

    Each run is, bit for bit, `iterate(gaussian_transform(eps, lam, profile, ridge), space, n_iter=n_iter, ...)`. The
    covariances of the start do not depend on λ and are made once for each ε; the steps are each run's own.

    Parameters
    ----------
    X : array of shape (n, m), or Space
    eps : float or sequence of float
        Radii; each is used for all iterations of its runs. Repeated values are run once, here and in `lam`.
    lam : float or sequence of float
        Weights λ ≥ 0 of the covariances.
    n_iter : int
        Iterations of each run; 0 gives the GT distances of the unmoved points.
    profile, ridge
        As in `gaussian_transform`.
    tol, merge
        As in `iterate`.
    sample_weight : array of shape (n,), optional
        Masses of the points; a Space carries its own.
    n_jobs : int, optional
        Threads; −1 means all cores, None what the engine says. Results do not depend on it.
    progress : callable, optional
        Called with an `Update` as runs end; `bar()` draws a line.
    engine : Engine, optional
        Where it runs; by default what `wt.using` says.

    Returns
    -------
    Sweep

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.sweep([[0.0], [1.0], [2.0], [7.0], [8.0]], eps=[0.5, 1, 6], lam=[0, 4], n_iter=2)
    >>> found
    <Sweep of 6 runs on 5 points>
    eps  lam  neighbors  alone  n_iter  movement  converged  places
    0.5    0        1.0   100%       2         0         no       5
    0.5    4        1.0   100%       2         0         no       5
      1    0        2.2     0%       2       0.5         no       2
      1    4        1.4    60%       2      0.82         no       4
      6    0        3.8     0%       2      0.41         no       1
      6    4        3.0     0%       2      0.51         no       3
    >>> found[1, 0].trajectory.points.ravel()
    array([1. , 1. , 1. , 7.5, 7.5])
    """
    space = _read(X, sample_weight)
    radii, lams = _values(eps, "eps", check.eps), _values(lam, "lam", check.lam)
    n_iter = check.count(n_iter, "n_iter", 0)
    tol = None if tol is None else check.tolerance(tol, "tol")
    merge = None if merge is None else check.tolerance(merge, "merge")
    processes = [[gaussian_transform(e, l, profile, ridge) for l in lams] for e in radii]
    engine, total = current(engine, n_jobs=n_jobs, progress=progress), len(radii) * len(lams)
    if space.points is not None:
        n, m = space.points.shape
        states = total + len(radii)  # the start of each eps, the end of each run
        engine.reserve(8.0 * states * n * (m + m * m), f"a sweep of {total} runs", "sweep over fewer values")

    with engine.watched() as engine:
        return Sweep(tuple(_runs(space, radii, lams, processes, n_iter, tol, merge, engine)))


def _runs(
    space: Space, radii: list[float], lams: list[float], processes: list[list[Process]], n_iter: int,
    tol: float | None, merge: float | None, engine: Engine,
) -> Iterator[Run]:  # fmt: skip
    done, total, quiet = 0, len(radii) * len(lams), engine.quiet()  # progress is that of the sweep
    massless = np.zeros(space.n, bool)
    engine.report("sweep", 0, total)
    for e, of_radius in zip(radii, processes, strict=True):
        start = _start(of_radius[0], space, quiet)
        for l, process in zip(lams, of_radius, strict=True):
            measures = replace(start, lam=l)
            started = Space(GaussianMetric(measures.means, measures.covs, l), space.weights, measures.means)
            ready = Process(Transform(_Ready(measures, e), _first(process).transport), process.step)
            walk, alone = run(Asked(ready, n_iter, tol, merge), space, quiet)
            massless |= alone
            yield Run(e, l, started, walk)
            done += 1
            engine.report("sweep", done, total)
    warn_massless(massless)  # once, whatever the number of runs


@dataclass(frozen=True, eq=False)
class _Ready(Localization):
    """Measures that are there already, as a localization: the loop starts from them as from any others."""

    measures: Gaussians
    eps: float
    makes = Gaussians

    @property
    def scale(self) -> float:
        return self.eps

    def __call__(self, space: Space, engine: Engine | None = None) -> Gaussians:
        return self.measures


def _read(X: ArrayLike | Space, sample_weight: ArrayLike | None) -> Space:
    if not isinstance(X, Space):
        return Space.from_points(X, sample_weight)
    if sample_weight is not None:
        raise ValueError("a Space carries its weights: make it with them instead of passing sample_weight")
    return X


def _values(values: Any, name: str, checked: Callable[[Any], float]) -> list[float]:
    """One number or several, each checked, each once."""
    if np.ndim(values) == 0:
        return [checked(values.item() if isinstance(values, np.ndarray) else values)]
    if len(values) == 0:
        raise ValueError(f"{name} must hold at least one value to sweep over, got an empty sequence")
    return list(dict.fromkeys(checked(value) for value in values))


def _first(process: Process) -> Transform:
    assert process.start is not None  # the Gaussian Transform has a start
    return process.start


def _start(process: Process, space: Space, engine: Engine) -> Gaussians:
    """The measures of τ = 0, the same for every λ but for the λ they carry."""
    measures = _first(process).localize(space, engine)
    assert isinstance(measures, Gaussians)
    return measures


def _company(start: Space, eps: float) -> tuple[float, float]:
    """How many points a point has within ε, in units of their mean mass, and the share of the mass that is alone."""
    assert start.points is not None  # the Gaussian Transform moves coordinates
    asked = _spread_out(start.points, start.weights)
    others = np.delete(np.arange(start.n), asked)
    around = start.take(np.append(others, asked))
    assert around.points is not None
    mass = Truncation(eps).moments(around, current().quiet(), len(others)).means(around.points).mass
    own = start.weights[asked]
    share = own / own.sum()
    return float(share @ mass * np.count_nonzero(start.weights)), float(share @ (mass <= own * (1 + 1e-12)))


def _spread_out(points: Floats, weights: Floats) -> Ints:
    """Points with mass, up to 1,000, evenly along an order that does not depend on how the data came."""
    heavy = np.flatnonzero(weights)
    sorted_heavy = heavy[np.lexsort(points[heavy].T)]
    picked = np.linspace(0, len(heavy) - 1, min(len(heavy), _ASKED)).round().astype(np.intp)
    return np.asarray(np.sort(sorted_heavy[picked]))


def _n_places(walk: Trajectory, eps: float) -> int:
    state = walk.quotients[-1]
    assert state.points is not None  # the Gaussian Transform moves coordinates
    heavy = np.flatnonzero(state.weights)
    points = state.points[heavy]
    return quotient(Space(Euclidean(points), state.weights[heavy], points), _TOGETHER * eps).space.n


def _apart(a: float, b: Any) -> float:
    return abs(a - float(b)) / (max(abs(a), abs(float(b))) or 1.0)
