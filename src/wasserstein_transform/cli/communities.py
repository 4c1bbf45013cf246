"""`wt communities`: find the communities of a graph in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .answering import drawn
from .expanding import Call, expanded
from .figures import plain
from .keeping import Folder
from .machine import Machine
from .networks import DRAWN, Graph, Weight, agreement, known_groups, read_network, table_of
from .running import opened
from .summary import as_input

if TYPE_CHECKING:
    from ..graphs import Communities

_PIXELS = 300  # pixels per side of the matrix that is drawn for a large graph


@expanded
def communities(
    *,
    graph: Graph,
    folder: Folder,
    weight: Weight = None,
    n: Annotated[int, typer.Option("-k", "--n", help="Number of communities; 0: chosen by the method.")] = 0,
    resolution: Annotated[
        float, typer.Option(help="Resolution; if given, modularity chooses the number. 0: evidence does.")
    ] = 0.0,
    method: Annotated[str, typer.Option(help="messages, or transform (for a few hundred nodes).")] = "messages",
    truth: Annotated[str, typer.Option(help="Node attribute with known communities.")] = "",
    machine: Machine,
    call: Call,
) -> None:
    """Find the communities of a graph: groups with more edges within them than between them.

    Writes communities.csv (the community of each node, and its probability), communities.png and summary.json into the
    folder. If an error occurs, no file is written.
    """
    with opened(call, folder, machine) as run:
        from .. import graphs

        place = run.place("communities.csv", "communities.png")
        ways = {"messages": graphs.Messages, "transform": graphs.Transformed}
        if method not in ways:
            raise ValueError(f"--method must be one of {', '.join(ways)}, got {method!r}")
        with run.stage("reading"):
            network = read_network(graph, weight)
        known = known_groups(network, truth) if truth else None
        with run.stage("finding"):
            found = graphs.communities(network, n or None, ways[method](), resolution=resolution or None)
        with run.stage("drawing"):
            picture = _picture(found, plain(graph.stem))
        size = f"{len(network.edges)} edges between {network.n} nodes"
        words = [
            f"{size} in {run.seconds['finding']:.1f} s",
            f"{found.n_communities} communities, modularity {found.modularity:.3f}",
        ]
        result = {"communities": found.n_communities, "modularity": found.modularity}
        if known is not None:
            scores = agreement(known, found)
            words.append(
                f"{len(set(known))} known communities: adjusted Rand index {scores['adjusted_rand']:.3f}, "
                f"normalized mutual information {scores['mutual_information']:.3f}"
            )
            result |= scores
        parameters = {
            "weight": weight,
            "n": n or None,
            "resolution": resolution or None,
            "method": method,
            "truth": truth or None,
        }
        files = {"communities.csv": _table(found), "communities.png": picture}
        run.finish_folder(place, files, words, parameters, result, as_input(str(graph)))


def _table(found: Communities) -> bytes:
    labels = found.labels.tolist()
    if found.chances is None:
        return table_of(("node", "community"), zip(found.network.nodes, labels, strict=True))
    sure = found.chances.max(axis=1).round(6).tolist()
    return table_of(("node", "community", "chance"), zip(found.network.nodes, labels, sure, strict=True))


def _picture(found: Communities, name: str) -> bytes:
    """A PNG of the graph, or of its adjacency matrix if the graph is large."""
    from .. import plotting

    if found.network.n > DRAWN:
        return _matrix(found, name)
    figure, ax = plotting.panels(width=6.5, height=5.5)
    plotting.communities(found, ax=ax, title=name)
    return drawn(figure, "png")


def _matrix(found: Communities, name: str) -> bytes:
    """A PNG of the adjacency matrix with nodes sorted by community; lines separate the larger communities."""
    import numpy as np

    from .. import plotting
    from ..plotting.style import STRONG, THIN, tidy

    n, sizes = found.network.n, np.bincount(found.labels)
    place = np.empty(n)
    place[np.argsort(found.labels, kind="stable")] = np.arange(n)
    a, b = place[found.network.edges].T
    counts = np.histogram2d(np.r_[a, b], np.r_[b, a], bins=_PIXELS, range=((0, n), (0, n)))[0]
    figure, ax = plotting.panels(width=5.0, height=5.2)
    top = max(float(np.quantile(counts, 0.995)), 1.0)
    ax.imshow(counts, cmap="gray_r", vmax=top, extent=(0, n, n, 0), interpolation="nearest")
    for end in np.cumsum(sizes)[:-1][sizes[:-1] >= n / _PIXELS]:
        ax.axhline(end, color=STRONG, lw=THIN)
        ax.axvline(end, color=STRONG, lw=THIN)
    ax.set(xticks=[], yticks=[])
    tidy(ax, f"{name}: edges, nodes by community")
    return drawn(figure, "png")
