"""Graphs with their curvature, Ricci flow and communities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist

from .. import _check as check
from .._types import Floats
from ..graphs import Communities, Curvature, Flow, Network, as_network
from .clouds import frame
from .colors import MAX_NAMED, draw_legend, draw_legend_above, draw_scale
from .embedding import embed
from .style import GRAY, INK, LEGEND, PALETTE, RASTER, STRONG, TEXT, THIN, WIDTH, canvas, color, expect, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVATURE_COLORS = STRONG, "#E6E6E6", PALETTE[0]
"""Colors of negative, zero and positive curvature."""

MAX_NODES = 1500
"""Most nodes of a layout; larger graphs with communities are drawn as a matrix of edges."""

MATRIX_PIXELS = 300  # pixels per side of that matrix
MAX_FLAT_CURVATURE = 1e-9  # smaller curvatures count as 0
DASH_PATTERN = (0, (1.6, 1.6))
LAYOUT_ROUNDS = 60
COMPONENT_DISTANCE = 1.15  # distance between components of a graph, relative to the largest finite distance


def curvature(
    found: Curvature,
    points: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """Draw a graph with edges colored by curvature: blue where it is positive, red and dashed where it is negative.

    Edges of length 0 have no curvature and are gray.

    Parameters
    ----------
    found : Curvature
        The result of `wt.graphs.curvature`, of the edges or of any pairs of nodes; pairs are drawn as lines.
    points : array of shape (n, 2), optional
        Positions of the nodes. Default None: those of `layout`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.curvature(wt.graphs.curvature([(0, 1), (1, 2), (2, 0), (2, 3)]), ax=ax)
    >>> len(ax.collections[0].get_segments())
    4
    """
    expect(found, Curvature, "wt.graphs.curvature(graph) computes one")
    positions = _places(found.network, points)
    is_known = ~np.isnan(found.values)
    top = float(np.abs(found.values[is_known]).max(initial=0.0)) or 1.0
    ax = canvas(ax, size=frame(positions))
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    colors = LinearSegmentedColormap.from_list("curvature", CURVATURE_COLORS).with_extremes(bad=GRAY)
    strong_last = np.argsort(np.abs(np.where(is_known, found.values, 0.0)), kind="stable")
    lines = _lines(ax, positions[found.pairs[strong_last]], 1.4)
    negative = found.values[strong_last] < -MAX_FLAT_CURVATURE
    lines.set(
        array=found.values[strong_last],
        cmap=colors,
        norm=Normalize(-top, top),
        linestyle=[DASH_PATTERN if k else "-" for k in negative],
    )
    _nodes(ax, positions, INK)
    _frame(ax, positions, title)
    draw_scale(ax, lines, "curvature (dashed: negative)" if negative.any() else "curvature")
    return ax


def communities(
    found: Communities,
    points: ArrayLike | None = None,
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """Draw a graph with a color for the nodes of each community; edges between communities are dashed.

    Of more than 1,500 nodes without `points`, the matrix of edges is drawn, with nodes sorted by community.

    Parameters
    ----------
    found : Communities
        The result of `wt.graphs.communities`, or of the method `communities` of a `Flow`.
    points : array of shape (n, 2), optional
        Positions of the nodes. Default None: those of `layout`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure, with a legend of two to ten communities.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.communities(wt.graphs.ricci_flow(two, 10).communities(), ax=ax)
    >>> [len(edges.get_segments()) for edges in ax.collections[:2]]  # between communities, and within them
    [1, 6]
    """
    expect(found, Communities, "wt.graphs.communities(graph) finds them")
    if points is None and found.network.n > MAX_NODES:
        return _draw_matrix(found, ax, title)
    positions = _places(found.network, points)
    named = ax is None and 1 < found.n_communities <= MAX_NAMED
    ax = canvas(ax, size=frame(positions))
    edges = found.network.edges
    inside = found.labels[edges[:, 0]] == found.labels[edges[:, 1]]
    _lines(ax, positions[edges[~inside]], THIN, color="#C8C8C8", linestyle=(0, (3, 2)))
    tints = np.array([color(k) for k in range(found.n_communities)])
    _lines(ax, positions[edges[inside]], 1.0, color=tints[found.labels[edges[inside, 0]]], alpha=0.55)
    _nodes(ax, positions, tints[found.labels], 2.2)
    _frame(ax, positions, title)
    if named:
        draw_legend(ax, {str(k): tint for k, tint in enumerate(tints)}, "community")
    return ax


def flow(found: Flow, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the edge lengths over the iterations of a Ricci flow: orange between communities, blue within them.

    A dashed line marks the length from which on `Flow.communities` cuts edges.

    Parameters
    ----------
    found : Flow
        The result of `wt.graphs.ricci_flow`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> two = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.flow(wt.graphs.ricci_flow(two, 10), ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['within communities', 'between communities', 'cut']
    """
    expect(found, Flow, "wt.graphs.ricci_flow(graph) computes one")
    groups = found.communities()
    ends = groups.labels[found.network.edges]
    across = ends[:, 0] != ends[:, 1]
    ax = canvas(ax, size=(WIDTH, 0.7 * WIDTH))
    _histories(ax, found.lengths[:, ~across], PALETTE[0], "within communities")
    _histories(ax, found.lengths[:, across], PALETTE[1], "between communities")
    if groups.cutoff > 0:
        ax.axhline(groups.cutoff, color=INK, lw=THIN, ls=(0, (4, 2)), label="cut")
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlim(0, max(found.n_iter, 1))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("iteration", fontsize=TEXT)
    ax.set_ylabel("length (mean 1)", fontsize=TEXT)
    if ax.get_legend_handles_labels()[0]:
        for line in draw_legend_above(ax).get_lines():
            line.set(alpha=1, linewidth=1.2)
    tidy(ax, title, LEGEND)
    return ax


