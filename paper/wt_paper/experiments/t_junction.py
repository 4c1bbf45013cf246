"""The T-junction: which methods find the two segments although they meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform._types import Ints
from wasserstein_transform.datasets import Labeled, t_junction
from wasserstein_transform.engine import Engine
from wasserstein_transform.hierarchy import Tree, cut_tree, spanning_tree
from wasserstein_transform.spaces import Space
from wasserstein_transform.transforms import iterate

from .experiment import Choice, Claim, Experiment, Picture
from .layout import SOLID, bare, draw_embedding, mosaic
from .methods import method
from .parameters import TJunction
from .scores import agreement, correlation, most_alike, separation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_AHEAD = 0.1  # smaller differences of correlations do not count
_WHERE = "Experiments, T-junction"


@dataclass(frozen=True, eq=False)
class Result:
    """Spaces and their trees at τ = 0, 1, …, by method."""

    parameters: TJunction
    data: Labeled
    states: dict[str, tuple[Space, ...]]
    trees: dict[str, tuple[Tree, ...]]


def run(parameters: TJunction, engine: Engine) -> Result:
    """Run all methods and keep all states."""
    data = t_junction()
    space = Space.from_points(data.points)
    states = {
        name: iterate(method(name, parameters.eps), space, n_iter=parameters.n_iter, keep="all", engine=engine).states
        for name in parameters.methods
    }
    trees = {name: tuple(spanning_tree(state, engine) for state in states[name]) for name in states}
    return Result(parameters, data, states, trees)


def segments(data: Labeled, eps: float) -> Ints:
    """Labels of the two segments; points of the stem within ε of the bar get −1 and may be in either."""
    return np.where((data.labels == 0) & (data.points[:, 1] <= eps), -1, data.labels)


def parts(data: Labeled, eps: float) -> Ints:
    """Labels of stem, left and right arm (beyond 2ε of the junction), and junction (within ε/2); −1 for the rest."""
    x, y = data.points.T
    out = np.full(len(data.points), -1)
    out[y > 2 * eps], out[x < -2 * eps], out[x > 2 * eps] = 0, 1, 2
    out[np.hypot(x, y) <= eps / 2] = 3
    return out


def claims(result: Result) -> Sequence[Claim]:
    """Four parts, the bar in one piece, two segments, similar embeddings."""
    return [_four_parts(result), _bar(result), _two_segments(result), _embeddings(result)]


def _four_parts(result: Result) -> Claim:
    cuts = {name: separation(trees[1], _truth(result, parts), tolerance=0.0) for name, trees in result.trees.items()}
    measured = "; ".join(f"{name}: {cut}" for name, cut in cuts.items())
    holds = all(cut.found == (name != "GT-5") for name, cut in cuts.items())
    return Claim(
        "t-junction: four parts",
        f"{_WHERE}, observation 2",
        "After one iteration every method except GT-5 breaks the data into four parts.",
        "a height at which stem, left arm, right arm (beyond 2ε of the junction) and junction (within ε/2) are in four "
        "clusters",
        (Choice("τ = 1", holds, measured),),
    )


def _bar(result: Result) -> Claim:
    bar = result.data.labels == 1
    alike = {name: most_alike(trees[1], bar) for name, trees in result.trees.items()}
    loose = {
        name: separation(trees[1], _truth(result, segments), tolerance=0.0) for name, trees in result.trees.items()
    }
    return Claim(
        "t-junction: bar in one piece",
        f"{_WHERE}, observation 2",
        "After one iteration only GT-5 keeps the 201 points of the bar together as one cluster.",
        "whether some cluster of the tree equals the bar",
        (
            Choice(
                "exactly the 201 points",
                all((cluster.overlap == 1) == (name == "GT-5") for name, cluster in alike.items()),
                "; ".join(f"{name}: {cluster}" for name, cluster in alike.items()),
            ),
            Choice(
                "up to the stem's points within ε",
                all(cut.found == (name == "GT-5") for name, cut in loose.items()),
                "; ".join(f"{name}: {cut}" for name, cut in loose.items()),
            ),
        ),
        "If the first points of the stem are allowed in the cluster, all methods have a height at which the whole bar "
        "is one cluster.",
    )


def _two_segments(result: Result) -> Claim:
    right = ("GT-5", "LT-WT2")
    truth = _truth(result, segments)
    readings = {"exactly two clusters": 2, "two clusters and strays": None}
    choices = []
    for reading, count in readings.items():
        cuts = {name: separation(t[2], truth, tolerance=0.0, n_clusters=count) for name, t in result.trees.items()}
        holds = all(cut.found == (name in right) for name, cut in cuts.items())
        choices.append(Choice(reading, holds, "; ".join(f"{name}: {cut}" for name, cut in cuts.items())))
    return Claim(
        "t-junction: two segments",
        f"{_WHERE}, observation 3",
        "After two iterations only GT-5 and LT-WT2 have a threshold with two clusters, one for each segment.",
        "a height at which the bar is in one cluster and the stem, from ε on, in another; its relative gap",
        tuple(choices),
        _starting_earlier(result),
    )


def _starting_earlier(result: Result) -> str:
    """The result if the plain GT distance is counted as the first iteration."""
    names = [name for name in ("GT-1", "GT-5") if name in result.trees and _finds_two(result, name, 1)]
    return (
        f"If the plain GT distance counts as the first iteration, {' and '.join(names) or 'neither'} would find them."
    )


def _finds_two(result: Result, name: str, at: int) -> bool:
    return separation(result.trees[name][at], _truth(result, segments), tolerance=0.0, n_clusters=2).found


def _embeddings(result: Result) -> Claim:
    choices, whole = [], []
    for at in range(1, result.parameters.n_iter + 1):
        embedded = {name: plotting.embedding.embed(states[at], 3).points for name, states in result.states.items()}
        third = {name: abs(correlation(p[:, 2], embedded["LT-WT2"][:, 2])) for name, p in embedded.items()}
        holds = min(third["GT-1"], third["GT-5"]) > third["LT-WT1"] + _AHEAD
        choices.append(Choice(f"τ = {at}", holds, _listed(third, ("GT-1", "GT-5", "LT-WT1"))))
        whole += [agreement(points, embedded["LT-WT2"]) for points in embedded.values()]
    return Claim(
        "t-junction: similar embeddings",
        f"{_WHERE}, observation 1",
        "GT and LT-WT2 have comparable MDS plots in three dimensions: their distances are alike.",
        f"correlation of the third coordinate with that of LT-WT2: higher by {_AHEAD} for both GT than for LT-WT1; MS "
        "has only two coordinates",
        tuple(choices),
        "The whole embeddings do not distinguish the methods, because the positions of the points dominate: 1 − "
        f"Procrustes disparity with LT-WT2 is at least {min(whole):.3f} for all of them.",
    )


def _listed(scores: dict[str, float], names: Sequence[str]) -> str:
    return ", ".join(f"{name} {scores[name]:.3f}" for name in names)


def pictures(result: Result) -> Sequence[Picture]:
    """One figure for each τ, as in the paper."""
    return [
        Picture(
            f"t-junction-{at}",
            f"T-junction, τ = {at}: MS moves the points; for the others classical MDS of the new distances in two and "
            "three dimensions, the third stretched. Below: the single-linkage dendrograms. Colors are the clusters "
            "of one cut of the tree: "
            + ("four parts, or two" if at == 1 else "two segments, or four parts")
            + " if no height separates them.",
            partial(draw, result, at),
        )
        for at in range(1, result.parameters.n_iter + 1)
    ]


def draw(result: Result, at: int) -> Figure:
    """Embeddings and dendrograms of all methods after `at` iterations."""
    names = list(result.states)
    rows = [[f"{row} {name}" for name in names] for row in ("2-D", SOLID, "tree")]
    figure, axes = mosaic(rows, 4.4, heights=(1.2, 1, 1.1))
    for name in names:
        state, tree = result.states[name][at], result.trees[name][at]
        labels = _clusters(result, tree, at)
        flat, solid = axes[f"2-D {name}"], axes[f"{SOLID} {name}"]
        if name == "MS":
            plotting.cloud(state.points, labels, ax=flat, title=name)
            bare(flat)
            solid.set_axis_off()
        else:
            draw_embedding(flat, solid, state, labels, onto=result.data.points, title=name)
        plotting.dendrogram(tree, labels, ax=axes[f"tree {name}"]).set_ylabel("height" if name == names[0] else "")
    return figure


def _clusters(result: Result, tree: Tree, at: int) -> Ints:
    """A cut into four parts at τ = 1, as in the paper, and into two segments later; the other one if there is none."""
    cuts = {
        "four": separation(tree, _truth(result, parts), tolerance=0.0),
        "two": separation(tree, _truth(result, segments), tolerance=0.0, n_clusters=2),
    }
    for cut in cuts.values() if at == 1 else reversed(cuts.values()):
        if cut.found:
            return cut_tree(tree, cut="height", height=(cut.lower + cut.upper) / 2)
    return cut_tree(tree, 4, cut="robust")


def _truth(result: Result, of: Callable[[Labeled, float], Ints]) -> Ints:
    return of(result.data, result.parameters.eps)


EXPERIMENT = Experiment(
    "t-junction",
    "T-junction: two segments that meet",
    "200 points on a vertical segment (the stem) that stands on a horizontal one with 201 points (the bar). Ideally "
    "single linkage finds the two segments. All methods are run for two iterations with ε = 10; points of the stem "
    "within ε of the bar have neighbors on both segments and may belong to either.",
    run,
    claims,
    pictures,
)
