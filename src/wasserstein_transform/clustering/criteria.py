"""Criteria of partitions that need no labels.

No criterion depends on units or on the order of the points. Graphs are of the ten nearest neighbors; d₁₀ is the
distance to the tenth, and −m·log d₁₀ is the log density up to a constant. What a partition is after a step of a
transform is seen on the neighbors of the moved points and on the trees of two transforms.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._types import Floats, Ints
from ..compute import sample_evenly
from ..engine import Engine
from ..hierarchy import Tree
from ..spaces import Euclidean
from .candidates import LEAST, SHARES
from .compact import SHAPES
from .description import NEAR, View, describe, facts_of
from .ground import Ground
from .partitions import Partitions, adjusted_rand
from .recipes import Recipe
from .stability import stabilities
from .trees import Forest

_GRID = 1e-6  # of the unit
_COMPARED = 2000  # places by which partitions are compared

OF_DATA = ("points", "dimension", "variation of density", "elongation", "mean agreement", "different partitions")
"""Criteria that are the same for all partitions of a set."""


def _shapes_around(ground: Ground) -> tuple[Floats, float]:
    """Return how much the shape of neighborhoods changes on the way to each neighbor, and the mean elongation."""
    around = ground.points[ground.indices]
    around = around - around.mean(axis=1, keepdims=True)
    covs = np.einsum("nka,nkb->nab", around, around)
    covs /= np.maximum(np.trace(covs, axis1=1, axis2=2), 1e-300)[:, None, None]
    turns = np.sqrt(((covs[:, None] - covs[ground.indices[:, :NEAR]]) ** 2).sum(axis=(2, 3)))
    return turns, float(np.linalg.eigvalsh(covs)[:, -1].mean())


def measure(
    ground: Ground, forest: Forest, partitions: Partitions, wanted: int | None, engine: Engine
) -> dict[str, Floats]:
    """Return the criteria by name: a number for each partition, those of OF_DATA last."""
    some = sample_evenly(ground.n, _COMPARED)
    agreement, recipes = adjusted_rand(partitions.take(some), engine), partitions.recipes
    votes, counts = partitions.votes.astype(np.float64), partitions.counts
    of_trees = np.array([sum(one.is_tree for one in group) for group in recipes], float)
    of_walks = np.array([sum(one.kind == "gaussian" for one in group) for group in recipes], float)
    turns, elongation = _shapes_around(ground)
    grid = _GRID * ground.unit  # points that have met are in one place: rounding does not choose their neighbors
    near = Euclidean(np.round(forest.moved / grid) * grid).neighbors(min(NEAR, ground.n - 1), engine=engine).indices
    moved = View.of(near, None, forest.first, forest.second, ground.unit)
    facts = facts_of(ground, forest.plain, forest.reach, turns, moved)
    found = {
        "agreement": _of_others(agreement, votes),
        "agreement of trees": _of_others(agreement, of_trees),
        "agreement of compact": _of_others(agreement, votes - of_trees),
        "agreement of transformed": _of_others(agreement, of_walks),
        "median agreement": _weighted_medians(agreement, votes),
        "votes": np.log(votes / votes.sum()),
        "clusters of those wanted": counts / wanted if wanted else np.ones(len(counts)),
        "stability": stabilities(ground, partitions, wanted, engine),
        "gap": partitions.gaps,
    }
    found |= _of_number(agreement, votes, counts) | describe(facts, partitions.labels, engine)
    found |= _of_recipes(recipes)
    data = [
        np.log(ground.n), ground.points.shape[1], facts.density.std(), elongation,
        np.average(found["agreement"], weights=votes), len(votes) / votes.sum(),
    ]  # fmt: skip
    return found | {name: np.full(len(counts), float(value)) for name, value in zip(OF_DATA, data, strict=True)}


def measure_alone(ground: Ground, labels: Ints, reach: Tree, engine: Engine) -> dict[str, float]:
    """Return the criteria of one partition that compare it with no others and need few arrays, by name."""
    found = describe(facts_of(ground, reach, reach), [labels], engine)
    return {name: float(value) for name, (value,) in found.items()}


def _of_number(agreement: Floats, votes: Floats, counts: Ints) -> dict[str, Floats]:
    """Return the mean agreement with other partitions into as many clusters, and the fraction of votes for them."""
    same = (counts[:, None] == counts) * votes
    total = same.sum(axis=1)
    mean = (np.einsum("ij,ij->i", agreement, same) - 1) / np.maximum(total - 1, 1)
    return {"agreement at its number": np.where(total > 1, mean, 0.0), "votes of its number": total / votes.sum()}


def _of_others(agreement: Floats, votes: Floats) -> Floats:
    """Return the mean agreement with the votes, without its own."""
    return np.asarray((agreement @ votes - (votes > 0)) / max(votes.sum() - 1, 1))


def _weighted_medians(agreement: Floats, votes: Floats) -> Floats:
    return np.median(np.repeat(agreement, votes.astype(np.intp), axis=1), axis=1)


def _of_recipes(groups: list[list[Recipe]]) -> dict[str, Floats]:
    """Describe the recipes that gave each partition."""

    def share(of: Callable[[Recipe], bool]) -> Floats:
        return np.array([sum(map(of, group)) / len(group) for group in groups])

    def mean(of: Callable[[Recipe], float], kind: str = "") -> Floats:
        chosen = [[of(one) for one in group if kind in ("", one.kind)] for group in groups]
        return np.array([np.mean(some) if some else 0.0 for some in chosen])

    def given_by(kind: str, shape: str = "") -> Floats:
        return np.sign(share(lambda one: one.kind == kind and shape in ("", one.shape)))

    def cut_at(shares: list[float]) -> Floats:
        return share(lambda one: one.share in shares)

    names = ("smallest share", "middle share", "largest share")
    found = {name: cut_at(shares) for name, *shares in zip(names, SHARES, LEAST, strict=True)}
    found |= {
        "lasting": share(lambda one: one.lasting),
        "transformed": share(lambda one: one.kind == "gaussian"),
        "compact": np.sign(share(lambda one: not one.is_tree)),
        "radius": mean(lambda one: float(np.log(one.factor)), "gaussian"),
        "lambda": mean(lambda one: float(np.log(one.lam)), "gaussian"),
        "iterations": mean(lambda one: one.n_iter, "gaussian"),
        "axes": mean(lambda one: float(np.log1p(one.axes))),
    }
    kinds = {"plain": "tree", "reachability": "reach", "communities": "graph", "crossings": "branches", "Ward": "ward"}
    kinds["spectral"] = "spectral"
    found |= {name: given_by(kind) for name, kind in kinds.items()}
    return found | {shape: given_by("mixture", shape) for shape in SHAPES}
