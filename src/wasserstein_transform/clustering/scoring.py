"""`score`: how good labels are, without the true ones; the criteria that `cluster` chooses by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._display import HasPlot, counted, frame, table
from .._types import Floats, Ints
from ..compute import sample_evenly
from ..cuda import on_gpu
from ..engine import Engine, current
from ..hierarchy import spanning_tree
from ..spaces import Space, as_space, within_span
from ..tables.features import Features, features
from .criteria import measure_alone
from .ground import Ground

_LARGEST, _WIDE = 200_000, 30_000  # places that are scored; with more than three columns, where trees take long
_BY_DISTANCES = 2_000  # the same if there are only distances, whose scaling needs a dense matrix
_REACH = 5  # neighbors of mutual reachability


class Criterion(NamedTuple):
    """A criterion: its name in `criteria.py`, its best and worst value, and what it says."""

    name: str
    best: str
    worst: str
    meaning: str


CRITERIA = {
    "conductance": Criterion("conductance", "0", "1", "share of a cluster's edges to nearest neighbors that leave it"),
    "worst_conductance": Criterion("worst conductance", "0", "1", "the same, of the worst cluster"),
    "purity": Criterion("purity", "1", "0", "share of the ten nearest neighbors that have the same label"),
    "separation": Criterion("separation", "1", "-1", "lowest edge that leaves a cluster against long edges inside"),
    "least_separation": Criterion("least separation", "1", "-1", "the same, of the worst cluster"),
    "silhouette": Criterion("silhouette", "1", "-1", "distance to the nearest other center against the own center"),
    "valley": Criterion("valley", "0", "1", "density between centers against the lower of the two peaks"),
    "shallowest_valley": Criterion("shallowest valley", "0", "1", "the same, of the worst pair of clusters"),
    "border_density": Criterion("border density", "< 0", "> 0", "log density at borders less that of the clusters"),
    "variance_within": Criterion("variance within", "0", "1", "share of the variance that is within clusters"),
    "full_gain": Criterion("full gain", "> 0", "< 0", "log-likelihood of a Gaussian per cluster over one, less BIC"),
    "tied_gain": Criterion("tied gain", "> 0", "< 0", "the same, with one covariance for all clusters"),
    "diagonal_gain": Criterion("diagonal gain", "> 0", "< 0", "the same, with axes of the whole"),
}
_HEAD = ("criterion", "value", "best", "worst", "meaning")


@dataclass(frozen=True, eq=False, repr=False)
class Score(HasPlot):
    """How good labels are; `score` returns it.

    All criteria but the sizes leave out noise. With one cluster they are NaN, except for the sizes.

    Attributes
    ----------
    n_clusters : int
        Number of clusters.
    sizes : array of int, shape (n_clusters,)
        Number of points in each, largest first.
    noise : float
        Share of the mass with the label −1.
    conductance, worst_conductance : float
        Share of the edges of a cluster, to the ten nearest neighbors of points, that leave it (or its complement, if
        that is smaller): mean and largest. 0 is best.
    purity : float
        Share of these edges within clusters.
    separation, least_separation : float
        (a − b) / max(a, b), where a is the lowest edge of the tree of mutual reachability that leaves a cluster, and b
        the 95 % quantile of the edges inside: mean by mass, and least. From −1 to 1, as DBCV.
    silhouette : float
        (a − b) / max(a, b), where a is the distance of a point to the nearest center of another cluster, and b to its
        own: mean by mass. From −1 to 1; for compact clusters.
    valley, shallowest_valley : float
        Density between the centers of a cluster and the nearest other, relative to the lower of the two peaks: mean by
        mass, and largest. 0 is a gap, 1 none; for compact clusters.
    border_density : float
        Mean log density of points with neighbors in other clusters, less that of their cluster, per dimension. Below 0:
        borders are thin; −3 if there are none.
    variance_within : float
        Variance within clusters over that of all points.
    full_gain, tied_gain, diagonal_gain : float
        Gain in log-likelihood, per point and coordinate, of one Gaussian for each cluster over one Gaussian, less the
        price of BIC. Above 0, the clusters are worth their parameters.
    n_scored : int
        Number of distinct points that the criteria were computed from.
    notes : tuple of str
        What was left out or reduced.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> X, truth = wt.datasets.dumbbell()
    >>> found = wt.score(X, truth)
    >>> found
    <Score of 3 clusters of 200 to 300 points>
    >>> round(found.purity, 2)
    0.99
    """

    n_clusters: int
    sizes: Ints
    noise: float
    conductance: float
    worst_conductance: float
    purity: float
    separation: float
    least_separation: float
    silhouette: float
    valley: float
    shallowest_valley: float
    border_density: float
    variance_within: float
    full_gain: float
    tied_gain: float
    diagonal_gain: float
    n_scored: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, float]:
        """Return the criteria by name."""
        return {name: getattr(self, name) for name in CRITERIA}

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each criterion: its value, best, worst, and meaning."""
        return frame(dict(zip(_HEAD, zip(*self._rows, strict=True), strict=True)))

    @property
    def _rows(self) -> list[tuple[str, float, str, str, str]]:
        return [(one.name, getattr(self, name), *one[1:]) for name, one in CRITERIA.items()]

    @property
    def summary(self) -> str:
        """Number and sizes of the clusters, and the share of noise."""
        sizes = f"of {self.sizes[-1]:,} to {self.sizes[0]:,} points" if self.n_clusters > 1 else ""
        return f"{counted(self.n_clusters, 'cluster')} {sizes}".strip() + f", {self.noise:.1%} noise" * (self.noise > 0)

    def __repr__(self) -> str:
        return f"<Score of {self.summary}>"

    def __str__(self) -> str:
        lines = [f"{name:<18}{value:>7.3f}  best {best:>3}: {meaning}" for name, value, best, _, meaning in self._rows]
        return "\n".join([self.summary, *self.notes, *lines])

    def _repr_html_(self) -> str:
        rows = [(name, f"{value:.3f}", *rest) for name, value, *rest in self._rows]
        return table("; ".join([self.summary, *self.notes]), _HEAD, rows)


