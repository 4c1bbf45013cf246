"""Suggest radius, weight of covariances and iterations for given points, with a reason.

For modes, the radius is one at which mean shift finds the same clusters as at neighboring radii.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._display import HasReport, counted, frame, table
from .._types import Floats, Ints
from ..compute.cells.rows import sample_evenly
from ..engine import Engine, current
from ..hierarchy.cut import components_within
from ..hierarchy.labels import adjusted_rand
from ..localize.scale import distinct, median_radius, n_neighbors, ordinal, rows_of, scale_of
from ..spaces import Euclidean, Space, as_space
from ..spaces.span import outward, within_span
from ..transforms import iterate, mean_shift
from .noise import Noise, noise_of

_SAMPLE = 400  # places that are moved
_STEP = 1.25  # factor from one radius to the next
_MOST = 30  # radii
_ITERATIONS, _TOL, _MERGE = 30, 1e-2, 1e-3  # converged enough to tell which points are together
_STABLE = 0.95  # adjusted Rand index above which two radii count as finding the same clusters
_LONG = 3  # steps over which clusters must stay the same to be no coincidence
_LARGE = 0.02  # fraction of the mass: anything smaller is no cluster


@dataclass(frozen=True, eq=False)
class Modes:
    """The radii that were tried, in increasing order, and what mean shift found at each."""

    eps: float
    chosen: int
    reason: str
    radii: Floats
    clusters: Ints
    held: Floats
    stability: Floats


def modes_of(places: Space, engine: Engine) -> Modes:
    """Choose a radius for mean shift, from distinct places in a fixed order."""
    sample = _sampled(places)
    start = median_radius(sample, n_neighbors(sample.n), engine)
    tried = list[tuple[float, int, float]]()
    labels = list[Ints]()
    for k in range(_MOST):
        engine.check()
        eps = start * _STEP**k
        found = _found(sample, eps, engine.silent())
        mass = np.bincount(found, weights=sample.weights)
        tried.append((eps, int((mass >= _LARGE).sum()), float(mass[mass >= _LARGE].sum())))
        labels.append(found)
        if len(mass) == 1:  # larger radii give one cluster, too
            break
    radii, clusters, held = (np.array(column) for column in zip(*tried, strict=True))
    stability = np.array([adjusted_rand(a, b) for a, b in pairwise(labels)] + [1.0])
    chosen, reason = _chosen(radii, clusters, stability)
    return Modes(float(radii[chosen]), chosen, reason, radii, clusters, held, stability)


def _sampled(places: Space) -> Space:
    rows = sample_evenly(places.n, _SAMPLE)
    assert places.points is not None  # checked by the callers
    points, weights = places.points[rows], places.weights[rows]
    return Space(Euclidean(points), weights / weights.sum(), points)


def _found(sample: Space, eps: float, engine: Engine) -> Ints:
    walk = iterate(mean_shift(eps), sample, n_iter=_ITERATIONS, tol=_TOL, merge=_MERGE, engine=engine)
    return components_within(walk.last, eps)[0]


def _chosen(radii: Floats, clusters: Ints, stability: Floats) -> tuple[int, str]:
    """Return the middle of the first long range of radii that find the same clusters.

    Without a long range it is the longest one; without any, the radius from which on there is one cluster.
    """
    runs = _runs(clusters, stability)
    long = [run for run in runs if run[1] - run[0] >= _LONG]
    if not runs:
        return len(
            radii
        ) - 1, "no two neighboring radii find the same clusters: from this radius on there is one cluster"
    first, last = long[0] if long else max(runs, key=lambda run: run[1] - run[0])
    at = (first + last) // 2  # near the end of a range, single points between two clusters draw them together
    spoken = f"radii from {radii[first]:.4g} to {radii[last]:.4g} find the same {counted(clusters[at], 'cluster')}"
    return at, spoken if long else f"{spoken}, though that range is short"


def _runs(clusters: Ints, stability: Floats) -> list[tuple[int, int]]:
    """Return the first and last radius of each range over which two or more clusters stay the same."""
    same = (stability[:-1] >= _STABLE) & (clusters[:-1] > 1) & (clusters[1:] > 1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(int), [0]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


Purpose = Literal["clusters", "modes", "curve", "surface"]

_FACTORS = np.array([0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0])  # radii of the table, relative to the chosen one
_ASKED, _DISTANCES = 100, 1e7  # places whose neighbors are counted for the table; distances computed, about
_DIMS = {"curve": 1, "surface": 2}
_WIDER, _LAM_STILL = (
    2.5,
    10.0,
)  # radius relative to `suggest_eps`, and λ, if points do not move; docs/parameters.md tells more
_FEW, _SHARE = 30, 0.15  # most places in a typical ball in that case: this number, or this fraction of all
_LAM, _FLAT = 1.0, 3  # λ if there are more coordinates than _FLAT, or if points move
_UNTIL_REST = 300


@dataclass(frozen=True, eq=False)
class Suggestion(HasReport):
    """Parameters for a transform, the reason, and the radii that were compared; `suggest` returns it.

    Attributes
    ----------
    eps, lam, n_iter : float, float, int
        Radius ε in the unit of the points, λ and number of iterations, for `GaussianTransform(eps, lam,
        n_iter=n_iter)`; with `ridge=1` or 2 for the purpose "curve" or "surface". For "modes", eps is for
        `MeanShift(eps)`.
    purpose : str
        The purpose it is for.
    reason : str
        How the radius was found, in words.
    table : dict of str to list
        Columns by name, with a row for each radius that was compared.
    chosen : int or None
        The chosen row of the table; None if the radius is not in the table.
    n : int
        Number of different places with mass.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.suggest(wt.datasets.circles(0, n=2000, noise=0.05).points, "curve")
    >>> round(found.eps, 2), found.lam, found.n_iter
    (0.25, 1.0, 1)
    >>> list(found.table)
    ['eps', 'neighbors', 'noise', 'thickness']
    """

    eps: float
    lam: float
    n_iter: int
    purpose: Purpose
    reason: str
    table: dict[str, list[Any]]
    chosen: int | None
    n: int

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame, with a row for each radius."""
        return frame(self.table)

    @property
    def _call(self) -> str:
        """The estimator with these parameters, as code."""
        if self.purpose == "modes":
            return f"MeanShift(eps={self.eps:.4g})"
        ridge = f", ridge={_DIMS[self.purpose]}" if self.purpose in _DIMS else ""
        return f"GaussianTransform(eps={self.eps:.4g}, lam={self.lam:g}{ridge}, n_iter={self.n_iter})"

    def _cells(self) -> list[list[str]]:
        return [[_written(name, value) for value in column] for name, column in self.table.items()]

    def _repr_html_(self) -> str:
        return table(f"{self._call}: {self.reason}", self.table, zip(*self._cells(), strict=True))

    def __str__(self) -> str:
        lines = [f"for {self.purpose}: {self._call}", self.reason]
        if self.table and len(self.table["eps"]):
            lines += _rows(list(self.table), self._cells(), self.chosen)
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Suggestion for {self.purpose}: {self._call}>"


