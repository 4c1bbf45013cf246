"""The result of `cluster`: labels, the explanation of the choice, and how it is kept in files."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from scipy.spatial.distance import cdist

from ... import _check as check
from ..._archive import archived, check_array, check_range, check_type
from ..._cached import cached_property
from ..._shown import Reported, frame, import_plotting, table
from ..._types import Floats, Ints
from ...engine import Engine, current
from ...hierarchy import Tree
from ...spaces import Euclidean, Space
from ...spaces.named import cross_by_name, known_name
from ...tables.features import Features
from ...transforms import Followed, Process, Trajectory, follow_points, iterate
from ..span import Span, span_of
from .candidates import KINDS, Recipe
from .ground import Ground

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KINDS = {name: type(default) for name, default in Recipe._field_defaults.items()} | {"kind": str}


def plain_recipe(recipe: Recipe | None) -> dict[str, Any] | None:
    """Convert a recipe to a dict."""
    return None if recipe is None else recipe._asdict()


def recipe_of(plain: dict[str, Any] | None) -> Recipe | None:
    """Convert a dict to a recipe; reject invalid values."""
    if plain is None:
        return None
    recipe = Recipe(**plain)
    for name, kind in _KINDS.items():
        check_type(getattr(recipe, name), name, kind)
    if recipe.kind not in KINDS:
        raise ValueError(f"a recipe must be one of {', '.join(KINDS)}, got {recipe.kind!r}")
    return recipe


def plain_ground(ground: Ground | None) -> dict[str, Any] | None:
    """Convert a ground to a dict."""
    return None if ground is None else ground._asdict()


def ground_of(plain: dict[str, Any] | None) -> Ground | None:
    """Convert a dict to a ground; reject invalid values."""
    if plain is None:
        return None
    ground = Ground(**plain)
    check_type(ground.space, "the space of places", Space)
    check_array(ground.points, "coordinates", "f", ground.space.n, None)
    check_array(ground.mass, "mass", "f", ground.space.n)
    check_array(ground.indices, "neighbors", "i", ground.space.n, None)
    check_range(ground.indices, "neighbors", 0, ground.space.n - 1)
    check_array(ground.distances, "distances", "f", *ground.indices.shape)
    check_type(ground.unit, "unit", float)
    check_range(ground.unit, "unit", np.finfo(float).tiny)
    check_type(ground.note, "note", str)
    return ground


def check_tree(tree: Any, n: int) -> None:
    """Reject anything but a tree of n places or None."""
    check_type(tree, "tree", Tree, type(None))
    if tree is not None and tree.n != n:
        raise ValueError(f"the tree has {tree.n} places, but {n} were clustered")


def check_name(named: Any, space: Space) -> None:
    """Reject an unknown metric, and a metric of coordinates if there are none."""
    if named is not None:
        known_name(named)
        if space.points is None:
            raise ValueError(f"the distance {named!r} needs coordinates, and the space has none")


_DISTANCES = 1 << 22  # distances in memory at a time
_TOGETHER = 1e-6  # relative to the unit: places this close at the end of a flow are one
_SHOWN = 8  # partitions shown in a notebook
_CRITERIA = ("agreement", "worst conductance", "lowest reach cut", "densest border", "separation")


class Partition(NamedTuple):
    """A partition that was considered.

    Attributes
    ----------
    recipe : Recipe
        One recipe that gives it.
    votes : int
        Number of recipes that give exactly this partition.
    n_clusters : int
        Number of clusters.
    expected : float
        Its expected adjusted Rand index, lowered if the number of clusters was not given and is unlikely.
    criteria : dict of str to float
        The measured criteria, by name; `auto/clustering/criteria.py` defines them.
    """

    recipe: Recipe
    votes: int
    n_clusters: int
    expected: float
    criteria: dict[str, float]


@archived
@dataclass(frozen=True, eq=False, repr=False)
class Clustering(Reported):
    """Clusters, the reason for the choice, and the partitions that were considered; `cluster` returns it.

    Attributes
    ----------
    labels : array of int, shape (n,)
        Clusters 0, 1, … by decreasing mass, without noise; −1 is noise. Of clusters with equal mass, the one with the
        smallest coordinates comes first, compared column by column.
    probabilities : array of shape (n,)
        For each point, the fraction of the recipes, weighted by their expected quality, that put it with the rest of
        its cluster; 0 for noise.
    n_clusters : int
        Number of clusters.
    recipe : Recipe or None
        The recipe that gave the clusters; None if there was nothing to choose.
    reason : str
        The reason in words.
    partitions : tuple of Partition
        All partitions considered, best first.
    space : Space
        The data.
    rows : array of int, shape (k,)
        A row of the data for each of the k distinct places that were clustered.
    labels_of_places : array of int, shape (k,)
        Clusters of these places; noise in cluster c is −1 − c.
    ground : Ground or None
        Coordinates and neighbors of the places; None if there was nothing to choose.
    tree : Tree or None
        Tree of the places; None if the clusters come from no tree.
    named : str or None
        Name of the metric from new points to fitted ones; None if `predict` needs distances.
    features : Features or None
        How the columns were read; None for a Space and for distances. Rows with missing cells are in `space` with mass
        0; `features.rows` are the others.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.cluster([[0.0], [0.1], [0.2], [5.0], [5.1]])
    >>> found.n_clusters, found.labels, found.probabilities
    (2, array([0, 0, 0, 1, 1]), array([1., 1., 1., 1., 1.]))
    >>> print(found.reason)
    2 clusters: the next distance within them is 48 times smaller than between them
    >>> found.predict([[4.0]])
    array([1])
    """

    labels: Ints
    probabilities: Floats
    n_clusters: int
    recipe: Recipe | None
    reason: str
    partitions: tuple[Partition, ...]
    space: Space
    rows: Ints = field(repr=False)
    """A row of the data for each place that was clustered."""
    labels_of_places: Ints = field(repr=False)
    """Clusters of these places; noise in cluster c is −1 − c."""
    ground: Ground | None = field(repr=False)
    tree: Tree | None = field(repr=False)
    """Tree of the places; None if the clusters come from no tree."""
    named: str | None = field(default=None, repr=False)
    """Name of the metric from new points to fitted ones; None if coordinates do not determine it."""
    features: Features | None = field(default=None, repr=False)
    """How the columns were read; None for a Space and for distances."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done with the columns and rows of the table, in sentences."""
        return () if self.features is None else self.features.notes

    def _archive_state(self) -> dict[str, Any]:
        partitions = [{**one._asdict(), "recipe": plain_recipe(one.recipe)} for one in self.partitions]
        plain = {"recipe": plain_recipe(self.recipe), "ground": plain_ground(self.ground), "partitions": partitions}
        return {one.name: getattr(self, one.name) for one in fields(self)} | plain

    @classmethod
    def _from_archive(cls, state: dict[str, Any]) -> Self:
        partitions = tuple(Partition(**{**one, "recipe": recipe_of(one["recipe"])}) for one in state["partitions"])
        recipe, ground = recipe_of(state["recipe"]), ground_of(state["ground"])
        return cls(**{**state, "recipe": recipe, "ground": ground, "partitions": partitions})

    def _check_archived(self) -> None:
        check_type(self.space, "space", Space)
        check_type(self.n_clusters, "n_clusters", int)
        check_type(self.reason, "reason", str)
        check_array(self.rows, "rows", "i", None)
        check_range(self.rows, "rows", 0, self.space.n - 1)
        check_array(self.labels, "labels", "i", self.space.n)
        check_range(self.labels, "labels", -1, self.n_clusters - 1)
        check_array(self.labels_of_places, "labels of places", "i", len(self.rows))
        check_range(self.labels_of_places, "labels of places", -self.n_clusters, self.n_clusters - 1)
        check_array(self.probabilities, "probabilities", "f", self.space.n)
        check_tree(self.tree, len(self.rows))
        check_name(self.named, self.space)
        check_type(self.features, "features", Features, type(None))
        if self.features is not None and self.features.n != self.space.n:
            raise ValueError(f"the table has {self.features.n} rows, but {self.space.n} were clustered")
        if self.ground is not None and self.ground.n != len(self.rows):
            raise ValueError(f"the ground has {self.ground.n} places, but {len(self.rows)} were clustered")

    def __repr__(self) -> str:
        noise = int(np.count_nonzero(self.labels < 0))
        more = f", {noise} noise" if noise else ""
        clusters = f"{self.n_clusters} cluster{'s' if self.n_clusters != 1 else ''}"
        return f"<Clustering of {len(self.labels)} points: {clusters}{more}>"

    def __str__(self) -> str:
        return f"{repr(self)[1:-1]}\n{self.reason}"

    @property
    def table(self) -> dict[str, list[Any]]:
        """The partitions as columns by name."""
        columns: dict[str, list[Any]] = {
            "recipe": [str(one.recipe) for one in self.partitions],
            "votes": [one.votes for one in self.partitions],
            "clusters": [one.n_clusters for one in self.partitions],
            "expected": [one.expected for one in self.partitions],
        }
        measured = self.partitions[0].criteria if self.partitions else {}
        names = [name for name in measured if name not in columns]  # the others are logarithms of the same numbers
        return columns | {name: [one.criteria[name] for one in self.partitions] for name in names}

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame, with a row for each partition."""
        return frame(self.table)

    def _repr_html_(self) -> str:
        head = ("recipe", "votes", "clusters", "expected", *_CRITERIA)
        rows = [
            (str(one.recipe), str(one.votes), str(one.n_clusters), f"{one.expected:.2f}",
             *(f"{one.criteria[name]:.2f}" for name in _CRITERIA))
            for one in self.partitions[:_SHOWN]
        ]  # fmt: skip
        return table(f"{repr(self)[1:-1]}. {self.reason}", head, rows)

    def plot(self, *, title: str | None = None) -> Figure:
        """Draw the points and their clusters, the tree with its cut, and the partitions; needs matplotlib."""
        figure: Figure = import_plotting("clusterings").draw(self, title=title)
        return figure

    def predict(self, X: Any, engine: Engine | None = None) -> Ints:
        """Return the clusters of new points: that of the nearest fitted point.

        If a transform was chosen, new points are moved with the fitted ones, and the nearest is taken at the end.

        Parameters
        ----------
        X : array of shape (n_new, m), DataFrame, or distances to all fitted points, shape (n_new, n)
            Of a table, the columns that were used, by name. Distances if the metric was "precomputed", or that of a
            Space that is not Euclidean.
        engine : Engine, optional
            None means the setting of `wt.using`.

        Returns
        -------
        array of int, shape (n_new,)
            −1 is noise, or a row with missing cells.
        """
        engine = current(engine)
        if self.features is None:
            return self._predict(check.points(X, "X"), engine)
        new = self.features.transform(X)
        there, labels = ~np.isnan(new).any(axis=1), np.full(len(new), -1, np.intp)
        if there.any():
            labels[there] = self._predict(new[there], engine)
        return labels

    def _predict(self, new: Floats, engine: Engine) -> Ints:
        if self.named is None:
            return self._by_distances(new)
        assert self.space.points is not None
        if new.shape[1] != self.space.points.shape[1]:
            raise ValueError(
                f"X must have {self.space.points.shape[1]} columns, as the fitted points, got {new.shape[1]}"
            )
        step = max(1, _DISTANCES // (len(self.rows) if self.named == "euclidean" else self.space.n))
        parts = [self._nearest(new[at : at + step], engine) for at in range(0, len(new), step)]
        return np.maximum(self.labels_of_places[np.concatenate(parts)], -1)

    def _by_distances(self, rows: Floats) -> Ints:
        if rows.shape[1] != self.space.n:
            raise ValueError(f"X must hold distances to all {self.space.n} fitted points, got {rows.shape[1]} columns")
        if (rows < 0).any():
            raise ValueError(f"distances must not be negative, got {rows.min()}")
        return np.asarray(np.maximum(self.labels_of_places[rows[:, self.rows].argmin(axis=1)], -1))

    def _nearest(self, new: Floats, engine: Engine) -> Ints:
        """Return the nearest place of each point."""
        assert self.space.points is not None
        if self._flow is not None:
            process, cloud, walk = self._flow
            new = new if self._span is None else self._span.coordinates(new)
            followed = follow_points(process, cloud, walk, new, engine.quiet(), warns=False)
            return self._nearest_in_flow(new, followed, engine.quiet())
        if self.named != "euclidean":
            rows = cross_by_name(new, self.space.points, str(self.named), self.space.weights)
            return np.asarray(rows[:, self.rows].argmin(axis=1))
        fitted = Euclidean(self.space.points[self.rows])
        return fitted.neighbors(1, Euclidean(new), engine.quiet()).indices[:, 0]

    def _nearest_in_flow(self, new: Floats, followed: Followed, engine: Engine) -> Ints:
        """Return the nearest place at the end of the flow; ties, and points the flow does not reach, by the start."""
        assert self.ground is not None
        rows, at_first = followed.distances(engine), cdist(new, self.ground.points)
        nearest = rows.min(axis=1, keepdims=True) + _TOGETHER * self.ground.unit
        at_first[(rows > nearest) & ~followed.massless[:, None]] = np.inf
        return np.asarray(at_first.argmin(axis=1))

    @cached_property
    def _span(self) -> Span | None:
        """The subspace whose coordinates the ground has; None if they are those given."""
        assert self.ground is not None
        assert self.space.points is not None
        if self.ground.points.shape[1] == self.space.points.shape[1]:
            return None
        return span_of(np.unique(self.space.points[self.space.weights > 0], axis=0))

    @cached_property
    def _flow(self) -> tuple[Process, Space, Trajectory] | None:
        """The flow that new points follow: the chosen transform, if it works on the given coordinates."""
        ground, recipe = self.ground, self.recipe
        if ground is None or recipe is None or recipe.kind != "gaussian" or ground.note:
            return None
        process, cloud = recipe.process(ground.unit), Space.from_points(ground.points, ground.space.weights)
        return process, cloud, iterate(process, cloud, n_iter=recipe.n_iter, keep="all", engine=current().quiet())
