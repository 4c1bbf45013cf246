"""`sweep`: run the Gaussian Transform for many radii and weights, to choose between them by statistics of each run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._cached import cached_property
from .._shown import counted, frame, table
from .._types import Floats, Ints
from ..engine import Engine, current
from ..hierarchy import cut_tree, spanning_tree
from ..localize import Localization, Truncation
from ..localize.kernel import ProfileLike
from ..measures import Gaussians
from ..spaces import Euclidean, GaussianMetric, Space, as_space, quotient, rim
from ..transforms import Process, Trajectory, Transform, gaussian_transform
from ..transforms.iteration import Request, run
from ..transforms.transform import Eps, warn_massless
from .clustering.criteria import compare_clusterings

_TOGETHER = 1e-3  # times eps: points this close count as one place
_ASKED = 1000  # points whose neighbors are counted
_SAME = 1e-9  # relative difference: 0.1 + 0.2 finds the run of 0.3
_LARGE = 0.02  # fraction of the mass: anything smaller is no cluster
_STABLE = 0.8  # adjusted Rand index above which two clusterings are much the same


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a sweep; its statistics are computed when first read.

    `sweep[eps, lam]` and iterating over a `Sweep` give it.

    Attributes
    ----------
    eps, lam : float
        Radius ε, in the unit of the points, and weight λ.
    start : Space
        The state at τ = 0: the n unmoved points with their GT distance.
    trajectory : Trajectory
        The result of `iterate` for this ε and λ.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> run = wt.sweep([[0.0], [1.0], [2.0], [7.0], [8.0]], eps=[1, 2], lam=0, n_iter=2)[2, 0]
    >>> run.clusters, run.labels, round(run.neighbors, 1)
    (2, array([0, 0, 0, 1, 1]), 2.6)
    """

    eps: float
    lam: float
    start: Space
    trajectory: Trajectory

    @property
    def neighbors(self) -> float:
        """Mean number of points within ε of a point at the start, itself included, over up to 1,000 points.

        It is measured in the GT distance. Near 1, ε is too small (or λ too large) for points to move; near n, all
        points collapse at once. With weights, it is the mass within ε in units of the mean mass of a point.
        """
        return self._company[0]

    @property
    def alone(self) -> float:
        """Fraction of the mass, of the same points, that has no other point within ε."""
        return self._company[1]

    @property
    def movement(self) -> float:
        """Largest movement in the last iteration, relative to ε; NaN if there was none."""
        return self.trajectory.movements[-1] if self.trajectory.movements else float("nan")

    @cached_property
    def labels(self) -> Ints:
        """Groups at the end, by decreasing mass: single linkage of the GT distance, cut at height ε; shape (n,)."""
        return cut_tree(spanning_tree(self.trajectory.last), cut="height", height=self.eps)

    @property
    def clusters(self) -> int:
        """Number of groups at the end that hold at least 2 % of the mass."""
        mass = np.bincount(self.labels, weights=self.start.weights)
        return int(np.count_nonzero(mass >= _LARGE * (1 - 1e-9)))

    @cached_property
    def coverage(self) -> float:
        """Fraction of the mass, of up to 1,000 points, whose original position has a moved point within ε/2.

        It decreases if points clump along a shape, or leave a part of it.
        """
        return _coverage(self.start, self.trajectory.last, self.eps / 2)

    @cached_property
    def places(self) -> int:
        """Number of different places with mass at the end; places within ε/1000 of each other count as one."""
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
    "clusters": (lambda run: run.clusters, str),
    "coverage": (lambda run: run.coverage, "{:.0%}".format),
}
"""Columns of the table: by name, the value and its format."""
_WRITTEN: dict[str, Callable[[Any], str]] = {name: write for name, (_, write) in _COLUMNS.items()}
_WRITTEN |= {"stability": lambda value: "" if np.isnan(value) else f"{value:.2f}"}