def score(
    X: Any,
    labels: ArrayLike,
    *,
    columns: Sequence[Any] | None = None,
    scale: str | None = "auto",
    sample_weight: ArrayLike | None = None,
    metric: str = "euclidean",
    n_jobs: int | None = None,
    engine: Engine | None = None,
) -> Score:
    """Measure how good labels are, whoever found them, without the true ones.

    These are the criteria by which `cluster` chooses among partitions, as far as they compare a partition with nothing
    else. No single one is right for all shapes: conductance, purity and separation are for clusters of any shape,
    silhouette, valley and gains for compact ones. They depend neither on the unit, nor on the order of the rows, nor on
    the numbers of the labels.

    Parameters
    ----------
    X : array of shape (n, m), DataFrame, distances of shape (n, n) for metric="precomputed", or Space
        The points. Rows with missing cells are left out.
    labels : array of int, shape (n,)
        The cluster of each point, any integers; −1 is noise.
    columns : sequence, optional
        The columns of a table to use, as for `cluster`.
    scale : {"auto", "standard", "robust", "range", None}, default "auto"
        How columns are scaled, as for `cluster`.
    sample_weight : array of shape (n,), optional
        Masses of the points. None means equal masses.
    metric : str, default "euclidean"
        Metric of the points by SciPy's name, or "precomputed".
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Score
        The criteria, with what they mean.

    Notes
    -----
    Exact neighbors and an exact tree of mutual reachability, up to 200,000 different points in up to three dimensions,
    30,000 in more, and 2,000 if only distances are known; of more, an even sample. With more than eight columns,
    distances are those of up to eight principal axes.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1, 2], 100)
    >>> X = rng.normal(size=(300, 2)) + 9 * np.eye(3)[labels][:, :2]
    >>> good, bad = wt.score(X, labels), wt.score(X, rng.permutation(labels))
    >>> good.conductance, round(good.separation, 1), round(bad.conductance, 1)
    (0.0, 0.7, 0.7)
    """
    with current(engine, n_jobs=n_jobs).progress_scope() as engine:
        space, rows, notes = _read(X, columns, scale, sample_weight, metric)
        labels = _check_labels(labels, space.n)
        held = space.weights[rows]
        kept = rows[(labels[rows] != -1) & (held > 0)]
        if not len(kept):
            raise ValueError("every point is noise (label -1): there is no cluster to score")
        _, sizes = np.unique(labels[kept], return_counts=True)
        noise = float(held[labels[rows] == -1].sum() / held.sum())
        values, n, more = _criteria(space.take(kept), labels[kept], engine)
        return Score(len(sizes), np.sort(sizes)[::-1], noise, **values, n_scored=n, notes=(*notes, *more))


