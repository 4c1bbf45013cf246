"""The figure of a clustering: clusters, what tells them apart, the tree they were cut from, other partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._display import counted
from .._types import Floats, Ints
from ..clustering import Clustering
from ..clustering.profile import Profile, shortened
from ..compute import sample_evenly
from .clouds import draw as draw_points, name_axes
from .colors import dot_style, draw_scale
from .dendrograms import branches, dendrogram, highest_merges, node_positions
from .embedding import embed
from .style import GRAY, INK, TEXT, THIN, TICKS, WIDTH, canvas, color, expect, panels, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_LEAVES = 1000  # leaves that are drawn; larger trees show only the highest merges
MAX_LEAVES_WITH_DETAILS = 300
MAX_EMBEDDED = 2000  # points that are placed by classical scaling
MAX_LEGEND = 10  # clusters that a legend lists
MAX_SEPARATED_COLUMNS = 300  # columns that directions are made of
RELATIVE_RIDGE = 1e-3  # relative to the variance of a column
MAX_NAMED_COLUMNS = 3  # columns that name a direction
MAX_PROFILE_COLUMNS, MAX_PROFILE_CLUSTERS = 10, 8  # of a profile
MAX_LETTERS = 20  # of the name of a column
MAX_COLORED_DEVIATIONS = 2.0  # standard deviations that have the strongest color


def clustering(found: Clustering, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the points of a clustering, colored by cluster, noise in gray.

    Points with three or more coordinates are shown along the two directions that separate the clusters best (linear
    discriminant analysis), named by the columns that go with them; points known only by distances are placed by
    classical scaling (at most 2,000 of them). `found.plot()` adds what tells the clusters apart.

    Parameters
    ----------
    found : Clustering
        The result of `wt.cluster`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; by default the number of clusters.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> wt.plotting.clustering(wt.cluster(wt.datasets.circles(0).points), ax).get_title(loc="left")
    '2 clusters'
    """
    expect(found, Clustering, "wt.cluster(X) makes one")
    ax = canvas(ax)
    _draw_cloud(ax, found, *found.columns, title)
    return ax


def draw(result: Clustering, *, details: bool = False, title: str | None = None) -> Figure:
    """Draw the figure of a clustering: the clusters, and what tells them apart; `Clustering.plot` calls this.

    For three or more columns, a second panel has the typical values of the clusters (see `Clustering.profile`), in the
    columns that tell them apart most; red is higher and blue is lower than in the other clusters. With `details`, the
    tree follows, with branches colored by cluster and a dot at each cut, if the clusters come from one; and the
    partitions that were considered, larger if more recipes gave them, by their expected agreement with the true
    clusters; the chosen one is blue. Large trees show only their highest merges.
    """
    names, values = result.columns
    parts: list[Callable[[Any], None]] = [lambda ax: _draw_cloud(ax, result, names, values)]
    if len(names) > 2 and result.n_clusters > 1:
        parts.append(lambda ax: _draw_profile(ax, result.profile()))
    if details and result.tree is not None:
        parts.append(lambda ax: _draw_tree(ax, result))
    if details and len(result.partitions) > 1:
        parts.append(lambda ax: _draw_partitions(ax, result))
    width = WIDTH * (0.6, 1.15, 1.5, 2)[len(parts) - 1]
    figure, axes = panels(1, len(parts), width=width, height=width / (len(parts) + 0.1))
    for part, ax in zip(parts, np.atleast_1d(axes), strict=True):
        part(ax)
    if title is not None:
        figure.suptitle(title, fontsize=TEXT + 2, x=0.01, ha="left")
    return figure


