"""Partitions that are compared: a record of each one, and what all of them have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array

from .._archive import archived, check_array, check_range, check_type
from .._types import Bools, Floats, Ints, cached_property
from ..compute.trees.partitions_jit import compare_partitions
from ..engine import Engine
from ..hierarchy.labels import index_of, number_by_first
from .description import Runs
from .recipes import KINDS, Candidate, Recipe

archived(Recipe)


@archived
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
    value : float
        What the judge predicts, by which partitions are ordered: about its adjusted Rand index.
    expected : float
        The mean adjusted Rand index of partitions of this value that were chosen on generated sets.
    criteria : dict of str to float
        The measured criteria, by name; `clustering/criteria.py` defines them.
    reason : str
        Of an alternative, the reason in words.
    labels, is_noise, probabilities : arrays of shape (k,), or None
        Of an alternative, for each place its cluster, whether it is noise there, and how sure that is.
    """

    recipe: Recipe
    votes: int
    n_clusters: int
    value: float
    expected: float
    criteria: dict[str, float]
    reason: str = ""
    labels: Ints | None = None
    is_noise: Bools | None = None
    probabilities: Floats | None = None

    def _check_archived(self) -> None:
        check_type(self.n_clusters, "n_clusters", int)
        check_type(self.reason, "reason", str)
        check_recipe(self.recipe)

    @property
    def answer(self) -> dict[str, Any]:
        """What a `Clustering` has of it."""
        return {
            "n_clusters": self.n_clusters, "recipe": self.recipe, "reason": self.reason, "is_noise": self.is_noise,
            "labels_of_places": self.labels, "probabilities_of_places": self.probabilities,
        }  # fmt: skip

    @property
    def alone(self) -> Partition:
        """The same, without what only alternatives have."""
        return self._replace(reason="", labels=None, is_noise=None, probabilities=None)


def check_recipe(recipe: Any) -> None:
    """Reject anything but a stored recipe of a known kind."""
    check_type(recipe, "recipe", Recipe)
    for value, default in zip(recipe, ("", *Recipe._field_defaults.values()), strict=True):
        check_type(value, "a part of a recipe", type(default))
    if recipe.kind not in KINDS:
        raise ValueError(f"a recipe must be one of {', '.join(KINDS)}, got {recipe.kind!r}")


def check_answer(labels: Any, is_noise: Any, probabilities: Any, k: int, n_clusters: int) -> None:
    """Reject anything but stored labels, noise and probabilities of k places."""
    check_array(labels, "labels of places", "i", k)
    check_range(labels, "labels of places", 0, n_clusters - 1)
    check_array(is_noise, "noise of places", "b", k)
    check_array(probabilities, "probabilities of places", "f", k)


class Overlaps(NamedTuple):
    """What a partition shares with each of several partitions.

    Attributes
    ----------
    squares : array of shape (n_partitions,)
        Sums of the squared masses of the intersections of clusters.
    main : array of shape (n_clusters,)
        For each cluster of all partitions, the cluster of the one that holds most of it.
    agreement : array of shape (n_partitions,)
        Adjusted Rand indices, by mass: over pairs of units of mass.
    """

    squares: Floats
    main: Ints
    agreement: Floats


