"""The result of `cluster`: labels, the explanation of the choice, and how it is kept in files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

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
from .partitions import Partition, check_answer, check_recipe
from .profile import Profile, profile_of
from .recipes import Recipe
from .uncertain import gaussians_of, new_points

_DISTANCES = 1 << 22  # distances in memory at a time
_TOGETHER = 1e-6  # relative to the unit: places this close at the end of a flow are one
_GUESS = 0.5
_SURE = ((0.9, "very sure"), (0.7, "fairly sure"), (_GUESS, "unsure"), (-np.inf, "a guess"))
"""Words for the expected adjusted Rand index, from the least on."""
_NEARLY = 0.05  # difference of values up to which another number of clusters is nearly as good
_LISTED = 10  # sizes in a sentence
_COMPARED = 1000  # places of a cluster among which a typical row is found
_NONE = type(None)
_KINDS = (
    ("space", Space), ("n_clusters", int), ("reason", str), ("recipe", Recipe, _NONE), ("ground", Ground, _NONE),
    ("tree", Tree, _NONE), ("chosen", int, _NONE), ("features", Features, _NONE), ("judge", int, _NONE),
)  # fmt: skip
"""Of what is stored."""


def _how_sure(expected: float) -> str:
    return next(words for least, words in _SURE if expected >= least)


def _fullest(labels: Ints, others: Ints) -> Ints:
    """Return, for each cluster, the one of the others that has most of its points; −1 if none has."""
    n_others, counted = int(others.max(initial=-1)) + 1, (labels >= 0) & (others >= 0)
    codes = labels[counted] * n_others + others[counted]
    counts = np.bincount(codes, minlength=(int(labels.max()) + 1) * n_others).reshape(-1, max(n_others, 1))
    return np.where(counts.max(axis=1) > 0, counts.argmax(axis=1), -1)


@archived
@dataclass(frozen=True, eq=False, repr=False)
class Clustering(HasReport):
    """Clusters, how sure they are, and other answers; `cluster` returns it.

    Attributes
    ----------
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
    place : array of int, shape (n,)
        The place of each row; −1 for rows with missing cells.
    labels_of_places : array of int, shape (k,)
        Clusters of these places; noise has the cluster that it is near.
    is_noise : array of bool, shape (k,)
        Which of these places are noise.
    probabilities_of_places : array of shape (k,)
        The confidence in their labels.
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

    n_clusters: int
    reason: str
    space: Space
    rows: Ints
    place: Ints
    labels_of_places: Ints
    is_noise: Bools
    probabilities_of_places: Floats
    recipe: Recipe | None = None
    partitions: tuple[Partition, ...] = ()
    ground: Ground | None = None
    tree: Tree | None = None
    named: str | None = None
    notes: tuple[str, ...] = ()
    chosen: int | None = None
    features: Features | None = None
    membership_of_places: Floats | None = None
    judge: int | None = None

    def _check_archived(self) -> None:
        for name, *kinds in _KINDS:
            check_type(getattr(self, name), name, *kinds)
        for note in self.notes:
            check_type(note, "a note", str)
        for one in self.partitions:
            check_type(one, "a partition", Partition)
        n, k = self.space.n, len(self.rows)
        check_array(self.rows, "rows", "i", None)
        check_range(self.rows, "rows", 0, n - 1)
        check_array(self.place, "places", "i", n)
        check_range(self.place, "places", -1, k - 1)
        check_answer(self.labels_of_places, self.is_noise, self.probabilities_of_places, k, self.n_clusters)
        for what, held, wanted in (("tree", self.tree, k), ("ground", self.ground, k), ("table", self.features, n)):
            if held is not None and held.n != wanted:
                raise ValueError(f"the {what} has {held.n} rows, but {wanted} were clustered")
        check_recipe(self.recipe or Recipe("tree"))
        if self.named is not None:
            known_name(self.named)
            if self.space.points is None:
                raise ValueError(f"the distance {self.named!r} needs coordinates, and the space has none")
        if self.chosen is not None:
            check_range(self.chosen, "the chosen partition", 0, len(self.partitions) - 1)
        if self.membership_of_places is not None:
            check_array(self.membership_of_places, "membership", "f", k, self.n_clusters)
        for one in self._others.values():
            check_answer(one.labels, one.is_noise, one.probabilities, k, one.n_clusters)

    @cached_property
    def labels(self) -> Ints:
        """Clusters 0, 1, … by decreasing mass, without noise, shape (n,); −1 is noise.

        Of clusters with equal mass, the one with the smallest coordinates comes first, compared column by column.
        """
        return np.append(np.where(self.is_noise, -1, self.labels_of_places), -1)[self.place]

    @cached_property
    def probabilities(self) -> Floats:
        """The confidence in each label, shape (n,); 0 for noise.

        It is the fraction of the recipes, weighted by their expected quality, that put the point with the rest of its
        cluster, or, with many columns, the share of its links to neighbors that stay in it.
        """
        return np.append(self.probabilities_of_places, 0.0)[self.place]

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
        """How many clusters, how sure it is which points belong together, and which other numbers are as good."""
        said, expected, others = counted(self.n_clusters, "cluster"), self.expected, list(self._others.values())
        if self.n_clusters == 1 and others:  # the judge is asked how good splits are
            return f"{said}; {others[0].n_clusters} would be {_how_sure(others[0].expected)} ({others[0].expected:.1f})"
        if expected is None or self.n_clusters == 1:
            return said
        least = self.partitions[self.chosen or 0].value - _NEARLY
        rivals = sorted({one.n_clusters for one in others if one.value >= least} - {self.n_clusters})
        if not rivals:
            return f"{said}, {_how_sure(expected)}"
        verb = "is" if len(rivals) == 1 else "are"
        return f"{said} ({listed(rivals)} {verb} nearly as good); which points belong together is {_how_sure(expected)}"

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
        partitions = tuple(one.alone for one in self.partitions)
        bare = replace(self, tree=None, partitions=partitions, membership_of_places=None)
        return tuple(replace(bare, chosen=at, **one.answer) for at, one in self._others.items())

    @property
    def _others(self) -> dict[int, Partition]:
        """The partitions that are alternatives, by their numbers."""
        found = enumerate(self.partitions)
        return {at: one for at, one in found if one.labels is not None and at != self.chosen}

    @property
    def layers(self) -> tuple[Ints, ...]:
        """Labels of nested clusters, from coarse to fine: these, and those that alternatives make of them.

        A coarser layer joins clusters that one of an alternative mostly contains; a finer one divides clusters by those
        of an alternative that lie in them. Alternatives that would be guesses, and those of a single cluster, make no
        layer. Noise is −1 in all layers.
        """
        if self.n_clusters == 1:
            return (self.labels,)
        good = sorted((o for o in self._others.values() if o.expected >= _GUESS), key=lambda one: one.n_clusters)
        parts = [one.labels for one in good if one.labels is not None]
        layers = [own := np.where(self.is_noise, -1, self.labels_of_places)]
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
        masses = np.bincount(self.place + 1, self.space.weights, len(self.rows) + 1)[1:].astype(np.float64)
        numbered = (one if one is own else number_by_mass(one, masses) for one in layers)
        return tuple(np.append(one, -1)[self.place] for one in numbered)

    @property
    def membership(self) -> Floats:
        """How far each point belongs to each cluster, shape (n, n_clusters); rows sum to 1, of noise to 0.

        `probabilities` are the membership in the own cluster.
        """
        if self.membership_of_places is None:
            return np.where(self.labels[:, None] == np.arange(self.n_clusters), self.probabilities[:, None], 0.0)
        return np.where(self.labels[:, None] < 0, 0.0, self.membership_of_places[self.place])

    @property
    def medoids(self) -> Ints:
        """A typical row of each cluster, shape (n_clusters,): the one nearest to all others, or to 1,000 of them."""
        typical = np.empty(self.n_clusters, np.intp)
        for c in range(self.n_clusters):
            own = self.rows[(self.labels_of_places == c) & ~self.is_noise]
            own = own[sample_evenly(len(own), _COMPARED)]
            far = self.space.metric.block(own, own, current().silent()) @ self.space.weights[own]
            typical[c] = own[far.argmin()]
        return typical

    def profile(self) -> Profile:
        """Return what the clusters are: sizes, typical values of the columns, and which columns tell them apart.

        Points that are known by distances only have no columns: there are sizes and a typical row of each cluster.
        """
        return profile_of(self.labels, self.space.weights, *self.columns, self.medoids)

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

    @property
    def table(self) -> dict[str, list[Any]]:
        """The partitions as columns by name."""
        own = {"votes": "votes", "clusters": "n_clusters", "value": "value", "expected": "expected"}
        columns: dict[str, list[Any]] = {"recipe": [str(one.recipe) for one in self.partitions]}
        columns |= {name: [getattr(one, value) for one in self.partitions] for name, value in own.items()}
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
        return np.append(self.labels[self.rows], -1)[self._nearest_places(X, covariances, current(engine))]

    def membership_of(self, X: Any, engine: Engine | None = None, *, covariances: ArrayLike | None = None) -> Floats:
        """Return how far new points belong to each cluster: as the fitted point whose cluster `predict` gives them.

        Parameters
        ----------
        X : array of shape (n_new, m), DataFrame, or distances to all fitted points, shape (n_new, n)
            As for `predict`.
        engine : Engine, optional
            None means the setting of `wt.using`.
        covariances : array of shape (n_new, m) or (n_new, m, m), optional
            As for `predict`.

        Returns
        -------
        array of shape (n_new, n_clusters)
            Rows sum to 1; those of noise, or with missing cells, are 0.
        """
        known = np.append(self.membership[self.rows], np.zeros((1, self.n_clusters)), axis=0)
        return known[self._nearest_places(X, covariances, current(engine))]

    def _nearest_places(self, X: Any, covariances: ArrayLike | None, engine: Engine) -> Ints:
        """Return the nearest place of each new point; −1 for rows with missing cells."""
        new = new_points(self.features, X, covariances)
        if self.named is None:
            return self._by_distances(new)
        assert self.space.points is not None
        if new.shape[1] != self.space.points.shape[1]:
            raise ValueError(
                f"X must have {self.space.points.shape[1]} columns, as the fitted points, got {new.shape[1]}"
            )
        there, nearest = np.flatnonzero(~np.isnan(new).any(axis=1)), np.full(len(new), -1)
        step = max(1, _DISTANCES // (len(self.rows) if self.named == "euclidean" else self.space.n))
        for at in range(0, len(there), step):
            some = there[at : at + step]
            nearest[some] = self._nearest(new[some], engine)
        return nearest

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
            new = new if self._span is None else self._span.coordinates(new)
            return self._nearest_in_flow(new, follow_points(*self._flow, new, engine.silent()), engine.silent())
        if self.named != "euclidean":
            rows = cross_by_name(new, self.space.points, str(self.named), self.space.weights)
            return np.asarray(rows[:, self.rows].argmin(axis=1))
        if isinstance(self.space.metric, GaussianMetric):
            gaussians = gaussians_of(new, self.space.metric.means.shape[1])
            return self.space.metric.take(self.rows).neighbors(1, gaussians, engine.silent()).indices[:, 0]
        fitted = Euclidean(self.space.points[self.rows])
        has_links = self.ground is not None and self.ground.indices.shape[1] > NEIGHBORS  # with many columns
        near = fitted.neighbors(min(LINKS, fitted.n) if has_links else 1, Euclidean(new), engine.silent())
        return nearest_of_most(near, self.labels[self.rows])

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
        return process, cloud, iterate(process, cloud, n_iter=recipe.n_iter, keep="all", engine=current().silent())