def _draw_cloud(ax: Any, result: Clustering, names: tuple[str, ...], values: Floats, title: str | None = None) -> None:
    points, labels = _coordinates(result)
    words = counted(result.n_clusters, "cluster") + f", {result.noise:.0%} noise" * bool(result.n_noise)
    has_legend = 2 <= result.n_clusters <= MAX_LEGEND
    draw_points(ax, points, dot_style(labels, len(points)), words if title is None else title, has_legend)
    ax.locator_params(nbins=5)
    if result.space.points is None:
        name_axes(ax, ["classical scaling"])
    elif result.points is not None and result.points.shape[1] > 2:
        name_axes(ax, [_name_direction(x, names, values[_shown(result)]) for x in points.T])
    elif result.features is not None and result.features.earth is not None:
        sides = ("east", "north") if result.features.on_map == [0, 1] else ("north", "east")
        name_axes(ax, [f"meters {side} of {result.features.earth}" for side in sides])


def _coordinates(result: Clustering) -> tuple[Floats, Ints]:
    """Up to two coordinates of the points, and their labels."""
    points = result.points
    if points is not None:
        flat = points if points.shape[1] <= 2 else _separate(points, result.labels, result.space.weights)
        shown = _shown(result)
        return flat[shown], result.labels[shown]
    labels = np.where(result.is_noise, -1, result.labels_of_places)
    some = sample_evenly(len(result.rows), MAX_EMBEDDED)
    if len(some) == 1:
        return np.zeros((1, 2)), labels
    return embed(result.space.take(result.rows[some])).points, labels[some]


def _shown(result: Clustering) -> Ints:
    """The rows that are drawn: not those with missing cells, which have no mass."""
    return np.arange(result.space.n) if result.features is None else result.features.rows


def _separate(points: Floats, labels: Ints, weights: Floats) -> Floats:
    """Project points onto the two directions that separate the clusters best.

    Directions that do not separate, as there are with two clusters, are those of largest variance. Each points to
    larger values of the column that it depends on most.
    """
    masses = weights * (labels >= 0)
    points = points - np.average(points, axis=0, weights=masses)
    spread = np.sqrt(masses @ points**2 / masses.sum())
    points = (points / np.where(spread > 0, spread, 1.0))[:, np.argsort(-spread, kind="stable")[:MAX_SEPARATED_COLUMNS]]
    k, m = int(labels.max()) + 1, points.shape[1]
    shares = np.bincount(np.maximum(labels, 0), masses, k) / masses.sum()
    means = np.column_stack([np.bincount(np.maximum(labels, 0), masses * x, k) for x in points.T]) / masses.sum()
    means /= np.maximum(shares, 1e-300)[:, None]
    whole = points.T @ (points * masses[:, None]) / masses.sum()
    between = means.T @ (means * shares[:, None])
    within = whole - between + RELATIVE_RIDGE * np.eye(m) if k > 1 else np.eye(m)
    values, axes = np.linalg.eigh(within)
    sphere = axes / np.sqrt(np.maximum(values, RELATIVE_RIDGE))
    directions = sphere @ np.linalg.eigh(sphere.T @ (between + RELATIVE_RIDGE * whole) @ sphere)[1][:, :-3:-1]
    strongest = directions[np.abs(directions).argmax(axis=0), [0, 1]]
    return np.asarray(points @ (directions * np.sign(strongest)))


def _name_direction(coordinates: Floats, names: tuple[str, ...], values: Floats) -> str:
    """Name the columns that correlate most with a direction, with an arrow for each sign."""
    filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    filled, x = filled - filled.mean(axis=0), coordinates - coordinates.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        together = np.nan_to_num(x @ filled / np.sqrt((x @ x) * (filled**2).sum(axis=0)))
    size = np.abs(together)
    best = [j for j in np.argsort(-size, kind="stable")[:MAX_NAMED_COLUMNS] if size[j] >= max(0.3, 0.7 * size.max())]
    named = (f"{shortened(names[j], MAX_LETTERS)} {'↑' if together[j] > 0 else '↓'}" for j in best)
    return "\n".join(named).replace("$", r"\$")


def draw_profile(profile: Profile, title: str | None = None) -> Any:
    """Draw a profile in a new figure."""
    if not profile.names:
        raise ValueError("this profile has no columns, so there is nothing to draw: only distances are known")
    ax = canvas(None, size=(0.7 * WIDTH, 0.5 * WIDTH))
    _draw_profile(ax, profile, title)
    return ax