def suggest(
    X: ArrayLike | Space,
    purpose: Purpose = "clusters",
    *,
    sample_weight: ArrayLike | None = None,
    metric: str = "euclidean",
    engine: Engine | None = None,
) -> Suggestion:
    """Suggest parameters for these points: ε from their scale, matching λ and τ, and the reason.

    Parameters
    ----------
    X : array of shape (n, m), distances of shape (n, n) for metric="precomputed", or Space
        The points.
    purpose : {"clusters", "modes", "curve", "surface"}, default "clusters"
        "clusters": for `SingleLinkage` of the GT distance of points that do not move (τ = 0); ε is 2.5 times the median
        distance to the 10th neighbor. Works with distances, too. "modes": for `MeanShift`; a radius at which a sample
        has the same clusters as at neighboring radii. "curve", "surface": for `ridge`; the radius at which the spread
        across lines or planes is that of the noise, see `auto.noise_scale`.
    sample_weight : array of shape (n,), optional
        Masses of the points; weight k is the same as k copies. None means equal masses.
    metric : str, default "euclidean"
        A SciPy name, or "precomputed" for distances.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Suggestion
        `eps`, `lam`, `n_iter` and the reason; it prints as a table.

    Notes
    -----
    Time is O(n) for large n: neighbors of at most a few hundred points are computed.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.suggest(wt.datasets.circles(0, n=2000, noise=0.05).points, "curve")
    <Suggestion for curve: GaussianTransform(eps=0.2456, lam=1, ridge=1, n_iter=1)>
    """
    check.choice(purpose, "purpose", _PURPOSES)
    space, engine = as_space(X, sample_weight, metric), current(engine)
    if purpose != "clusters" and space.points is None:
        raise ValueError(f"purpose={purpose!r} needs coordinates, and these are distances only; use 'clusters'")
    with engine.progress_scope() as engine:
        return suggestion_of(space, purpose, engine)


def suggestion_of(space: Space, purpose: Purpose, engine: Engine, n_iter: int | None = None) -> Suggestion:
    """Suggest parameters for a space; for a given number of iterations, if any."""
    places = outward(within_span(distinct(space, engine)))
    if purpose == "clusters" and n_iter:
        scale = scale_of(places, engine)
        return Suggestion(float(scale), _LAM, n_iter, purpose, scale.reason, {}, None, places.n)
    return _PURPOSES[purpose](places, purpose, engine)


