"""The dumbbell: single linkage chains two discs together; the transform separates them from the chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform.datasets import Labeled, dumbbell
from wasserstein_transform.engine import Engine
from wasserstein_transform.hierarchy import Tree, cut_tree, spanning_tree
from wasserstein_transform.spaces import GaussianMetric, Space
from wasserstein_transform.transforms import gaussian_transform, iterate

from .experiment import Choice, Claim, Experiment, Picture, Table
from .layout import SOLID, bare, draw_embedding, mosaic
from .methods import method
from .parameters import Chaining
from .scores import Separation, separation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOLERANCE = 0.03  # share of a part that may lie outside its cluster: points where disc and chain meet

_WHOLE, _DISCS = "discs and chain", "discs alone"
_WHERE = "Experiments, ameliorating the chaining effect"


@dataclass(frozen=True, eq=False)
class Walk:
    """The input and all states of one method on one data set, with their trees and separations.

    Attributes
    ----------
    cuts : dict
        Separations of all trees, that of the input first, by reading: the chain is a part of its own, or is ignored.
    """

    data: Labeled
    states: tuple[Space, ...]
    trees: tuple[Tree, ...]
    cuts: dict[str, list[Separation]]


@dataclass(frozen=True, eq=False)
class Result:
    """All walks, by layout of the discs and method."""

    parameters: Chaining
    walks: dict[tuple[str, str], Walk]


def run(parameters: Chaining, engine: Engine) -> Result:
    """GT for all layouts and λ, the other methods on the first layout."""
    walks = {}
    for layout in parameters.layouts:
        for lam in parameters.lams:
            name = f"GT-{lam:g}"
            walks[layout, name] = _walk(layout, name, parameters.eps, parameters.n_iter, engine)
    for name in parameters.others:
        layout = parameters.layouts[0]
        walks[layout, name] = _walk(layout, name, parameters.eps, parameters.others_iter, engine)
    return Result(parameters, walks)


def _walk(layout: str, name: str, eps: float, n_iter: int, engine: Engine) -> Walk:
    data = dumbbell(layout=layout)
    space = Space.from_points(data.points)
    states = iterate(method(name, eps), space, n_iter=n_iter, keep="all", engine=engine).states
    # τ = 0 in the figures is the input; the initial GT distance is not an iteration and is left out
    states = (space, *states[1:])
    trees = tuple(spanning_tree(state, engine) for state in states)
    truths = {_WHOLE: data.labels, _DISCS: np.where(data.labels < 2, data.labels, -1)}
    cuts = {name: [separation(tree, truth, tolerance=TOLERANCE) for tree in trees] for name, truth in truths.items()}
    return Walk(data, states, trees, cuts)


def claims(result: Result) -> Sequence[Claim]:
    """Discs are not separated before, and are after; the gap grows; LT-WT does as well."""
    return [_before(result), _after(result), _growing(result), *_others(result)]


def _before(result: Result) -> Claim:
    choices = []
    for (layout, name), walk in result.walks.items():
        if name == f"GT-{result.parameters.lams[0]:g}":
            for reading, cuts in walk.cuts.items():
                choices.append(Choice(f"{layout} layout, {reading}", not cuts[0].found, str(cuts[0])))
    return Claim(
        "chaining: input not separated",
        _WHERE,
        "Single linkage of the data itself cannot separate the two discs.",
        f"at no height does each part have its own cluster, except for {TOLERANCE:.0%} of the part",
        tuple(choices),
        ""
        if all(choice.holds for choice in choices)
        else "If there is such a height, its gap shows how relevant it is; the transform has to exceed it.",
    )


def _after(result: Result) -> Claim:
    choices = []
    for (layout, name), walk in _gaussian(result):
        cuts = walk.cuts[_WHOLE][1:]
        measured = "gaps at τ = 1, 2, …: " + _gaps(cuts)
        choices.append(Choice(f"{layout} layout, {name}", all(cut.found for cut in cuts), measured))
    return Claim(
        "chaining: separated",
        _WHERE,
        "From the first iteration of GT on, single linkage separates the discs.",
        f"at every τ ≥ 1 there is a height at which both discs and the chain have their own clusters, except for "
        f"{TOLERANCE:.0%} of a part",
        tuple(choices),
    )


def _growing(result: Result) -> Claim:
    choices = []
    for (layout, name), walk in _gaussian(result):
        for reading, cuts in walk.cuts.items():
            grows = bool((np.diff([cut.gap for cut in cuts[1:]]) > 0).all())
            choices.append(Choice(f"{layout} layout, {name}, {reading}", grows, "gaps: " + _gaps(cuts[1:])))
    return Claim(
        "chaining: growing gap",
        _WHERE,
        "The dendrograms improve with every iteration.",
        "the relative gap between the heights that separate the parts grows with τ",
        tuple(choices),
    )


def _others(result: Result) -> list[Claim]:
    """The remark that LT-WT does as well; empty if LT-WT was not run."""
    layout = result.parameters.layouts[0]
    names = [name for name in result.parameters.others if name.startswith("LT")]
    cuts = {name: result.walks[layout, name].cuts[_WHOLE][1:] for name in names}
    if not cuts:
        return []
    choices = [
        Choice(f"{name}, {layout} layout", all(cut.found for cut in several), "gaps at τ = 1, 2, …: " + _gaps(several))
        for name, several in cuts.items()
    ]
    return [
        Claim(
            "chaining: LT-WT separates as well",
            f"{_WHERE}, remark",
            "LT-WT prevents chaining as well as GT.",
            "as for GT: the parts are separated at every τ ≥ 1 that was run",
            tuple(choices),
            "The paper refers to earlier work for this, on slightly different data.",
        )
    ]


def _gaussian(result: Result) -> list[tuple[tuple[str, str], Walk]]:
    return [(key, walk) for key, walk in result.walks.items() if key[1].startswith("GT")]


def _gaps(cuts: list[Separation]) -> str:
    return ", ".join(f"{100 * cut.gap:.0f} %" for cut in cuts)


def tables(result: Result) -> Sequence[Table]:
    """The gaps of all walks."""
    most = max(len(walk.trees) for walk in result.walks.values())
    rows = []
    for (layout, name), walk in result.walks.items():
        gaps = [f"{100 * cut.gap:.0f} %" if cut.found else "–" for cut in walk.cuts[_WHOLE]]
        rows.append((layout, name, *gaps, *[""] * (most - len(gaps))))
    header = ("layout", "method", *(f"τ = {k}" for k in range(most)))
    return [Table("Relative gap between the heights that separate discs and chain", header, tuple(rows))]


def pictures(result: Result) -> Sequence[Picture]:
    """The paper's figure for the first layout and λ, and the Gaussians."""
    key = next(iter(result.walks))
    return [
        Picture(
            "chaining",
            f"The dumbbell under {key[1]} ({key[0]} layout), ε = {result.parameters.eps:g}: classical MDS in two and "
            "three "
            "dimensions and single-linkage dendrograms; τ = 0 is the input. Colors: the cut into three of the tree at "
            "τ ≥ 1, the parts of the data at τ = 0.",
            partial(draw, result.walks[key]),
        ),
        Picture(
            "chaining-gaussians",
            "The Gaussians of GT: one standard deviation, for every third point of the data, ε = "
            f"{result.parameters.eps:g}. They are round in the discs, and flat on the chain and at the boundaries; "
            "colors are the parts of the data.",
            partial(draw_gaussians, result.parameters.eps, result.walks[key].data),
        ),
    ]