@dataclass(frozen=True, eq=False)
class Partitions:
    """Different partitions of the same points.

    Attributes
    ----------
    labels : list of arrays of shape (n,)
        Clusters by number.
    recipes : list of lists of Recipe
        Those that gave each partition, the simplest first.
    mass : array of shape (n,)
        Masses of the points.
    gaps : array
        The widest step in the heights of a tree at which a partition was cut.
    values, expected, criteria
        What they are worth, once that is known.
    strengths : sparse array, or None
        Of links between points, if the clusters are communities of a graph.
    """

    labels: list[Ints]
    recipes: list[list[Recipe]]
    mass: Floats
    gaps: Floats
    values: Floats
    expected: Floats
    criteria: dict[str, Floats]
    strengths: csr_array | None = None

    @classmethod
    def of(cls, candidates: list[Candidate], mass: Floats, strengths: csr_array | None = None) -> Self:
        """Group candidates by equal partitions."""
        groups: dict[bytes, list[Candidate]] = {}
        for one in candidates:
            groups.setdefault(one.labels.tobytes(), []).append(one)
        members, nothing = list(groups.values()), np.zeros(len(groups))
        recipes = [sorted((one.recipe for one in group), key=_simplicity) for group in members]
        gaps = np.array([max(one.gap for one in group) for group in members])
        return cls([group[0].labels for group in members], recipes, mass, gaps, nothing, nothing, {}, strengths)

    def valued(self, values: Floats, expected: Floats, criteria: dict[str, Floats]) -> Self:
        """Return them with their values, best first."""
        order = np.argsort(-values, kind="stable")
        labels, recipes = [self.labels[at] for at in order], [self.recipes[at] for at in order]
        criteria = {name: column[order] for name, column in criteria.items()}
        values, expected, gaps = values[order], expected[order], self.gaps[order]
        return replace(
            self, labels=labels, recipes=recipes, gaps=gaps, values=values, expected=expected, criteria=criteria
        )

    @cached_property
    def runs(self) -> Runs:
        """Where the clusters of each partition are, if all clusters are numbered in one sequence."""
        return Runs.of(self.labels)

    @property
    def counts(self) -> Ints:
        """The numbers of clusters."""
        return self.runs.counts

    @cached_property
    def votes(self) -> Ints:
        """The numbers of recipes."""
        return np.array([len(group) for group in self.recipes])

    @cached_property
    def codes(self) -> Ints:
        """The clusters of each point, numbered in one sequence."""
        return np.array(self.labels) + self.runs.starts[:, None]

    @cached_property
    def squares(self) -> Floats:
        """The sums of the squared masses of clusters."""
        return np.array([(np.bincount(one, weights=self.mass) ** 2).sum() for one in self.labels])

    def overlaps(self, one: Ints, n: int | None = None) -> Overlaps:
        """Compare a partition with these, or with the first n of them."""
        codes, own = self.codes[:n], np.bincount(one, weights=self.mass)
        total, starts = int(codes[-1].max()) + 1, np.concatenate([[0], np.cumsum(np.bincount(one))])
        squares, main = np.empty(len(codes)), np.empty(total, np.intp)
        held, most = np.zeros((2, total))
        compare_partitions(codes, np.argsort(one, kind="stable"), starts, self.mass, held, most, squares, main)
        return Overlaps(squares, main, index_of(squares, self.squares[:n], (own**2).sum(), self.mass.sum()))

    def agreement(self, one: Ints) -> Floats:
        """Return the adjusted Rand index of a partition with each of these, by mass."""
        return self.overlaps(one).agreement

    def take(self, some: Ints) -> Partitions:
        """Return the partitions of some of the points."""
        labels = [number_by_first(one[some]) for one in self.labels]
        return replace(self, labels=labels, mass=self.mass[some], strengths=None)

    def record(self, at: int) -> Partition:
        """Return the record of one."""
        criteria = {name: float(column[at]) for name, column in self.criteria.items()}
        values = float(self.values[at]), float(self.expected[at])
        return Partition(self.recipes[at][0], int(self.votes[at]), int(self.counts[at]), *values, criteria)


def _simplicity(recipe: Recipe) -> tuple[float, ...]:
    of_transform = recipe.n_iter, recipe.lam, recipe.factor
    return KINDS.index(recipe.kind), recipe.axes, recipe.reach, *of_transform, -recipe.share


def adjusted_rand(partitions: Partitions, engine: Engine) -> Floats:
    """Return the adjusted Rand index of every two partitions, by mass: over pairs of units of mass."""
    n = len(partitions.codes)
    rows = engine.silent().map(lambda at, _: partitions.overlaps(partitions.labels[at], at + 1), range(n), "criteria")
    squares = np.zeros((n, n))
    squares[np.tril_indices(n)] = np.concatenate([row.squares for row in rows])
    squares = squares + np.tril(squares, -1).T
    return index_of(squares, np.diag(squares)[:, None], np.diag(squares), partitions.mass.sum())
