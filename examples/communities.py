"""Communities of a club that split in two, and of graphs so noisy that hardly anything is left of their groups.

Prints how well known groups are found here and by Louvain's method, and saves one figure:
`python examples/communities.py [FILE]`. It takes a minute.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

import wasserstein_transform as wt

try:
    import matplotlib as mpl
    import networkx as nx
except ImportError:
    sys.exit('the example needs matplotlib and networkx: pip install ".[plot,graph]"')

ORANGE, BLUE, GRAY = "#D55E00", "#0072B2", "#999999"  # safe for color-blind eyes
GROUPS, DEGREE, NODES = 4, 10.0, 600
TIMES = (0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
SEEDS = range(5)


def planted(times: float, seed: int) -> nx.Graph:
    """Four groups; the edges within them are so many times as numerous as could just be seen."""
    apart = times * GROUPS * np.sqrt(DEGREE)
    inside, outside = DEGREE + apart * (GROUPS - 1) / GROUPS, DEGREE - apart / GROUPS
    return nx.planted_partition_graph(GROUPS, NODES // GROUPS, inside / NODES, outside / NODES, seed=seed)


def louvain(graph: nx.Graph) -> np.ndarray:
    """The communities of networkx, as labels."""
    labels = np.empty(len(graph), int)
    for k, group in enumerate(nx.community.louvain_communities(graph, seed=0)):
        labels[list(group)] = k
    return labels


def agreement(labels: np.ndarray) -> float:
    """Normalized mutual information with the planted groups."""
    return float(normalized_mutual_info_score(np.repeat(np.arange(GROUPS), NODES // GROUPS), labels))


def draw_club(ax: mpl.axes.Axes) -> None:
    """The karate club, with the two groups it fell into; the least sure member is named."""
    club = nx.karate_club_graph()
    found = wt.graphs.communities(club, weight=None)
    sides = np.array([club.nodes[node]["club"] for node in club])
    kept = max(np.mean((found.labels == 0) == (sides == side)) for side in set(sides))
    print(f"karate club: {found.n_communities} communities, {kept:.0%} of the members on the side they took")
    places = wt.plotting.graphs.layout(club)
    wt.plotting.communities(found, places, ax)
    unsure = int(found.probabilities.argmin())
    ax.annotate(
        f"least sure: {found.probabilities[unsure]:.0%}",
        places[unsure],
        (10, -26),
        textcoords="offset points",
        fontsize=8,
        arrowprops={"arrowstyle": "-", "color": GRAY},
    )
    ax.set_title(f"a club before it split: {kept:.0%} as they went", loc="left", fontsize=10)


def draw_matrix(ax: mpl.axes.Axes, graph: nx.Graph, labels: np.ndarray, title: str) -> None:
    """Edges as dots, nodes in the order of their communities, with lines between those."""
    order = np.argsort(labels, kind="stable")
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order))
    ends = place[np.array(graph.edges)]
    dots = np.concatenate([ends, ends[:, ::-1]])
    ax.plot(*dots.T, ".", ms=1.0, mew=0, color="#333333")
    for edge in np.cumsum(np.bincount(labels))[:-1]:
        ax.axhline(edge, color=ORANGE, lw=0.8)
        ax.axvline(edge, color=ORANGE, lw=0.8)
    ax.set(xticks=[], yticks=[], xlim=(0, len(order)), ylim=(len(order), 0), aspect="equal")
    ax.set_title(title, loc="left", fontsize=10)


def draw_curve(ax: mpl.axes.Axes) -> None:
    """Agreement with the planted groups, by how far above the threshold they are."""
    scores = {"wt.graphs.communities": (BLUE, "o", []), "Louvain": (ORANGE, "s", [])}
    for times in TIMES:
        graphs = [planted(times, seed) for seed in SEEDS]
        scores["wt.graphs.communities"][2].append([agreement(wt.graphs.communities(g).labels) for g in graphs])
        scores["Louvain"][2].append([agreement(louvain(g)) for g in graphs])
        ours, theirs = (np.mean(values[-1]) for _, _, values in scores.values())
        print(f"{times:4.2f} times the threshold: {ours:.2f} here, {theirs:.2f} by Louvain")
    for name, (color, marker, values) in scores.items():
        mean, spread = np.mean(values, axis=1), np.std(values, axis=1)
        ax.plot(TIMES, mean, color=color, marker=marker, ms=4, label=name)
        ax.fill_between(TIMES, mean - spread, mean + spread, color=color, alpha=0.15, lw=0)
    ax.axvline(1.0, color=GRAY, lw=0.8, ls=(0, (3, 2)))
    ax.text(
        1.0, 1.0, " the threshold: below it\n nothing can be found", fontsize=8, color="#666666", va="top", ha="left"
    )
    ax.set(xlabel="times the detectability threshold", ylabel="NMI with the planted groups", ylim=(-0.02, 1.02))
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    ax.set_title(f"{GROUPS} planted groups, {NODES} nodes", loc="left", fontsize=10)


def main(file: str = "communities.png") -> None:
    """Find, score and draw."""
    figure, axes = wt.plotting.panels(2, 2, width=9.0, height=8.0)
    draw_club(axes[0, 0])
    draw_curve(axes[0, 1])
    graph = planted(1.5, seed=1)
    for ax, labels, name in (
        (axes[1, 0], louvain(graph), "Louvain"),
        (axes[1, 1], wt.graphs.communities(graph).labels, "wt.graphs.communities"),
    ):
        draw_matrix(ax, graph, labels, f"{name}: {labels.max() + 1} communities, NMI {agreement(labels):.2f}")
    figure.savefig(file, dpi=130)
    print(f"figure saved as {file}")


if __name__ == "__main__":
    mpl.use("Agg")
    main(*sys.argv[1:2])
