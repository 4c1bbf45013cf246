"""Suggest radius, weight of covariances and iterations for given points, with a reason.

For modes, the radius is one at which mean shift finds the same clusters as at neighboring radii.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._display import HasReport, counted, frame, table
from .._types import Floats, Ints
from ..compute import sample_evenly
from ..engine import Engine, current
from ..hierarchy.cut import components_within
from ..hierarchy.labels import adjusted_rand
from ..localize.scale import distinct, median_radius, n_neighbors, ordinal, rows_of, scale_of
from ..spaces import Euclidean, Space, as_space, outward, within_span
from ..transforms import iterate, mean_shift
from .noise import noise_of

Purpose = Literal["clusters", "modes", "curve", "surface"]

_RADII = np.array([0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0])  # of the table, relative to the chosen one
_CHOSEN_RADIUS = 4  # its index
_MAX_COUNTED, _MIN_COUNTED = 100, 20  # places whose neighbors are counted for the table
_MAX_DISTANCES = 1e7  # computed for that, about
_DIM_OF_PURPOSE = {"curve": 1, "surface": 2}
_EPS_OF_SCALE = 2.5  # radius relative to `suggest_eps` if points do not move
_LAM, _LAM_IF_STILL = 1.0, 10.0  # λ, and λ if points do not move; docs/parameters.md tells more
_MAX_AXES_OF_LAM = 3  # with more coordinates, a few dozen points do not determine a covariance, and λ is small
_MAX_IN_BALL, _MAX_SHARE_IN_BALL = 30, 0.15  # places in a typical ball: this number, or this fraction of all
_N_ITER_OF_MODES = 300
_MAX_MOVED = 400  # places that mean shift moves to find modes
_RADIUS_STEP, _MAX_RADII = 1.25, 30  # factor from one radius of mean shift to the next, and their number
_N_ITER, _TOL, _MERGE = 30, 1e-2, 1e-3  # of mean shift: converged enough to tell which points are together
_MIN_AGREEMENT = 0.95  # adjusted Rand index above which two radii find the same clusters
_MIN_STEPS = 3  # over which clusters must stay the same to be no coincidence
_MIN_CLUSTER_MASS = 0.02  # anything lighter is no cluster


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
        ridge = f", ridge={_DIM_OF_PURPOSE[self.purpose]}" if self.purpose in _DIM_OF_PURPOSE else ""
        return f"GaussianTransform(eps={self.eps:.4g}, lam={self.lam:g}{ridge}, n_iter={self.n_iter})"

    def _repr_html_(self) -> str:
        rows = [[f"{value:.4g}" for value in row] for row in zip(*self.table.values(), strict=True)]
        return table(f"{self._call}: {self.reason}", self.table, rows)

    def __str__(self) -> str:
        lines = [f"for {self.purpose}: {self._call}", self.reason]
        if self.table:
            lines += self.to_pandas().to_string(index=False, float_format="{:.4g}".format).splitlines()
        if self.chosen is not None:
            lines[3 + self.chosen] += " <"
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
        across lines or planes is that of the noise, see `parameters.noise_scale`.
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
    check.choice(purpose, "purpose", get_args(Purpose))
    space, engine = as_space(X, sample_weight, metric), current(engine)
    if purpose != "clusters" and space.points is None:
        raise ValueError(f"purpose={purpose!r} needs coordinates, and these are distances only; use 'clusters'")
    with engine.progress_scope() as engine:
        return suggestion_of(space, purpose, engine)


def suggestion_of(space: Space, purpose: Purpose, engine: Engine, n_iter: int | None = None) -> Suggestion:
    """Suggest parameters for a space; for clusters also for a given number of iterations, if any."""
    places = outward(within_span(distinct(space, engine)))
    if purpose in _DIM_OF_PURPOSE:
        return _for_shapes(places, purpose, engine)
    if places.n > 3 and purpose == "modes":
        return _for_modes(places, engine)
    if places.n > 3 and not n_iter:
        return _for_clusters(places, engine)
    scale = scale_of(places, engine)
    lam, n_iter = (0.0, _N_ITER_OF_MODES) if purpose == "modes" else (_LAM, n_iter) if n_iter else (_LAM_IF_STILL, 0)
    return Suggestion(float(scale), lam, n_iter, purpose, scale.reason, {}, None, places.n)


def _for_clusters(places: Space, engine: Engine) -> Suggestion:
    """A radius for points that do not move: wide, but not a large part of the data, as in many dimensions."""
    n, k = places.n, n_neighbors(places.n)
    eps, among = _EPS_OF_SCALE * median_radius(places, k, engine), f"nearest of {n:,} places"
    reason = f"{_EPS_OF_SCALE:g} times the median distance to the {ordinal(k)} {among}"
    columns = _count_neighbors(places, eps * _RADII, engine)
    most = min(max(_MAX_IN_BALL, int(_MAX_SHARE_IN_BALL * n)), n - 1)
    if columns["neighbors"][_CHOSEN_RADIUS] > most:
        eps = median_radius(places, most, engine)
        reason = f"the median distance to the {ordinal(most)} {among}, which are a large part of them"
        columns = _count_neighbors(places, eps * _RADII, engine)
    lam, reason = _LAM_IF_STILL, f"{reason}; points do not move"
    if places.points is not None and places.points.shape[1] > _MAX_AXES_OF_LAM:
        lam, reason = _LAM, f"{reason}; covariances of so few points are rough: small λ"
    return Suggestion(eps, lam, 0, "clusters", reason, columns, _CHOSEN_RADIUS, n)


def _count_neighbors(places: Space, radii: Floats, engine: Engine) -> dict[str, list[Any]]:
    """For each radius, count the places within it of a typical place, itself included, and the fraction alone."""
    centers = sample_evenly(places.n, int(np.clip(_MAX_DISTANCES / places.n, _MIN_COUNTED, _MAX_COUNTED)))
    counts = np.empty((len(centers), len(radii)))
    for part, rows in rows_of(places, centers, engine):
        counts[part] = np.column_stack([np.count_nonzero(rows <= r, axis=1) for r in radii * (1 + 1e-12)])
    typical, alone = np.median(counts, axis=0), np.mean(counts <= 1, axis=0)
    columns = {"eps": radii, "neighbors": typical, "share": typical / places.n, "alone": alone}
    return {name: column.tolist() for name, column in columns.items()}


def _for_modes(places: Space, engine: Engine) -> Suggestion:
    """A radius at which mean shift of a sample finds the same clusters as at neighboring radii."""
    assert places.points is not None  # checked by the callers
    rows = sample_evenly(places.n, _MAX_MOVED)
    points, weights = places.points[rows], places.weights[rows]
    sample = Space(Euclidean(points), weights / weights.sum(), points)
    smallest = median_radius(sample, n_neighbors(sample.n), engine)
    columns: dict[str, list[Any]] = {"eps": [], "clusters": [], "held": []}
    labels = list[Ints]()
    while len(labels) < _MAX_RADII and (
        not labels or labels[-1].any()
    ):  # after one cluster, larger radii give one, too
        engine.check()
        eps = smallest * _RADIUS_STEP ** len(labels)
        trajectory = iterate(mean_shift(eps), sample, n_iter=_N_ITER, tol=_TOL, merge=_MERGE, engine=engine.silent())
        labels.append(components_within(trajectory.last, eps)[0])
        mass = np.bincount(labels[-1], weights=sample.weights)
        large = mass[mass >= _MIN_CLUSTER_MASS]
        for name, value in (("eps", eps), ("clusters", len(large)), ("held", float(large.sum()))):
            columns[name].append(value)
    columns["stability"] = [adjusted_rand(a, b) for a, b in pairwise(labels)] + [1.0]
    chosen, reason = _choose_radius(columns["eps"], columns["clusters"], columns["stability"])
    return Suggestion(columns["eps"][chosen], 0.0, _N_ITER_OF_MODES, "modes", reason, columns, chosen, places.n)


def _choose_radius(radii: list[float], clusters: list[int], stability: list[float]) -> tuple[int, str]:
    """Return the middle of the first long range of radii that find the same clusters.

    Without a long range it is the longest one; without any, the radius from which on there is one cluster.
    """
    ranges = _stable_ranges(np.array(clusters), np.array(stability))
    if not ranges:
        reason = "no two neighboring radii find the same clusters: from this radius on there is one cluster"
        return len(radii) - 1, reason
    long = [(first, last) for first, last in ranges if last - first >= _MIN_STEPS]
    first, last = long[0] if long else max(ranges, key=lambda ends: ends[1] - ends[0])
    middle = (first + last) // 2  # near the end of a range, single points between two clusters draw them together
    same = counted(clusters[middle], "cluster")
    reason = f"radii from {radii[first]:.4g} to {radii[last]:.4g} find the same {same}"
    return middle, reason if long else f"{reason}, though that range is short"


def _stable_ranges(clusters: Ints, stability: Floats) -> list[tuple[int, int]]:
    """Return the first and last radius of each range over which two or more clusters stay the same."""
    same = (stability[:-1] >= _MIN_AGREEMENT) & (clusters[:-1] > 1) & (clusters[1:] > 1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(int), [0]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def _for_shapes(places: Space, purpose: Purpose, engine: Engine) -> Suggestion:
    """The radius at which the spread across lines or planes is that of the noise."""
    noise = noise_of(places, _DIM_OF_PURPOSE[purpose], engine)
    measured = {"eps": noise.radii, "neighbors": noise.counts, "noise": noise.sigmas, "thickness": noise.thickness}
    columns = {name: column.tolist() for name, column in measured.items()} if len(noise.radii) else {}
    chosen = next(iter(np.flatnonzero(noise.radii == noise.eps).tolist()), None)
    return Suggestion(noise.eps, _LAM, 1, purpose, noise.reason, columns, chosen, places.n)