def _draw_matrix(result: Communities, ax: Axes | None, title: str | None) -> Axes:
    """Draw the matrix of edges; lines separate the larger communities."""
    n, sizes = result.network.n, np.bincount(result.labels)
    position = np.empty(n)
    position[np.argsort(result.labels, kind="stable")] = np.arange(n)
    a, b = position[result.network.edges].T
    counts = np.histogram2d(np.r_[a, b], np.r_[b, a], bins=MATRIX_PIXELS, range=((0, n), (0, n)))[0]
    ax = canvas(ax, size=(WIDTH, WIDTH))
    top = max(float(np.quantile(counts, 0.995)), 1.0)
    ax.imshow(counts, cmap="gray_r", vmax=top, extent=(0, n, n, 0), interpolation="nearest")
    for end in np.cumsum(sizes)[:-1][sizes[:-1] >= n / MATRIX_PIXELS]:
        ax.axhline(end, color=STRONG, lw=THIN)
        ax.axvline(end, color=STRONG, lw=THIN)
    ax.set(xticks=[], yticks=[])
    tidy(ax, f"{title}: edges, nodes by community" if title else "edges, nodes by community")
    return ax


def _histories(ax: Any, lengths: Floats, tint: str, label: str) -> None:
    if lengths.shape[1] == 0:
        return
    strength = float(np.clip(12 / np.sqrt(lengths.shape[1]) / 2, 0.15, 0.8))
    lines = ax.plot(lengths, color=tint, lw=THIN, alpha=strength, rasterized=lengths.size > 20 * RASTER)
    lines[0].set_label(label)


def _places(network: Network, points: ArrayLike | None) -> Floats:
    if points is None:
        return layout(network)
    positions = check.points(points)
    if positions.shape != (network.n, 2):
        raise ValueError(f"points must have shape ({network.n}, 2), a position for each node, got {positions.shape}")
    return positions


def _lines(ax: Any, ends: Floats, lw: float, **looks: Any) -> Any:
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(ends), linewidths=lw, capstyle="round", zorder=1, **looks)
    lines.set_rasterized(len(ends) > RASTER)
    return ax.add_collection(lines, autolim=False)


def _nodes(ax: Any, positions: Floats, tint: Any, larger: float = 1.0) -> None:
    size = float(np.clip(180 / np.sqrt(len(positions)) * larger, 2, 40))
    ax.scatter(*positions.T, s=size, c=tint, zorder=2, linewidths=0.4, edgecolors="white")


def _frame(ax: Any, positions: Floats, title: str | None) -> None:
    margin = 0.04 * max(float(np.ptp(positions, axis=0).max()), 1e-9)
    ax.set_xlim(positions[:, 0].min() - margin, positions[:, 0].max() + margin)
    ax.set_ylim(positions[:, 1].min() - margin, positions[:, 1].max() + margin)
    ax.set_aspect("equal")
    tidy(ax, title)
    ax.set_axis_off()


def layout(graph: Any) -> Floats:
    """Find positions in the plane for the nodes of a graph, with distances close to those of shortest paths.

    Stress majorization with weights d⁻², started from classical scaling. Every edge has length 1. The result is
    deterministic.

    Parameters
    ----------
    graph : networkx graph, sparse matrix, edges of shape (e, 2), or Network
        At most 1,500 nodes. Edge weights are ignored.

    Returns
    -------
    array of shape (n, 2)
        Positions of the nodes, in edge lengths.

    Notes
    -----
    Time O(n³), memory O(n²).

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> places = wt.plotting.graphs.layout([(0, 1), (1, 2)])  # a path: its ends are two edges apart
    >>> round(float(np.linalg.norm(places[0] - places[2])), 3)
    2.0
    """
    network = as_network(graph, weight=None)
    if network.n > MAX_NODES:
        raise ValueError(
            f"layout takes graphs of at most {MAX_NODES} nodes, got {network.n}; pass points, or draw a part of it"
        )
    if network.n == 1:
        return np.zeros((1, 2))
    D = dijkstra(network.metric.lengths.toarray(), directed=False, unweighted=True)
    D = np.where(np.isinf(D), COMPONENT_DISTANCE * max(D[np.isfinite(D)].max(), 1.0), D)
    weights = np.maximum(D, 1e-9) ** -2
    np.fill_diagonal(weights, 0.0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights, hermitian=True)
    around = np.arange(network.n)
    positions = embed(D).points + 1e-3 * np.column_stack([np.cos(around), np.sin(around)])  # no two in the same place
    for _ in range(LAYOUT_ROUNDS):
        pull = -weights * D / np.maximum(cdist(positions, positions), 1e-9)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        positions = inverse @ (pull @ positions)
    return np.asarray(positions)