@dataclass(frozen=True, eq=False)
class Sweep:
    """The runs of a sweep; it prints as a table, and `sweep[eps, lam]` is one run.

    `sweep` returns it. Columns are the statistics of `Run`: eps, lam, neighbors and alone at the start, n_iter
    (iterations made), movement (of the last iteration, relative to ε), converged, places, clusters and coverage at the
    end; and stability, the agreement with the clusters at neighboring radii. Clusters that several radii agree on are
    worth a look; the last line names the most stable run. The first print takes a moment to compute all this.

    Attributes
    ----------
    runs : tuple of Run
        By eps, then lam, in the given order.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.sweep([[0.0], [1.0], [2.0], [7.0], [8.0]], eps=[1, 2], lam=0, n_iter=2)
    >>> len(found), found.table["clusters"], found.stability
    (2, [2, 2], [1.0, 1.0])
    >>> found.advice
    'steadiest: eps=1, lam=0 with 2 clusters'
    """

    runs: tuple[Run, ...]

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns by name; `pandas.DataFrame(sweep.table)` takes them."""
        columns: dict[str, list[Any]] = {n: [value(run) for run in self.runs] for n, (value, _) in _COLUMNS.items()}
        return columns | {"stability": self.stability}

    @cached_property
    def stability(self) -> list[float]:
        """For each run, the smaller adjusted Rand index of its labels with those at the next smaller and larger ε.

        NaN if there is only one ε.
        """
        return [self._agreement(run) for run in self.runs]

    def _agreement(self, run: Run) -> float:
        alike = sorted((other for other in self.runs if other.lam == run.lam), key=lambda other: other.eps)
        at = next(k for k, other in enumerate(alike) if other is run)
        beside = alike[max(at - 1, 0) : at] + alike[at + 1 : at + 2]
        heavy = run.start.weights > 0
        return min(
            (compare_clusterings(run.labels[heavy], other.labels[heavy]) for other in beside), default=float("nan")
        )

    @property
    def advice(self) -> str:
        """The most stable run with several clusters, in words; empty if there is only one ε."""
        if np.isnan(self.stability).all():
            return ""
        good = [(score, -k) for k, score in enumerate(self.stability) if self.runs[k].clusters > 1]
        score, k = max(good, default=(0.0, 0))
        if score < _STABLE:
            return "no ε finds several clusters that a neighboring ε finds, too: try steps of less than a factor of 1.5"
        best = self.runs[-k]
        return f"steadiest: eps={best.eps:.4g}, lam={best.lam:.4g} with {counted(best.clusters, 'cluster')}"

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame, with a row for each run."""
        return frame(self.table)

    def _repr_html_(self) -> str:
        title = self._title + (f"; {self.advice}" if self.advice else "")
        return table(title, _WRITTEN, zip(*self._cells(), strict=True))

    def _cells(self) -> list[list[str]]:
        """Return the formatted cells, column by column."""
        return [list(map(_WRITTEN[name], column)) for name, column in self.table.items()]

    @property
    def _title(self) -> str:
        n = len(self.runs[0].trajectory.quotients[-1].labels)
        return f"Sweep of {counted(len(self), 'run')} on {n} points"

    def _asked(self) -> tuple[list[float], list[float]]:
        return [run.eps for run in self.runs], [run.lam for run in self.runs]

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, pair: tuple[float, float]) -> Run:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(f"a sweep is indexed as sweep[eps, lam], got {pair!r}; sweep.runs lists all")
        off = [max(_apart(run.eps, pair[0]), _apart(run.lam, pair[1])) for run in self.runs]
        nearest = int(np.argmin(off))
        if not off[nearest] <= _SAME:
            eps, lam = (", ".join(f"{v:g}" for v in dict.fromkeys(column)) for column in self._asked())
            raise KeyError(f"no run has eps={pair[0]!r} and lam={pair[1]!r}; eps are {eps} and lam {lam}")
        return self.runs[nearest]

    def __repr__(self) -> str:
        cells = [[name, *column] for name, column in zip(_WRITTEN, self._cells(), strict=True)]
        widths = [max(map(len, column)) for column in cells]
        rows = zip(*cells, strict=True)
        lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([f"<{self._title}>", *lines, *([self.advice] if self.advice else [])])


def _company(start: Space, eps: float) -> tuple[float, float]:
    """Return the mean mass within ε, in units of the mean mass of a point, and the fraction of the mass alone."""
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
    """Return up to 1,000 points with mass, evenly spaced in an order that does not depend on the order of the rows."""
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


def _coverage(before: Space, after: Space, within: float) -> float:
    """Return the fraction of the mass, of evenly chosen points, that has a moved point with mass within `within`."""
    assert before.points is not None  # the Gaussian Transform moves coordinates
    assert after.points is not None
    asked = _spread_out(before.points, before.weights)
    moved = Euclidean(after.points[after.weights > 0])
    near = moved.neighbors(1, Euclidean(before.points[asked])).distances[:, 0] <= rim(within)
    return min(1.0, float(before.weights[asked] @ near / before.weights[asked].sum()))


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