def _for_clusters(places: Space, purpose: Purpose, engine: Engine) -> Suggestion:
    if places.n <= 3:
        scale = scale_of(places, engine)
        return Suggestion(float(scale), _LAM_STILL, 0, purpose, scale.reason, {}, None, places.n)
    eps, reason, columns = _still(places, engine)
    chosen = int(np.searchsorted(_FACTORS, 1.0))
    lam, why = (_LAM_STILL, "") if _is_flat(places) else (_LAM, "; covariances of so few points are rough: small λ")
    return Suggestion(eps, lam, 0, purpose, f"{reason}; points do not move{why}", columns, chosen, places.n)


def _is_flat(places: Space) -> bool:
    """Tell whether a few dozen points determine a covariance: with at most three coordinates."""
    return places.points is None or places.points.shape[1] <= _FLAT


def _still(places: Space, engine: Engine) -> tuple[float, str, dict[str, list[Any]]]:
    """Return a radius for points that do not move: wide, but not a large part of the data, as in many dimensions."""
    n, k = places.n, n_neighbors(places.n)
    eps = _WIDER * median_radius(places, k, engine)
    columns = _company(places, eps * _FACTORS, engine)
    most = min(max(_FEW, int(_SHARE * n)), n - 1)
    if columns["neighbors"][int(np.searchsorted(_FACTORS, 1.0))] <= most:
        return eps, f"{_WIDER:g} times the median distance to the {ordinal(k)} nearest of {n:,} places", columns
    eps = median_radius(places, most, engine)
    reason = f"the median distance to the {ordinal(most)} nearest of {n:,} places, which are a large part of them"
    return eps, reason, _company(places, eps * _FACTORS, engine)


def _for_modes(places: Space, purpose: Purpose, engine: Engine) -> Suggestion:
    if places.n <= 3:
        scale = scale_of(places, engine)
        return Suggestion(float(scale), 0.0, _UNTIL_REST, purpose, scale.reason, {}, None, places.n)
    modes = modes_of(places, engine)
    columns = {
        "eps": modes.radii.tolist(), "clusters": modes.clusters.tolist(), "held": modes.held.tolist(),
        "stability": modes.stability.tolist(),
    }  # fmt: skip
    return Suggestion(modes.eps, 0.0, _UNTIL_REST, purpose, modes.reason, columns, modes.chosen, places.n)


def _for_shapes(places: Space, purpose: Purpose, engine: Engine) -> Suggestion:
    return of_noise(noise_of(places, _DIMS[purpose], engine), purpose, places.n)


def of_noise(noise: Noise, purpose: Purpose, n: int) -> Suggestion:
    """Return the suggestion that follows from noise across a shape."""
    columns = {
        "eps": noise.radii.tolist(), "neighbors": noise.counts.tolist(), "noise": noise.sigmas.tolist(),
        "thickness": noise.thickness.tolist(),
    }  # fmt: skip
    columns = columns if len(noise.radii) else {}
    at = np.flatnonzero(noise.radii == noise.eps)
    chosen = int(at[0]) if columns and len(at) else None
    return Suggestion(noise.eps, _LAM, 1, purpose, noise.reason, columns, chosen, n)


_PURPOSES: dict[str, Callable[[Space, Purpose, Engine], Suggestion]] = {
    "clusters": _for_clusters,
    "modes": _for_modes,
    "curve": _for_shapes,
    "surface": _for_shapes,
}


def _company(places: Space, radii: np.ndarray, engine: Engine) -> dict[str, list[Any]]:
    """For each radius, count the places within it of a typical place, itself included, and the fraction alone."""
    centers = sample_evenly(places.n, int(np.clip(_DISTANCES / places.n, _ASKED // 5, _ASKED)))
    counts = np.empty((len(centers), len(radii)))
    for part, rows in rows_of(places, centers, engine):
        counts[part] = np.column_stack([np.count_nonzero(rows <= r, axis=1) for r in radii * (1 + 1e-12)])
    typical = np.median(counts, axis=0)
    return {
        "eps": radii.tolist(), "neighbors": typical.tolist(), "share": (typical / places.n).tolist(),
        "alone": np.mean(counts <= 1, axis=0).tolist(),
    }  # fmt: skip


_PERCENT = ("share", "alone", "held")


def _written(name: str, value: Any) -> str:
    if name in _PERCENT:
        return f"{value:.0%}"
    return f"{value:.2f}" if name in ("thickness", "stability") else f"{value:.4g}"


def _rows(names: list[str], cells: list[list[str]], chosen: int | None) -> list[str]:
    """Return the table in lines, the chosen row marked."""
    columns = [[name, *column] for name, column in zip(names, cells, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for k, row in enumerate(zip(*columns, strict=True)):
        mark = " <" if chosen is not None and k == chosen + 1 else ""
        lines.append("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) + mark)
    return lines
