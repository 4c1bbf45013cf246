"""Criteria of partitions that need no labels, and the judge: a model that predicts from them how good a partition is.

No criterion depends on units or on the order of the points. Graphs are of the ten nearest neighbors; d₁₀ is the
distance to the tenth, and −m·log d₁₀ is the log density up to a constant.

The judge is a sum of small regression trees, trained on generated families of shapes only
(`benchmarks/quality/train.py`): one for points with up to three coordinates, one for tables with more, each with and
without a given number of clusters. It predicts the adjusted Rand index that partitions with similar criteria had there.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute import sample_evenly
from ..compute.trees.partitions_jit import compare_partitions
from ..engine import Engine, Flag, Tile, cut_by_size
from ..hierarchy import Tree
from ..hierarchy.labels import index_of
from .candidates import Candidate
from .description import NEAR, Runs, describe, facts_of
from .ground import Ground

_COMPARED = 2000  # places by which partitions are compared
_N_BEFORE, _N_SHAPES = 19, 21  # of the numbers of `describe`: before "clusters of those wanted", before "full gain"

NAMES = (
    "agreement", "agreement of trees", "agreement of compact", "median agreement", "votes",
    "conductance", "worst conductance", "purity",
    "edges cut", "height of cuts", "lowest cut",
    "reach edges cut", "height of reach cuts", "lowest reach cut",
    "likelihood", "variance within", "density explained", "border density", "densest border", "border",
    "turn at borders",
    "evenness", "smallest", "clusters", "clusters of those wanted", "separation", "least separation", "gap",
    "smallest share", "middle share", "largest share",
    "lasting", "plain", "reachability", "transformed", "compact", "radius", "lambda", "iterations",
    "full gain", "tied gain", "diagonal gain", "silhouette", "valley", "shallowest valley",
    "Ward", "spectral", "full", "tied", "diagonal", "axes", "agreement at its number", "votes of its number",
)  # fmt: skip
OF_DATA = ("points", "dimension", "variation of density", "elongation", "mean agreement", "different partitions")


def _shapes_around(ground: Ground) -> tuple[Floats, float]:
    """Return how much the shape of neighborhoods changes on the way to each neighbor, and the mean elongation."""
    around = ground.points[ground.indices]
    around = around - around.mean(axis=1, keepdims=True)
    covs = np.einsum("nka,nkb->nab", around, around)
    covs /= np.maximum(np.trace(covs, axis1=1, axis2=2), 1e-300)[:, None, None]
    turns = np.sqrt(((covs[:, None] - covs[ground.indices[:, :NEAR]]) ** 2).sum(axis=(2, 3)))
    return turns, float(np.linalg.eigvalsh(covs)[:, -1].mean())


class Partitions(NamedTuple):
    """Different partitions, and the candidates that gave each of them."""

    labels: list[Ints]
    members: list[list[Candidate]]

    @classmethod
    def of(cls, candidates: list[Candidate]) -> Partitions:
        """Group candidates by equal partitions."""
        groups: dict[bytes, list[Candidate]] = {}
        for one in candidates:
            groups.setdefault(one.labels.tobytes(), []).append(one)
        return cls([group[0].labels for group in groups.values()], list(groups.values()))


def measure(
    ground: Ground, plain: Tree, reach: Tree, partitions: Partitions, wanted: int | None, engine: Engine
) -> Floats:
    """Return a row of numbers for each partition, in the order of NAMES, then of OF_DATA."""
    some = sample_evenly(ground.n, _COMPARED)
    agreement = adjusted_rand([labels[some] for labels in partitions.labels], ground.mass[some], engine)
    votes = np.array([len(group) for group in partitions.members], float)
    of_trees = np.array([sum(one.recipe.is_tree for one in group) for group in partitions.members], float)
    columns = [_of_others(agreement, votes), _of_others(agreement, of_trees), _of_others(agreement, votes - of_trees)]
    columns += [_weighted_medians(agreement, votes), np.log(votes / votes.sum())]
    turns, elongation = _shapes_around(ground)
    facts = facts_of(ground, plain, reach, turns)
    alone, counts = describe(facts, partitions.labels, engine), Runs.of(partitions.labels).counts
    members = np.array([_of_members(group) for group in partitions.members])
    compact = np.array([_of_compact(group) for group in partitions.members])
    rows = [
        *columns, *alone[:, :_N_BEFORE].T, counts / wanted if wanted else np.ones(len(counts)),
        *alone[:, _N_BEFORE:_N_SHAPES].T, *members.T, *alone[:, _N_SHAPES:].T, *compact.T,
        *_of_number(agreement, votes, counts).T,
    ]  # fmt: skip
    data = [
        np.log(ground.n), ground.points.shape[1], facts.density.std(), elongation,
        np.average(columns[0], weights=votes), len(votes) / votes.sum(),
    ]  # fmt: skip
    return np.concatenate([np.column_stack(rows), np.tile(data, (len(counts), 1))], axis=1)


def measure_alone(ground: Ground, labels: Ints, reach: Tree, engine: Engine) -> dict[str, float]:
    """Return the criteria of one partition that compare it with no others and need few arrays, by name."""
    (row,) = describe(facts_of(ground, reach, reach), [labels], engine)
    first, then, last = (NAMES.index(name) for name in ("conductance", "separation", "full gain"))
    names = (*NAMES[first : first + _N_BEFORE], *NAMES[then : then + 2], *NAMES[last : last + 6])
    return dict(zip(names, row.tolist(), strict=True))


def _of_number(agreement: Floats, votes: Floats, counts: Ints) -> Floats:
    """Return the mean agreement with other partitions into as many clusters, and the fraction of votes for them."""
    same = (counts[:, None] == counts) * votes
    total = same.sum(axis=1)
    mean = (np.einsum("ij,ij->i", agreement, same) - 1) / np.maximum(total - 1, 1)
    return np.column_stack([np.where(total > 1, mean, 0.0), total / votes.sum()])


class Overlaps(NamedTuple):
    """What a partition shares with each of several partitions.

    Attributes
    ----------
    squares : array of shape (n_partitions,)
        Sums of the squared masses of the intersections of clusters.
    main : array of shape (n_clusters,)
        For each cluster of all partitions, the cluster of the one that holds most of it.
    """

    squares: Floats
    main: Ints

    @classmethod
    def of(cls, one: Ints, codes: Ints, runs: Runs, mass: Floats) -> Overlaps:
        """Compare a partition with those whose clusters are numbered by `codes`, in one sequence."""
        squares, main = np.empty(len(codes)), np.empty(runs.total, np.intp)
        starts = np.concatenate([[0], np.cumsum(np.bincount(one))])
        held, most = np.zeros((2, runs.total))
        compare_partitions(codes, np.argsort(one, kind="stable"), starts, mass, held, most, squares, main)
        return cls(squares, main)


def adjusted_rand(partitions: list[Ints], mass: Floats, engine: Engine) -> Floats:
    """Return the adjusted Rand index of every two partitions, by mass: over pairs of units of mass."""
    runs = Runs.of(partitions)
    codes = np.array(partitions) + runs.starts[:, None]
    squares = np.zeros((len(codes), len(codes)))

    def compare(tile: Tile, _: Flag) -> None:
        for at in range(tile.start, tile.stop):
            before = Runs(runs.starts[: at + 1], runs.counts[: at + 1])
            squares[at, : at + 1] = Overlaps.of(partitions[at], codes[: at + 1], before, mass).squares

    engine.silent().for_tiles("criteria", cut_by_size(len(codes), 8), compare)
    squares = squares + np.tril(squares, -1).T
    return index_of(squares, np.diag(squares)[:, None], np.diag(squares), mass.sum())


def _of_others(agreement: Floats, votes: Floats) -> Floats:
    """Return the mean agreement with the votes, without its own."""
    return np.asarray((agreement @ votes - (votes > 0)) / max(votes.sum() - 1, 1))


def _weighted_medians(agreement: Floats, votes: Floats) -> Floats:
    return np.median(np.repeat(agreement, votes.astype(np.intp), axis=1), axis=1)


def _of_members(group: list[Candidate]) -> list[float]:
    """Describe the recipes that gave a partition."""
    recipes = [one.recipe for one in group]
    shares = [recipe.share for recipe in recipes]
    walks = [recipe for recipe in recipes if recipe.kind == "gaussian"]
    return [
        max(one.gap for one in group),
        *(sum(share in pair for share in shares) / len(shares) for pair in ((0.1, 0.01), (0.25, 0.03), (0.5, 0.08))),
        sum(recipe.lasting for recipe in recipes) / len(recipes),
        float(any(recipe.kind == "tree" for recipe in recipes)),
        float(any(recipe.kind == "reach" for recipe in recipes)),
        len(walks) / len(recipes),
        float(any(not recipe.is_tree for recipe in recipes)),
        *(
            (float(np.mean(np.log([w.factor for w in walks]))), float(np.mean(np.log([w.lam for w in walks]))),
             float(np.mean([w.n_iter for w in walks]))) if walks else (0.0, 0.0, 0.0)
        ),
    ]  # fmt: skip


def _of_compact(group: list[Candidate]) -> list[float]:
    """Describe the compact recipes that gave a partition."""
    recipes = [one.recipe for one in group]
    mixtures = [recipe.shape for recipe in recipes if recipe.kind == "mixture"]
    return [
        float(any(recipe.kind == "ward" for recipe in recipes)),
        float(any(recipe.kind == "spectral" for recipe in recipes)),
        *(float(shape in mixtures) for shape in ("full", "tied", "diagonal")),
        float(np.mean([np.log1p(recipe.axes) for recipe in recipes])),
    ]


class Rule(NamedTuple):
    """How a partition is chosen if the number of clusters is not given.

    Attributes
    ----------
    least : float
        If no split is expected to reach this, there is one cluster.
    whole : float
        The same, if the best split is not expected to be better than no split by more than this.
    close : float
        Splits whose expected values differ by less are equally good, and votes decide.
    """

    least: float
    whole: float
    close: float

    def choose(self, expected: Floats, counts: Ints, votes: Ints) -> int | None:
        """Return the chosen split; None if there is one cluster."""
        splits = np.where(counts > 1, expected, -np.inf)
        best = splits.max()
        if best < self.least or best <= expected[counts == 1].max(initial=-np.inf) + self.whole:
            return None
        return best_of(splits, votes, self.close)


RULES = {"flat": Rule(0.4, 0.1, 0.08), "wide": Rule(0.2, 0.1, 0.0)}
"""For up to three coordinates, and for more: the best on generated sets that were kept apart from training, among those
that find one cluster in at least 95 % of clouds without structure."""


def best_of(expected: Floats, votes: Ints, close: float = 0.0) -> int:
    """Return the partition with most votes among those expected to be nearly as good as the best."""
    near = expected >= expected.max() - close
    return int(np.lexsort((-np.arange(len(votes)), expected, np.where(near, votes, -1)))[-1])


_DIGITS = 7  # of features and of expected values, after the point


class Judge(NamedTuple):
    """A sum of complete binary trees of one depth.

    Attributes
    ----------
    start : float
        Initial value of the sum.
    features, thresholds : arrays of shape (n_trees, 2^depth − 1)
        At each node, level by level, the feature to compare, and the largest value to go left.
    values : array of shape (n_trees, 2^depth)
        Values of the leaves.
    told : arrays of shape (2, n)
        Values of the sum, and the adjusted Rand index that chosen partitions of such values had in sets kept apart.
    """

    start: float
    features: Ints
    thresholds: Floats
    values: Floats
    told: Floats

    @classmethod
    @cache
    def of(cls, name: str) -> Judge:
        """Return a judge: "flat_with_count", "flat_without_count", "wide_with_count" or "wide_without_count"."""
        stored = json.loads(files(__package__).joinpath("judge.json").read_text("utf-8"))
        assert stored["criteria"] == [*NAMES, *OF_DATA]  # the criteria it was trained on
        return cls.from_json(stored[name])

    @classmethod
    def from_json(cls, model: dict[str, Any]) -> Judge:
        """Return the judge that a file describes."""
        features, thresholds, values = (np.array([tree[i] for tree in model["trees"]]) for i in range(3))
        return cls(model["start"], features, thresholds, values, np.array(model["told"]))

    def __call__(self, criteria: Floats) -> Floats:
        """Return the expected value of each partition."""
        return self.of_features(asked(criteria))

    def of_features(self, numbers: Floats) -> Floats:
        """Return the expected value of partitions with these features; their rounding decides nothing."""
        numbers, tree = np.round(numbers, _DIGITS), np.arange(len(self.features))
        at = np.zeros((len(numbers), len(tree)), np.intp)
        while at[0, 0] < self.features.shape[1]:
            number = np.take_along_axis(numbers, self.features[tree, at], axis=1)
            at = 2 * at + 1 + (number > self.thresholds[tree, at])
        total = self.start + self.values[tree, at - self.features.shape[1]].sum(axis=1)
        return np.asarray(np.round(total, _DIGITS))

    def tell(self, expected: Floats) -> Floats:
        """Return the adjusted Rand index to expect of partitions of these values, if they are chosen."""
        return np.interp(expected, *self.told)


def asked(criteria: Floats, ends: Floats | None = None) -> Floats:
    """Return the features: criteria of each partition, how far they are from the extremes, and those of the data."""
    own = criteria[:, : len(NAMES)]
    largest, smallest = (own.max(axis=0), own.min(axis=0)) if ends is None else ends
    return np.concatenate([own, own - largest, own - smallest, criteria[:, len(NAMES) :]], axis=1)
