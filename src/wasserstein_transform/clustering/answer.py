"""The result of `cluster`: labels, the explanation of the choice, and how it is kept in files."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from .. import _check as check
from .._archive import archived, check_array, check_range, check_type
from .._display import HasReport, counted, frame, listed
from .._types import Bools, Floats, Ints, cached_property
from ..compute import sample_evenly
from ..engine import Engine, current
from ..hierarchy import Tree
from ..hierarchy.labels import number_by_mass
from ..spaces import Euclidean, GaussianMetric, Space, Span, span_of
from ..spaces.named import cross_by_name, known_name
from ..tables.features import Features
from ..transforms import Followed, Process, Trajectory, follow_points, iterate
from .ground import LINKS, NEIGHBORS, Ground, nearest_of_most
from .partitions import Partition
from .profile import Profile, profile_of
from .recipes import KINDS, Recipe
from .uncertain import gaussians_of, new_coordinates, refuse_errors

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
_GUESS = 0.5
_SURE = ((0.9, "very sure"), (0.7, "fairly sure"), (_GUESS, "unsure"), (-np.inf, "a guess"))
"""Words for the expected adjusted Rand index, from the least on."""
_NEARLY = 0.05  # difference of values up to which another number of clusters is nearly as good
_LISTED = 10  # sizes in a sentence
_COMPARED = 1000  # places of a cluster among which a typical row is found


def _how_sure(expected: float) -> str:
    return next(words for least, words in _SURE if expected >= least)


def _fullest(labels: Ints, others: Ints) -> Ints:
    """Return, for each cluster, the one of the others that has most of its points; −1 if none has."""
    n_others, counted = int(others.max(initial=-1)) + 1, (labels >= 0) & (others >= 0)
    codes = labels[counted] * n_others + others[counted]
    counts = np.bincount(codes, minlength=(int(labels.max()) + 1) * n_others).reshape(-1, max(n_others, 1))
    return np.where(counts.max(axis=1) > 0, counts.argmax(axis=1), -1)


def _numbered(labels: Ints, masses: Floats) -> Ints:
    """Return the same clusters, numbered by mass; −1 stays."""
    inside, found = labels >= 0, np.full(len(labels), -1)
    found[inside] = number_by_mass(np.unique(labels[inside], return_inverse=True)[1], masses[inside])
    return found


@archived
@dataclass(frozen=True, eq=False, repr=False)
class Clustering(HasReport):
    """Clusters, how sure they are, and other answers; `cluster` returns it.

    Attributes
    ----------
    labels : array of int, shape (n,)
        Clusters 0, 1, … by decreasing mass, without noise; −1 is noise. Of clusters with equal mass, the one with the
        smallest coordinates comes first, compared column by column.
    probabilities : array of shape (n,)
        The confidence in each label: the fraction of the recipes, weighted by their expected quality, that put the
        point with the rest of its cluster, or, with many columns, the share of its links to neighbors that stay in it;
        0 for noise.
    n_clusters : int
        Number of clusters.
    recipe : Recipe or None
        The recipe that gave the clusters; None if there was nothing to choose.
    reason : str
        The reason in words.
    partitions : tuple of Partition
        All partitions considered, best first; those that are alternatives have labels.
    space : Space
        The data.
    rows : array of int, shape (k,)
        A row of the data for each of the k distinct places that were clustered.
    labels_of_places : array of int, shape (k,)
        Clusters of these places; noise has the cluster that it is near.
    is_noise : array of bool, shape (k,)
        Which of these places are noise.
    ground : Ground or None
        Coordinates and neighbors of the places; None if there was nothing to choose.
    tree : Tree or None
        Tree of the places; None if the clusters come from no tree, or are an alternative.
    named : str or None
        Name of the metric from new points to fitted ones; None if `predict` needs distances.
    notes : tuple of str
        What was left out or reduced: a sample of the points, dimensions.
    chosen : int or None
        The number of the chosen one among the partitions; None if none of them was chosen.
    place : array of int, shape (n,), or None
        The place of each row; None if there was nothing to choose.
    features : Features or None
        How the columns were read; None for a Space and for distances. Rows with missing cells are in `space` with mass
        0; `features.rows` are the others.
    membership_of_places : array of shape (k, n_clusters), or None
        What `membership` is made of; None if there was nothing to choose, and for alternatives.
    judge : int or None
        Version of the model that chose; None if none did. `cluster(…, judge=…)` asks for an earlier one.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.cluster([[0.0], [0.1], [0.2], [5.0], [5.1]])
    >>> found.n_clusters, found.labels, found.probabilities
    (2, array([0, 0, 0, 1, 1]), array([1., 1., 1., 1., 1.]))
    >>> print(found)
    2 clusters
    3 and 2 points
    the next distance within the clusters is 48 times smaller than between them
    >>> found.predict([[4.0]])
    array([1])
    """

    labels: Ints
    probabilities: Floats
    n_clusters: int
    reason: str
    space: Space
    rows: Ints = field(repr=False)
    """A row of the data for each place that was clustered."""
    labels_of_places: Ints = field(repr=False)
    """Clusters of these places; noise has the cluster that it is near."""
    is_noise: Bools = field(repr=False)
    """Which of these places are noise."""
    recipe: Recipe | None = None
    partitions: tuple[Partition, ...] = ()
    ground: Ground | None = field(default=None, repr=False)
    tree: Tree | None = field(default=None, repr=False)
    """Tree of the places; None if the clusters come from no tree, or are an alternative."""
    named: str | None = field(default=None, repr=False)
    """Name of the metric from new points to fitted ones; None if coordinates do not determine it."""
    notes: tuple[str, ...] = ()
    chosen: int | None = None
    place: Ints | None = field(default=None, repr=False)
    """The place of each row."""
    features: Features | None = field(default=None, repr=False)
    """How the columns were read; None for a Space and for distances."""
    membership_of_places: Floats | None = field(default=None, repr=False)
    judge: int | None = None

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
        check_type(self.judge, "judge", int, type(None))
        check_array(self.rows, "rows", "i", None)
        check_range(self.rows, "rows", 0, self.space.n - 1)
        check_array(self.labels, "labels", "i", self.space.n)
        check_range(self.labels, "labels", -1, self.n_clusters - 1)
        check_array(self.labels_of_places, "labels of places", "i", len(self.rows))
        check_range(self.labels_of_places, "labels of places", 0, self.n_clusters - 1)
        check_array(self.is_noise, "noise of places", "b", len(self.rows))
        check_array(self.probabilities, "probabilities", "f", self.space.n)
        check_tree(self.tree, len(self.rows))
        check_name(self.named, self.space)
        check_type(self.features, "features", Features, type(None))
        if self.features is not None and self.features.n != self.space.n:
            raise ValueError(f"the table has {self.features.n} rows, but {self.space.n} were clustered")
        if self.ground is not None and self.ground.n != len(self.rows):
            raise ValueError(f"the ground has {self.ground.n} places, but {len(self.rows)} were clustered")
        self._check_others()

    def _check_others(self) -> None:
        k = len(self.rows)
        for note in self.notes:
            check_type(note, "a note", str)
        if self.chosen is not None:
            check_type(self.chosen, "the chosen partition", int)
            check_range(self.chosen, "the chosen partition", 0, len(self.partitions) - 1)
        if self.place is not None:
            check_array(self.place, "places", "i", self.space.n)
            check_range(self.place, "places", 0, k - 1)
        elif self._others:
            raise ValueError("alternatives need the place of each row")
        if self.membership_of_places is not None:
            check_array(self.membership_of_places, "membership", "f", k, self.n_clusters)
        for at in self._others:
            one = self.partitions[at]
            check_type(one.reason, "reason", str)
            check_array(one.labels, "labels of an alternative", "i", k)
            check_range(one.labels, "labels of an alternative", 0, one.n_clusters - 1)
            check_array(one.is_noise, "noise of an alternative", "b", k)
            check_array(one.probabilities, "probabilities of an alternative", "f", k)

    def __repr__(self) -> str:
        more = f", {self.n_noise} noise" if self.n_noise else ""
        return f"<Clustering of {counted(len(self.labels), 'point')}: {counted(self.n_clusters, 'cluster')}{more}>"

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The answer in words: verdict, sizes, notes, reason."""
        return (self.verdict, self.sizes_in_words(), *self.notes, self.reason)

    @property
    def verdict(self) -> str:
        """How many clusters, how sure that is, and which other numbers are nearly as good."""
        said, expected = counted(self.n_clusters, "cluster"), self.expected
        near = [self.partitions[at] for at in self._others]
        if self.n_clusters == 1 and near:  # the judge is asked how good splits are
            return f"{said}; {near[0].n_clusters} would be {_how_sure(near[0].expected)} ({near[0].expected:.1f})"
        if expected is None or self.n_clusters == 1:
            return said
        least = self.partitions[self.chosen or 0].value - _NEARLY
        rivals = sorted({one.n_clusters for one in near if one.value >= least} - {self.n_clusters})
        verb = "is" if len(rivals) == 1 else "are"
        return f"{said}, {_how_sure(expected)}" + f"; {listed(rivals)} {verb} nearly as good" * bool(rivals)

    @property
    def expected(self) -> float | None:
        """The expected adjusted Rand index of the clusters with the true ones; None if nothing was chosen."""
        return None if self.chosen is None else self.partitions[self.chosen].expected

    @property
    def sizes(self) -> Ints:
        """Number of points in each cluster, shape (n_clusters,)."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.n_clusters)

    @property
    def noise(self) -> float:
        """Share of the mass that is called noise."""
        weights = self.space.weights
        return float(weights[self.labels < 0].sum() / weights.sum())

    @property
    def n_noise(self) -> int:
        """Number of points that are called noise; rows with missing cells are not."""
        return int(np.count_nonzero((self.labels < 0) & (self.space.weights > 0)))

    def sizes_in_words(self) -> str:
        """Sizes of the clusters, and how many points are noise."""
        weights = self.space.weights
        if len(np.unique(weights[weights > 0])) == 1:  # rows with missing cells have no mass
            sizes, unit = [f"{size:,}" for size in self.sizes], f"point{'s' * (len(self.labels) != 1)}"
        else:
            held = np.bincount(np.maximum(self.labels, -1) + 1, weights, self.n_clusters + 1)[1:] / weights.sum()
            sizes, unit = [f"{share:.0%}" for share in held], "of the weight"
        more = len(sizes) - _LISTED
        said = f"{listed(sizes[:_LISTED])} {unit}" + f", and {counted(more, 'more cluster')}" * (more > 0)
        noise = self.n_noise
        return said + (f"; {counted(noise, 'point')} called noise ({self.noise:.1%})" if noise else "")

    @cached_property
    def alternatives(self) -> tuple[Clustering, ...]:
        """Other good answers, best first, at most five: with another number of clusters, or clearly different.

        They have labels, probabilities and noise as this one, but neither tree nor alternatives.
        """
        alone = tuple(one.alone for one in self.partitions)
        return tuple(self._alternative(at, alone) for at in self._others)

    @property
    def _others(self) -> list[int]:
        """The numbers of the partitions that are alternatives."""
        return [at for at, one in enumerate(self.partitions) if one.labels is not None and at != self.chosen]

    def _alternative(self, at: int, alone: tuple[Partition, ...]) -> Clustering:
        one = self.partitions[at]
        assert self.place is not None
        assert one.labels is not None
        assert one.is_noise is not None
        assert one.probabilities is not None
        there = np.ones(self.space.n, bool) if self.features is None else self.features.there
        labels = np.where(one.is_noise, -1, one.labels)[self.place]
        return replace(
            self, labels=np.where(there, labels, -1), n_clusters=one.n_clusters, recipe=one.recipe, reason=one.reason,
            probabilities=np.where(there, one.probabilities[self.place], 0.0), labels_of_places=one.labels,
            is_noise=one.is_noise, tree=None, chosen=at, partitions=alone, membership_of_places=None,
        )  # fmt: skip

    @property
    def layers(self) -> tuple[Ints, ...]:
        """Labels of nested clusters, from coarse to fine: these, and those that alternatives make of them.

        A coarser layer joins clusters that one of an alternative mostly contains; a finer one divides clusters by those
        of an alternative that lie in them. Alternatives that would be guesses, and those of a single cluster, make no
        layer. Noise is −1 in all layers.
        """
        if self.place is None or self.n_clusters == 1:
            return (self.labels,)
        own = np.where(self.is_noise, -1, self.labels_of_places)
        layers = [own]
        others = [self.partitions[at] for at in self._others]
        good = sorted((one for one in others if one.expected >= _GUESS), key=lambda one: one.n_clusters)
        parts = [one.labels for one in good if one.labels is not None]
        for part in reversed(parts):
            joined = np.where(layers[0] < 0, -1, _fullest(layers[0], part)[layers[0]])
            if joined.max() > 0 and len(np.unique(joined)) < len(np.unique(layers[0])):
                layers.insert(0, joined)
        for part in parts:
            finest = layers[-1]
            inside = (_fullest(part, finest)[part] == finest) & (finest >= 0)
            largest = _fullest(finest, np.where(inside, part, -1))
            undivided = int(part.max()) + 1 + finest
            rest = np.where(largest[finest] < 0, undivided, largest[finest])
            divided = np.where(finest < 0, -1, np.where(inside, part, rest))
            if len(np.unique(divided)) > len(np.unique(finest)):
                layers.append(divided)
        masses = np.bincount(self.place, self.space.weights, len(self.rows)).astype(np.float64)
        there = self.labels >= 0
        numbered = (np.where(there, _numbered(one, masses)[self.place], -1) for one in layers)
        return tuple(self.labels if one is own else other for one, other in zip(layers, numbered, strict=True))

    @property
    def membership(self) -> Floats:
        """How far each point belongs to each cluster, shape (n, n_clusters); rows sum to 1, of noise to 0.

        `probabilities` are the membership in the own cluster.
        """
        if self.membership_of_places is None or self.place is None:
            return np.where(self.labels[:, None] == np.arange(self.n_clusters), self.probabilities[:, None], 0.0)
        return np.where(self.labels[:, None] < 0, 0.0, self.membership_of_places[self.place])

    @property
    def medoids(self) -> Ints:
        """A typical row of each cluster: the one nearest to all others of the cluster, shape (n_clusters,)."""
        return self._typical_rows()

    def profile(self) -> Profile:
        """Return what the clusters are: sizes, typical values of the columns, and which columns tell them apart.

        Points that are known by distances only have no columns: there are sizes and a typical row of each cluster.
        """
        return profile_of(self.labels, self.space.weights, *self.columns, self._typical_rows())

    @property
    def columns(self) -> tuple[tuple[str, ...], Floats]:
        """Names and values of the columns that were clustered, in the units of the table."""
        if self.features is not None and not self.features.is_array:
            return self.features.names, self.features.values
        points = self.points
        if points is None:
            return (), np.empty((self.space.n, 0))
        m = points.shape[1]
        return (("x", "y", "z")[:m] if m <= 3 else tuple(f"x{k}" for k in range(1, m + 1))), points

    @property
    def points(self) -> Floats | None:
        """Coordinates of the points, without those of their errors; None if there are distances only."""
        uncertain = self.features is not None and self.features.errors is not None
        return self.features.matrix() if self.features is not None and uncertain else self.space.points

    def _typical_rows(self) -> Ints:
        """A row of each cluster whose sum of distances to its others is smallest, among at most 1,000 of its places."""
        typical = np.empty(self.n_clusters, np.intp)
        for c in range(self.n_clusters):
            own = self.rows[(self.labels_of_places == c) & ~self.is_noise]
            own = own[sample_evenly(len(own), _COMPARED)]
            far = self.space.metric.block(own, own, current().silent()) @ self.space.weights[own]
            typical[c] = own[far.argmin()]
        return typical

    @property
    def table(self) -> dict[str, list[Any]]:
        """The partitions as columns by name."""
        columns: dict[str, list[Any]] = {
            "recipe": [str(one.recipe) for one in self.partitions],
            "votes": [one.votes for one in self.partitions],
            "clusters": [one.n_clusters for one in self.partitions],
            "value": [one.value for one in self.partitions],
            "expected": [one.expected for one in self.partitions],
        }
        measured = self.partitions[0].criteria if self.partitions else {}
        names = [name for name in measured if name not in columns]  # the others are logarithms of the same numbers
        return columns | {name: [one.criteria[name] for one in self.partitions] for name in names}

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame, with a row for each partition."""
        return frame(self.table)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in self.lines) + self.profile()._repr_html_()

    def predict(self, X: Any, engine: Engine | None = None, *, covariances: ArrayLike | None = None) -> Ints:
        """Return the clusters of new points: that of the nearest fitted point, or of most of them with many columns.

        If a transform was chosen, new points are moved with the fitted ones, and the nearest is taken at the end.

        Parameters
        ----------
        X : array of shape (n_new, m), DataFrame, or distances to all fitted points, shape (n_new, n)
            Of a table, the columns that were used, by name. Distances if the metric was "precomputed", or that of a
            Space that is not Euclidean.
        engine : Engine, optional
            None means the setting of `wt.using`.
        covariances : array of shape (n_new, m) or (n_new, m, m), optional
            Standard errors or covariances of the new points, if the fitted points have them. Of a table with columns of
            errors, None (default) reads these columns.

        Returns
        -------
        array of int, shape (n_new,)
            −1 is noise, or a row with missing cells.
        """
        engine = current(engine)
        if self.features is None or self.features.errors is None:
            refuse_errors(covariances)
        if self.features is None:
            return self._predict(check.points(X, "X"), engine)
        new = self.features.transform(X)
        if self.features.errors is not None:
            new = new_coordinates(self.features, X, new, covariances)
        there, labels = ~np.isnan(new).any(axis=1), np.full(len(new), -1, np.intp)
        if there.any():
            labels[there] = self._predict(new[there], engine)
        return labels

    def membership_of(self, X: Any, engine: Engine | None = None) -> Floats:
        """Return how far new points belong to each cluster: as the fitted point whose cluster `predict` gives them.

        Parameters
        ----------
        X : array of shape (n_new, m), DataFrame, or distances to all fitted points, shape (n_new, n)
            As for `predict`.
        engine : Engine, optional
            None means the setting of `wt.using`.

        Returns
        -------
        array of shape (n_new, n_clusters)
            Rows sum to 1; those of noise, or with missing cells, are 0.
        """
        engine, found = current(engine), self.membership[self.rows]
        new = check.points(X, "X") if self.features is None else self.features.transform(X)
        there, membership = ~np.isnan(new).any(axis=1), np.zeros((len(new), self.n_clusters))
        if there.any():
            membership[there] = found[self._nearest_places(new[there], engine)]
        return membership

    def _predict(self, new: Floats, engine: Engine) -> Ints:
        return np.where(self.is_noise, -1, self.labels_of_places)[self._nearest_places(new, engine)]

    def _nearest_places(self, new: Floats, engine: Engine) -> Ints:
        if self.named is None:
            return self._by_distances(new)
        assert self.space.points is not None
        if new.shape[1] != self.space.points.shape[1]:
            raise ValueError(
                f"X must have {self.space.points.shape[1]} columns, as the fitted points, got {new.shape[1]}"
            )
        step = max(1, _DISTANCES // (len(self.rows) if self.named == "euclidean" else self.space.n))
        parts = [self._nearest(new[at : at + step], engine) for at in range(0, len(new), step)]
        return np.concatenate(parts)

    def _by_distances(self, rows: Floats) -> Ints:
        if rows.shape[1] != self.space.n:
            raise ValueError(f"X must hold distances to all {self.space.n} fitted points, got {rows.shape[1]} columns")
        if (rows < 0).any():
            raise ValueError(f"distances must not be negative, got {rows.min()}")
        return np.asarray(rows[:, self.rows].argmin(axis=1))

    def _nearest(self, new: Floats, engine: Engine) -> Ints:
        """Return the nearest place of each point."""
        assert self.space.points is not None
        if self._flow is not None:
            process, cloud, trajectory = self._flow
            new = new if self._span is None else self._span.coordinates(new)
            followed = follow_points(process, cloud, trajectory, new, engine.silent())
            return self._nearest_in_flow(new, followed, engine.silent())
        if self.named != "euclidean":
            rows = cross_by_name(new, self.space.points, str(self.named), self.space.weights)
            return np.asarray(rows[:, self.rows].argmin(axis=1))
        if isinstance(self.space.metric, GaussianMetric):
            gaussians = gaussians_of(new, self.space.metric.means.shape[1])
            return self.space.metric.take(self.rows).neighbors(1, gaussians, engine.silent()).indices[:, 0]
        fitted, many = Euclidean(self.space.points[self.rows]), self._has_many_columns
        near = fitted.neighbors(min(LINKS, fitted.n) if many else 1, Euclidean(new), engine.silent())
        return nearest_of_most(near, np.where(self.is_noise, -1, self.labels_of_places))

    def _nearest_in_flow(self, new: Floats, followed: Followed, engine: Engine) -> Ints:
        """Return the nearest place at the end of the flow; ties, and points the flow does not reach, by the start."""
        assert self.ground is not None
        rows, at_first = followed.distances(engine), cdist(new, self.ground.points)
        nearest = rows.min(axis=1, keepdims=True) + _TOGETHER * self.ground.unit
        at_first[(rows > nearest) & ~followed.massless[:, None]] = np.inf
        return np.asarray(at_first.argmin(axis=1))

    @property
    def _has_many_columns(self) -> bool:
        return self.ground is not None and self.ground.indices.shape[1] > NEIGHBORS

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
        return process, cloud, iterate(process, cloud, n_iter=recipe.n_iter, keep="all", engine=current().silent())