def _read(
    X: Any, columns: Any, scale: str | None, sample_weight: ArrayLike | None, metric: str
) -> tuple[Space, Ints, tuple[str, ...]]:
    """Return the points, the rows without gaps, and notes."""
    if isinstance(X, Space) or metric != "euclidean" or on_gpu(X, copy=False) is not None:
        space = as_space(X, sample_weight, metric)
        return space, np.arange(space.n), ()
    read = X if isinstance(X, Features) else features(X, columns, scale=scale, sample_weight=sample_weight)
    return Space.from_points(read.matrix(), check.weights(sample_weight, read.n)), read.rows, read.notes


def _check_labels(labels: ArrayLike, n: int) -> Ints:
    given = np.asarray(labels)
    if given.shape != (n,):
        raise ValueError(f"labels must have shape ({n},), one for each point, got {given.shape}")
    if given.dtype.kind == "f" and (given == np.round(given)).all():
        given = given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise ValueError(f"labels must be integers, got {given.dtype}; np.unique(labels, return_inverse=True)[1] is")
    return np.asarray(given, np.int64)


def _criteria(space: Space, labels: Ints, engine: Engine) -> tuple[dict[str, float], int, tuple[str, ...]]:
    space, labels = _merge(space, labels)
    most = _BY_DISTANCES if space.points is None else _LARGEST if space.points.shape[1] <= 3 else _WIDE
    some, notes = sample_evenly(space.n, most), []
    if len(some) < space.n:
        notes.append(f"scored on {len(some):,} of {space.n:,} different points, an even sample")
        space, labels = space.take(some), labels[some]
    _, labels = np.unique(labels, return_inverse=True)
    k = int(labels.max()) + 1
    if k == 1:
        return dict.fromkeys(CRITERIA, float("nan")), space.n, (*notes, "one cluster: there is nothing to compare")
    engine.reserve(24.0 * space.n * k, f"distances of {space.n} points to {k} centers", "score fewer points")
    ground = Ground.of(space, engine)
    reach = spanning_tree(ground.space, engine, reachability=min(_REACH, space.n - 1))
    measured = measure_alone(ground, labels, reach, engine)
    values = {name: float(measured[one.name]) for name, one in CRITERIA.items()}
    values["variance_within"] = float(np.exp(values["variance_within"]))
    return values, space.n, (*notes, *(ground.note,) * bool(ground.note))


def _merge(space: Space, labels: Ints) -> tuple[Space, Ints]:
    """Merge equal points with equal labels, and sort them, so that the order of the rows does not matter."""
    if space.points is None or not space.metric.is_euclidean:
        return space, labels
    keys: tuple[Floats | Ints, ...] = (labels, *space.points.T[::-1])
    order = np.lexsort(keys)
    points, sorted_labels = space.points[order], labels[order]
    new = np.append(True, (points[1:] != points[:-1]).any(axis=1) | (sorted_labels[1:] != sorted_labels[:-1]))
    weights = np.add.reduceat(space.weights[order], np.flatnonzero(new))
    return within_span(Space.from_points(points[new], weights)), sorted_labels[new]
