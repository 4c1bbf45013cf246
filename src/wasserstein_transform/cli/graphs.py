"""`wt curvature` and `wt flow`: Ollivier-Ricci curvature and Ricci flow of a graph in a file."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._shown import counted
from .options import Computation, Output, argument, command, computation, folder_output, option
from .output import Offer
from .results import escape_formulas
from .running import Result, running
from .summary import describe_input

if TYPE_CHECKING:
    from ..graphs import Communities, Curvature, Flow, Network

DRAWN = 1500
"""The graph itself is drawn up to this many nodes."""

GRAPH = argument(
    "graph",
    "GML, GraphML, or a list of edges: `a b`, or `a b length`.",
    metavar="GRAPH",
    type=click.Path(path_type=Path),
)
EDGES = option(
    "--weight", type=click.Choice(("length", "strength", "none")), metavar="WHAT", show_default="as the file tells",
    help="Meaning of edge numbers: length, strength (length is 1/strength), none.",
)  # fmt: skip
TRUTH = option(
    "--truth",
    section="Input",
    default="",
    metavar="NAME",
    help="Node attribute with known communities, only for scoring.",
    show_default=False,
)
IDLENESS = option("--idleness", type=float, default=0.5, metavar="P", help="Probability that the random walk stays.")


@command
@GRAPH
@EDGES
@IDLENESS
@option("--power", type=float, default=0.0, metavar="X", help="Neighbors have weight exp(-length^power); 0: equal.")
@option("--limit", is_flag=True, help="Use the limit of Lin, Lu and Yau instead.")
@folder_output
@computation
def curvature(
    graph: Path, weight: str | None, idleness: float, power: float, limit: bool, output: Output,
    computation: Computation,
) -> None:  # fmt: skip
    """Compute the Ollivier-Ricci curvature of all edges of a graph.

    Writes edges.csv, nodes.csv (mean curvature of the edges at each node), curvature.png and summary.json into the
    folder. If an error occurs, no file is written.
    """
    with running(output, computation) as run:
        import numpy as np

        from ..graphs import LazyWalk, curvature as compute, lin_lu_yau

        plan = run.plan_folder(Offer("curvature", more=("edges.csv", "nodes.csv")), graph)
        with run.stage("reading"):
            network = read_network(graph, weight)
        with run.stage("computing"):
            found = lin_lu_yau(network, power) if limit else compute(network, LazyWalk(idleness, power))
        known = found.values[~np.isnan(found.values)]
        lines = [
            f"{counted(len(known), 'edge')} between {counted(network.n, 'node')} in {run.seconds['computing']:.1f} s"
        ]
        facts: dict[str, Any] = {"edges": len(known), "nodes": network.n}
        if len(known):
            least, largest, mean, negative = known.min(), known.max(), known.mean(), np.mean(known < -1e-12)
            facts |= {"least": least, "largest": largest, "mean": mean, "negative": negative}
            lines.append(
                f"curvature {least:.3f} to {largest:.3f}, mean {mean:.3f}, {100 * negative:.0f} % of edges negative"
            )
        result = Result(
            lines, facts, {"weight": weight, "idleness": idleness, "power": power, "limit": limit},
            draw=lambda: _draw_curvature(found, escape_formulas(graph.stem)),
            more={"edges.csv": partial(_edges, found), "nodes.csv": partial(_nodes, found)},
        )  # fmt: skip
        run.finish(plan, result, describe_input(str(graph)))


@command
@GRAPH
@EDGES
@option("--n-iter", type=int, default=50, metavar="N", help="Largest number of iterations.")
@IDLENESS
@option("--power", type=float, default=2.0, metavar="X", help="Neighbors have weight exp(-length^power); 0: equal.")
@option("--surgery", type=int, default=0, metavar="N", help="Cut long edges every N iterations; 0: never.")
@TRUTH
@folder_output
@computation
def flow(
    graph: Path, weight: str | None, n_iter: int, idleness: float, power: float, surgery: int, truth: str,
    output: Output, computation: Computation,
) -> None:  # fmt: skip
    """Run discrete Ricci flow on a graph, and find the communities that it separates.

    Writes edges.csv (final edge lengths), communities.csv, flow.png and summary.json into the folder. If an error
    occurs, no file is written.
    """
    with running(output, computation) as run:
        from ..graphs import LazyWalk, Surgery, ricci_flow

        plan = run.plan_folder(Offer("flow", more=("edges.csv", "communities.csv")), graph)
        with run.stage("reading"):
            network = read_network(graph, weight)
        known = known_groups(network, truth) if truth else None
        with run.stage("computing"):
            cut = Surgery(surgery) if surgery else None
            found = ricci_flow(network, n_iter, LazyWalk(idleness, power), cut)
            groups = found.communities()
        size = f"{counted(len(network.edges), 'edge')} between {counted(network.n, 'node')}"
        lines = [
            f"{counted(found.n_iter, 'iteration')} on {size} in {run.seconds['computing']:.1f} s",
            f"{groups.n_communities} communities, modularity {groups.modularity:.3f}",
        ]
        facts = {"communities": groups.n_communities, "modularity": groups.modularity, "iterations": found.n_iter}
        if known is not None:
            more_lines, scores = agreement_lines(known, groups)
            lines, facts = lines + more_lines, facts | scores
        rows = list(zip(network.nodes, groups.labels.tolist(), strict=True))
        parameters = {
            "weight": weight, "n_iter": n_iter, "idleness": idleness, "power": power, "surgery": surgery,
            "truth": truth or None,
        }  # fmt: skip
        result = Result(
            lines, facts, parameters, draw=lambda: _draw_flow(found, groups, escape_formulas(graph.stem)),
            more={
                "edges.csv": partial(_lengths, found),
                "communities.csv": partial(encode_rows, ("node", "community"), rows),
            },
        )  # fmt: skip
        run.finish(plan, result, describe_input(str(graph)))


def _edges(found: Curvature) -> bytes:
    names = found.network.nodes
    rows = zip(found.pairs.tolist(), found.distances.tolist(), found.values.tolist(), strict=True)
    return encode_rows(("a", "b", "distance", "curvature"), ((names[a], names[b], d, k) for (a, b), d, k in rows))


def _nodes(found: Curvature) -> bytes:
    return encode_rows(("node", "curvature"), zip(found.network.nodes, found.at_nodes().tolist(), strict=True))


def _lengths(found: Flow) -> bytes:
    names, last = found.network.nodes, found.lengths[-1].tolist()
    rows = zip(found.network.edges.tolist(), found.network.lengths.tolist(), last, strict=True)
    return encode_rows(
        ("a", "b", "length before", "length after"), ((names[a], names[b], x, y) for (a, b), x, y in rows)
    )


def _draw_curvature(found: Curvature, name: str) -> Any:
    from ..plotting import curvature, histogram

    return _draw_beside(found.network, partial(curvature, found, title=name), partial(histogram, found))


def _draw_flow(found: Flow, groups: Communities, name: str) -> Any:
    from ..plotting import communities, flow

    return _draw_beside(found.network, partial(communities, groups, title=name), partial(flow, found))


def read_network(graph: Path, weight: str | None) -> Network:
    """Read a graph; errors about the meaning of edge numbers name the option --weight."""
    from ..graphs import as_network

    try:
        return as_network(graph) if weight is None else as_network(graph, None if weight == "none" else weight)
    except ValueError as error:
        words = str(error).partition("; where a function")[0].replace("weight=None", "--weight none")
        raise ValueError(re.sub(r"weight='(\w+)'", r"--weight \1", words)) from None


def known_groups(network: Network, attribute: str) -> list[str]:
    """The known community of each node, from a node attribute."""
    if network.origin is None:
        raise ValueError("a list of edges has no node attributes; use a GML or GraphML file for --truth")
    known = [network.origin.nodes[node].get(attribute) for node in network.nodes]
    if any(value is None for value in known):
        raise ValueError(f"not all nodes have the attribute {attribute!r}; add it, or leave --truth out")
    return [str(value) for value in known]


def agreement_lines(known: list[str], groups: Communities) -> tuple[list[str], dict[str, float]]:
    """The agreement with known communities: as a line, and as facts."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rand, shared = (float(score(known, groups.labels)) for score in (adjusted_rand_score, normalized_mutual_info_score))
    scores = f"adjusted Rand index {rand:.3f}, normalized mutual information {shared:.3f}"
    return [f"{len(set(known))} known communities: {scores}"], {"adjusted_rand": rand, "mutual_information": shared}


def encode_rows(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> bytes:
    """Encode rows as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue().encode()


def _draw_beside(network: Network, graph: Callable[..., Any], chart: Callable[..., Any]) -> Any:
    """A figure of the graph, unless it is too large, and of the chart beside it."""
    from ..plotting import panels

    if network.n <= DRAWN:
        figure, (left, right) = panels(1, 2, width=9.0, height=4.0)
        graph(ax=left)
    else:
        figure, right = panels(width=5.0, height=4.0)
    chart(ax=right)
    return figure
