"""`wt communities`: find the communities of a graph in a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._shown import counted
from .graphs import DRAWN, EDGES, GRAPH, TRUTH, agreement_lines, encode_rows, known_groups, read_network
from .options import Computation, Output, command, computation, folder_output, option
from .output import Offer
from .results import escape_formulas
from .running import Result, running
from .summary import describe_input

if TYPE_CHECKING:
    from ..graphs import Communities

_PIXELS = 300  # pixels per side of the matrix that is drawn for a large graph


@command
@GRAPH
@option("-k", "--n", type=int, default=0, metavar="N", help="Number of communities; 0: chosen by the method.")
@EDGES
@option(
    "--resolution", section="Tuning", type=float, default=0.0, metavar="X",
    help="Resolution; if given, modularity chooses the number. 0: evidence does.",
)  # fmt: skip
@option(
    "--method", section="Tuning", type=click.Choice(("messages", "transform")), default="messages", metavar="NAME",
    help="messages, or transform (for a few hundred nodes).",
)  # fmt: skip
@TRUTH
@folder_output
@computation
def communities(
    graph: Path, n: int, weight: str | None, resolution: float, method: str, truth: str, output: Output,
    computation: Computation,
) -> None:  # fmt: skip
    """Find the communities of a graph: groups with more edges within them than between them.

    Writes communities.csv (the community of each node, and its probability), communities.png and summary.json into the
    folder. If an error occurs, no file is written.
    """
    with running(output, computation) as run:
        from .. import graphs

        plan = run.plan_folder(Offer("communities", more=("communities.csv",)), graph)
        with run.stage("reading"):
            network = read_network(graph, weight)
        known = known_groups(network, truth) if truth else None
        with run.stage("finding"):
            way = graphs.Messages() if method == "messages" else graphs.Transformed()
            found = graphs.communities(network, n or None, way, resolution=resolution or None)
        size = f"{counted(len(network.edges), 'edge')} between {counted(network.n, 'node')}"
        lines = [
            f"{size} in {run.seconds['finding']:.1f} s",
            f"{found.n_communities} communities, modularity {found.modularity:.3f}",
        ]
        facts = {"communities": found.n_communities, "modularity": found.modularity}
        if known is not None:
            more_lines, scores = agreement_lines(known, found)
            lines, facts = lines + more_lines, facts | scores
        parameters = {
            "weight": weight, "n": n or None, "resolution": resolution or None, "method": method,
            "truth": truth or None,
        }  # fmt: skip
        result = Result(
            lines, facts, parameters, draw=lambda: _draw(found, escape_formulas(graph.stem)),
            more={"communities.csv": partial(_table, found)},
        )  # fmt: skip
        run.finish(plan, result, describe_input(str(graph)))


def _table(found: Communities) -> bytes:
    labels = found.labels.tolist()
    if found.chances is None:
        return encode_rows(("node", "community"), zip(found.network.nodes, labels, strict=True))
    sure = found.chances.max(axis=1).round(6).tolist()
    return encode_rows(("node", "community", "chance"), zip(found.network.nodes, labels, sure, strict=True))


def _draw(found: Communities, name: str) -> Any:
    """A figure of the graph, or of its adjacency matrix if the graph is large."""
    from .. import plotting

    if found.network.n > DRAWN:
        return _matrix(found, name)
    figure, ax = plotting.panels(width=6.5, height=5.5)
    plotting.communities(found, ax=ax, title=name)
    return figure


def _matrix(found: Communities, name: str) -> Any:
    """A figure of the adjacency matrix with nodes sorted by community; lines separate the larger communities."""
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
    return figure