def draw(walk: Walk) -> Figure:
    """MDS and dendrograms over τ."""
    steps = range(len(walk.trees))
    rows = [[f"{row} {k}" for k in steps] for row in ("2-D", SOLID, "tree")]
    figure, axes = mosaic(rows, 3.6, heights=(0.5, 1, 1.1))
    for k, (state, tree) in enumerate(zip(walk.states, walk.trees, strict=True)):
        labels = walk.data.labels if k == 0 else cut_tree(tree, 3, cut="robust")
        flat, solid = axes[f"2-D {k}"], axes[f"{SOLID} {k}"]
        draw_embedding(flat, solid, state, labels, onto=walk.data.points, title=f"τ = {k}")
        plotting.dendrogram(tree, labels, ax=axes[f"tree {k}"]).set_ylabel("height" if k == 0 else "")
    return figure


def draw_gaussians(eps: float, data: Labeled) -> Figure:
    """Ellipses at every third point, with half-axes of one standard deviation."""
    from matplotlib.collections import EllipseCollection
    from matplotlib.colors import to_rgba_array

    figure, axes = mosaic([["gaussians"]], 2.6)
    ax, shown = axes["gaussians"], slice(None, None, 3)
    metric = iterate(gaussian_transform(eps), Space.from_points(data.points), n_iter=0).last.metric
    assert isinstance(metric, GaussianMetric)
    values, vectors = np.linalg.eigh(metric.covs[shown])
    lengths = 2 * np.sqrt(np.maximum(values, 0.0))  # ≥ 0 in theory; rounding can make them negative
    angles = np.degrees(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    colors = to_rgba_array([plotting.color(k) for k in data.labels[shown].tolist()])
    ax.add_collection(EllipseCollection(
        lengths[:, 1], lengths[:, 0], angles, units="xy", offsets=metric.means[shown], offset_transform=ax.transData,
        edgecolors=colors, facecolors=colors * [1, 1, 1, 0.12], linewidths=0.6,
    ))  # fmt: skip
    reach = np.sqrt(np.diagonal(metric.covs, axis1=1, axis2=2)).max()
    ax.update_datalim([metric.means.min(axis=0) - reach, metric.means.max(axis=0) + reach])
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
    plotting.style.tidy(ax)
    bare(ax)
    return figure


EXPERIMENT = Experiment(
    "chaining",
    "Chaining: two discs joined by a chain",
    "Two discs of 300 grid points and a chain of 200 points between them. The paper gives neither λ nor the grid of "
    "the discs: square, hexagonal and ring layouts are run for several λ. A height separates the parts if each has its "
    "own cluster with at least 97 % of its points; the gap is the relative width of the range of such heights.",
    run,
    claims,
    pictures,
    tables,
)