def _draw_profile(ax: Any, profile: Profile, title: str | None = None) -> None:
    """Draw typical values as a table, colored by the difference from the other clusters."""
    columns = profile.columns[:MAX_PROFILE_COLUMNS]
    clusters = range(min(len(profile.sizes), MAX_PROFILE_CLUSTERS))
    shades = profile.differences[: len(clusters), columns].T
    image = ax.imshow(shades, cmap="RdBu_r", vmin=-MAX_COLORED_DEVIATIONS, vmax=MAX_COLORED_DEVIATIONS, aspect="auto")
    for row, j in enumerate(columns):
        for c in clusters:
            ink = "white" if abs(shades[row, c]) > 0.7 * MAX_COLORED_DEVIATIONS else INK
            size = TICKS - (len(clusters) > 5)
            ax.text(c, row, profile.value(c, j), ha="center", va="center", fontsize=size, color=ink)
    ax.set_yticks(range(len(columns)), [shortened(profile.names[j], MAX_LETTERS).replace("$", r"\$") for j in columns])
    ax.set_xticks(clusters, [str(c) for c in clusters])
    more = len(profile.sizes) - len(clusters)
    ax.set_xlabel("cluster" + f" ({more} more are not shown)" * (more > 0), fontsize=TEXT, color=INK)
    tidy(ax, "medians of the most telling columns" if title is None else title)
    ax.tick_params(length=0)
    for c, tick in zip(clusters, ax.get_xticklabels(), strict=True):
        tick.set(color=color(c), fontweight="bold")
    draw_scale(ax, image, "standard deviations from the other clusters")


def _draw_tree(ax: Any, result: Clustering) -> None:
    tree = result.tree
    assert tree is not None
    labels = result.labels_of_places
    cut = np.flatnonzero(labels[tree.edges[:, 0]] != labels[tree.edges[:, 1]])
    recipe = "tree of the distances" if result.recipe is None else str(result.recipe)  # few points need no recipe
    n_leaves = tree.n if tree.n <= MAX_LEAVES else max(MAX_LEAVES_WITH_DETAILS, tree.n - int(cut.min()) + 1)
    dendrogram(tree, labels, ax=ax, max_leaves=max(n_leaves, 2), title=recipe.partition(", share")[0])
    drawn = highest_merges(branches(tree, labels), n_leaves)
    nodes = len(drawn.heights) - (tree.n - 1 - cut)  # merges are the last nodes, in the order of the edges
    ax.plot(node_positions(drawn)[nodes], drawn.heights[nodes], "o", ms=3.2, mew=0.7, mfc="white", mec=INK, zorder=3)
    hidden = f", the highest {drawn.n - 1} merges" * (drawn.n < tree.n)
    ax.set_xlabel(f"dots: cuts{hidden}", fontsize=TEXT, color=INK)


def _draw_partitions(ax: Any, result: Clustering) -> None:
    """Draw a dot for each partition that was considered, larger if more recipes gave it."""
    from matplotlib.ticker import MaxNLocator

    considered = result.partitions[::-1]  # the best is drawn last, on top
    counts = np.array([partition.n_clusters for partition in considered])
    expected = np.clip([partition.expected for partition in considered], 0.0, 1.0)
    sizes = 7 * np.array([partition.votes for partition in considered]) ** 0.7
    chosen = np.arange(len(considered))[::-1] == (-1 if result.chosen is None else result.chosen)
    ax.scatter(counts[~chosen], expected[~chosen], s=sizes[~chosen], color=GRAY, alpha=0.5, linewidths=0)
    ax.scatter(counts[chosen], expected[chosen], s=sizes[chosen], color=color(0), edgecolors=INK, zorder=3)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_ylim(-0.05, 1.08)
    ax.set_ylabel("expected agreement", fontsize=TEXT, color=INK)
    ax.set_xlabel("clusters", fontsize=TEXT, color=INK)
    ax.grid(axis="y", color="#E6E6E6", lw=THIN)
    ax.spines[["top", "right"]].set_visible(False)
    tidy(ax, f"{counted(len(considered), 'partition')}, larger by votes")
