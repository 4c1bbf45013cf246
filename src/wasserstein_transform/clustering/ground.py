"""What all candidates start from: distinct places in a fixed order, coordinates, neighbors, a unit of length; noise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .._archive import archived, check_array, check_range, check_type
from .._types import Bools, Floats, Ints
from ..compute import KNeighbors, lexical_order, sample_evenly
from ..engine import Engine, one_blas_thread
from ..hierarchy.labels import number_by_mass
from ..localize.scale import far_sums
from ..spaces import Euclidean, Space, nearest_among, quotient, span_of, within_span
from ..tables.features import are_directions
from ..transforms.scaling import Scaling
from .given import read_neighbors

NEIGHBORS = 15
LINKS, STEP_NEIGHBORS = 15, 20  # with many columns: nearest others that a point is linked to, and moves to the mean of
MANY_COLUMNS = 48  # from here on, clusters are communities of the neighbor graph
_TENTH = 10  # the neighbor whose distance tells how dense points are
_AXES = 8  # more axes are reduced: covariances of a few neighbors determine no more
_WIDE_FROM = 4  # coordinates: from here on there are other views of them
_SOME_AXES = 5
_FEW_AXES = 3
_ALL_AXES = 64
_MATRICES = 7  # n × n matrices in memory during a scaling, including LAPACK's workspace
_VARIANCE = 0.95  # fraction that the reduced axes keep, if so few suffice


@archived
class Ground(NamedTuple):
    """Places with mass.

    Attributes
    ----------
    space : Space
        The places with the given metric.
    points : array of shape (n, m)
        Coordinates: those given, their principal axes, or the classical scaling of distances.
    mass : array of shape (n,)
        Masses in units of their mean: they sum to n.
    indices, distances : arrays of shape (n, k)
        The nearest other places by coordinates.
    note : str
        What was reduced, if anything.
    views : tuple of arrays of shape (n, ...)
        With four or more coordinates, other views of the places: their first five and three principal axes, and all.
    """

    space: Space
    points: Floats
    mass: Floats
    indices: Ints
    distances: Floats
    note: str
    views: tuple[Floats, ...] = ()

    def _check_archived(self) -> None:
        check_type(self.space, "the space of places", Space)
        n = self.space.n
        check_array(self.points, "coordinates", "f", n, None)
        check_array(self.mass, "mass", "f", n)
        check_array(self.indices, "neighbors", "i", n, None)
        check_range(self.indices, "neighbors", 0, n - 1)
        check_array(self.distances, "distances", "f", *self.indices.shape)
        check_type(self.note, "note", str)

    @property
    def n(self) -> int:
        """Number of places."""
        return len(self.mass)

    @property
    def unit(self) -> float:
        """The median distance to the tenth neighbor: the unit of radii."""
        return float(np.median(self.to_tenth)) or 1.0

    @property
    def to_tenth(self) -> Floats:
        """The distance of each place to its tenth neighbor, or the last one."""
        return self.distances[:, min(_TENTH, self.distances.shape[1]) - 1]

    @property
    def all_points(self) -> Floats:
        """All coordinates."""
        return self.views[-1] if len(self.views) > 2 else self.points

    @classmethod
    def of(cls, places: Space, engine: Engine) -> Ground:
        """Prepare at least two distinct places."""
        with one_blas_thread():
            points, note = _coordinates(places, engine)
            views = _views(places, points)
        metric = Euclidean(points)
        distances, indices = near = metric.neighbors(min(NEIGHBORS, places.n - 1), engine=engine)
        metric.derived.neighbors = near
        mass = places.weights * (places.n / places.weights.sum())
        space = Space(metric, places.weights, points) if places.metric.is_euclidean else places
        return cls(space, points, mass, indices, distances, note, views)

    @classmethod
    def of_neighbors(cls, places: Space, engine: Engine, given: KNeighbors | None = None) -> Ground:
        """Prepare places with their neighbors on all coordinates, or with given ones."""
        assert places.points is not None
        metric, mass = Euclidean(places.points), places.weights * (places.n / places.weights.sum())
        distances, indices = given or metric.neighbors(min(STEP_NEIGHBORS, places.n - 1), engine=engine)
        return cls(Space(metric, places.weights, places.points), places.points, mass, indices, distances, "")


def _coordinates(places: Space, engine: Engine) -> tuple[Floats, str]:
    """Return coordinates, at most eight, and a note if they are others than those given."""
    points, weights = places.points, places.weights
    if points is None:
        need = f"the classical scaling of {places.n} places"
        engine.reserve(8.0 * _MATRICES * places.n**2, need, "use fewer points, or give coordinates")
        kept = _leading(Scaling.of(places.metric.dense(engine), weights / weights.sum()).points, weights)
        return kept, f"coordinates are the first {_axes(kept)} of the classical scaling of the distances"
    if points.shape[1] <= _AXES:
        return points, ""
    kept = np.ascontiguousarray(_leading(_turned(points, weights), weights))
    return kept, f"{points.shape[1]} dimensions were reduced to their first principal {_axes(kept)}"


def _views(places: Space, points: Floats) -> tuple[Floats, ...]:
    """Return the first five and three principal axes, and all up to 64; nothing in up to three dimensions."""
    if points.shape[1] < _WIDE_FROM:
        return ()
    turned = _turned(points if places.points is None else places.points, places.weights)[:, :_ALL_AXES]
    kept = [_SOME_AXES, _FEW_AXES] + [turned.shape[1]] * (turned.shape[1] > points.shape[1])
    return tuple(np.ascontiguousarray(turned[:, :count]) for count in kept)


def _axes(kept: Floats) -> str:
    return "axis" if kept.shape[1] == 1 else f"{kept.shape[1]} axes"


def _leading(points: Floats, weights: Floats) -> Floats:
    """Return the leading axes that hold most of the variance, at most 8."""
    held = np.cumsum(np.average(points**2, axis=0, weights=weights))
    return points[:, : min(_AXES, int(np.searchsorted(held, _VARIANCE * held[-1])) + 1)]


def _turned(points: Floats, weights: Floats) -> Floats:
    """Return coordinates along the principal axes."""
    centered = points - np.average(points, axis=0, weights=weights)
    _, axes = np.linalg.eigh(centered.T @ (centered * weights[:, None]))
    return np.asarray(centered @ axes[:, ::-1])


def moved_to_neighbors(points: Floats, mass: Floats, indices: Ints, rows: Ints) -> Floats:
    """Some points, moved to the means of their nearest and themselves; directions stay directions."""
    near = np.column_stack([rows, indices[rows]])
    n, k = near.shape
    weights = mass[near] / mass[near].sum(axis=1, keepdims=True)
    moved = csr_array((weights.ravel(), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, len(points))) @ points
    if are_directions(points):
        moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-300)
    return np.asarray(moved)


LARGEST = {1: 10_000, 2: 10_000, 3: 2_000}
"""Number of places, by number of coordinates, above which only a sample is clustered."""
_WIDE = 2_000  # the same with more coordinates
_ROWS = 1 << 14  # whose neighbors vote at a time
_MANY = 10_000  # and with many columns: 30 points of each of 300 groups
_FEWEST, _FEWEST_DIRECTIONS = 500, 200  # places with many columns whose neighbor graph is cut


class Places(NamedTuple):
    """At most `LARGEST` distinct places with mass, in an order that does not depend on the order of the rows.

    Attributes
    ----------
    space : Space
        The places, with coordinates in the dimension that all of them span.
    place : array of shape (n_rows,)
        The place of each row; the nearest place if the row is not in the sample or has no mass.
    rows : array of shape (n,)
        One row at each place.
    mass : array of shape (n,)
        Mass of the rows of each place; unlike that of the space, it counts the rows that are not in the sample.
    n_all : int
        Number of distinct places with mass before sampling.
    left, near : arrays of shape (n_left,) and (n_left, k)
        The rows that are not in the sample, and the places nearest to them.
    has_many_columns : bool
        Whether they have so many columns that clusters are communities of the neighbor graph.
    given : KNeighbors, optional
        Their nearest others, if the caller knows them.
    by_coordinates : array of shape (n,), optional
        The places sorted by coordinates, if their order is another.
    """

    space: Space
    place: Ints
    rows: Ints
    mass: Floats
    n_all: int
    left: Ints
    near: KNeighbors
    has_many_columns: bool
    given: KNeighbors | None = None
    by_coordinates: Ints | None = None

    @classmethod
    def of(cls, space: Space, engine: Engine) -> Places:
        """Return the places of a space."""
        if space.points is not None:
            n_bytes = space.n * (96.0 + 24.0 * space.points.shape[1])
            engine.reserve(n_bytes, f"the different places of {space.n} points", "cluster a part of them")
        heavy = np.flatnonzero(space.weights > 0)
        merged = quotient(space if len(heavy) == space.n else space.take(heavy), engine=engine)
        assert merged.leaders is not None
        points = merged.space.points
        kept = lexical_order(far_sums(merged.space, engine)[:, None] if points is None else points)
        has_many_columns = _spans_many(merged.space, kept)
        sorted_places = merged.space if has_many_columns else within_span(merged.space.take(kept))
        if points is not None and not has_many_columns:
            from_middle = _order_from_middle(sorted_places)
            kept, sorted_places = kept[from_middle], sorted_places.take(from_middle)
        n_columns = _AXES if sorted_places.points is None else sorted_places.points.shape[1]
        largest = _MANY if has_many_columns else LARGEST.get(n_columns, _WIDE)
        if len(kept) > largest:
            sample = np.sort(np.random.default_rng(0).choice(len(kept), largest, replace=False))
            kept, sorted_places = kept[sample], sorted_places if has_many_columns else sorted_places.take(sample)
        sorted_places = merged.space.take(kept) if has_many_columns else sorted_places
        rows, rank = heavy[merged.leaders[kept]], np.full(merged.space.n, -1)
        rank[kept] = np.arange(len(kept))
        place = np.full(space.n, -1)
        place[heavy] = rank[merged.labels]
        left, n_near = np.flatnonzero(place < 0), min(LINKS if has_many_columns else 1, len(rows))
        distances, nearest = nearest_among(space.metric, left, rows, n_near, engine)
        near = KNeighbors(distances, place[nearest])
        place[left] = near.indices[:, 0]
        mass = np.bincount(place, weights=space.weights, minlength=len(rows)).astype(np.float64)
        by_coordinates = None if points is None else lexical_order(points[kept])
        return cls(sorted_places, place, rows, mass, merged.space.n, left, near, has_many_columns, None, by_coordinates)

    @classmethod
    def of_rows(cls, space: Space, neighbors: Any) -> Places:
        """Return the rows, also equal ones, as places with given neighbors."""
        if space.points is None or not _spans_many(space, np.arange(space.n)) or space.weights.min() <= 0:
            got = "distances" if space.points is None else f"shape {space.points.shape}"
            raise ValueError(
                f"neighbors= needs {_FEWEST} points of {MANY_COLUMNS} columns or more, or {_FEWEST_DIRECTIONS} of "
                f"length 1, without covariances, gaps or weights of 0, got {got}; leave it out"
            )
        near, rows = read_neighbors(neighbors, space.n, STEP_NEIGHBORS), lexical_order(space.points)
        place = np.argsort(rows)
        given = KNeighbors(near.distances[rows], place[near.indices[rows]])
        none = KNeighbors(given.distances[:0], given.indices[:0])
        return cls(space.take(rows), place, rows, space.weights[rows], space.n, rows[:0], none, True, given)

    def number(self, labels: Ints, mass: Floats) -> Ints:
        """Number clusters from the largest mass to the smallest, equal ones by their smallest coordinates."""
        if self.by_coordinates is None:
            return number_by_mass(labels, mass)
        found = np.empty_like(labels)
        found[self.by_coordinates] = number_by_mass(labels[self.by_coordinates], mass[self.by_coordinates])
        return found

    def following(self, labels: Ints) -> Places:
        """Give rows that are not in the sample to the cluster that most of their neighbors have."""
        place = self.place.copy()
        place[self.left] = nearest_of_most(self.near, labels)
        return self._replace(place=place)


def _order_from_middle(places: Space) -> Ints:
    """Return the order by distance to the mean, which no rotation changes; equally far ones stay as they are."""
    assert places.points is not None
    squares = ((places.points - np.average(places.points, axis=0, weights=places.weights)) ** 2).sum(axis=1)
    return np.argsort(np.round(squares / max(squares.max(), 1e-300), 9), kind="stable")


def nearest_of_most(near: KNeighbors, labels: Ints) -> Ints:
    """Return, for each point, its nearest neighbor in the cluster that most of its neighbors have.

    A neighbor at distance 0 is the point itself, and decides alone.
    """
    found = np.empty(len(near.indices), np.intp)
    for rows in np.array_split(np.arange(len(found)), len(found) // _ROWS + 1):
        own = labels[near.indices[rows]]
        votes = (own[:, :, None] == own[:, None, :]).sum(axis=2)
        votes[near.distances[rows] == 0] = own.shape[1] + 1
        found[rows] = near.indices[rows, votes.argmax(axis=1)]
    return found


def _spans_many(places: Space, order: Ints) -> bool:
    """Whether there are many places, and some of them, taken in the given order, span many dimensions already."""
    if places.points is None or not places.metric.is_euclidean:
        return False
    n_columns, directions = places.points.shape[1], are_directions(places.points)
    if places.n < (_FEWEST_DIRECTIONS if directions else _FEWEST) or (n_columns < MANY_COLUMNS and not directions):
        return False
    least = min(n_columns, MANY_COLUMNS)
    span = span_of(places.points[order[sample_evenly(places.n, 2 * least)]])
    return span is None or span.axes.shape[1] >= least


_SPREADS = 3.0  # standard deviations of log distances above the median of the cluster
_LEAST = np.log(1.7)  # and at least this much: even clusters have hardly any spread


def thin_places(ground: Ground, labels: Ints) -> Bools:
    """Return the places whose log distance to the tenth neighbor is far above the median of their cluster."""
    tenth, thin = np.log(np.maximum(ground.to_tenth, 1e-12 * ground.unit)), np.zeros(ground.n, bool)
    for c in range(int(labels.max()) + 1):
        own = labels == c
        middle = float(np.median(tenth[own]))
        low = tenth[own][tenth[own] <= middle]  # noise is in the upper half
        spread = 1.4826 * float(np.median(middle - low))  # a standard deviation
        thin[own] = tenth[own] > middle + max(_SPREADS * spread, _LEAST)
    return thin


def sparsest_places(ground: Ground, labels: Ints, mass: Floats, share: float) -> Bools:
    """Return the places farthest from their tenth neighbor, compared with their cluster, of at most a share of mass."""
    tenth, thin = ground.to_tenth, np.zeros(ground.n, bool)
    middles = np.array([np.median(tenth[labels == c]) for c in range(int(labels.max()) + 1)])
    ratio = tenth / np.maximum(middles, 1e-12 * ground.unit)[labels]
    order = np.argsort(-ratio, kind="stable")
    thin[order] = np.cumsum(mass[order]) <= share * mass.sum() * (1 + 1e-9)
    return np.asarray(thin & (ratio > 1))  # half of each cluster remains
