"""`wt curvature` and `wt flow`: Ollivier-Ricci curvature and Ricci flow of a graph in a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._shown import counted, listed
from .options import Computation, Output, argument, command, computation, folder_output, option
from .output import Offer
from .results import escape_formulas
from .running import Result, running
from .summary import describe_input

if TYPE_CHECKING:
    from ..graphs import Communities, Curvature, Flow, Network

GRAPH = argument(
    "graph",
    "GML, GraphML, or a list of edges: `a b`, or `a b length`.",
    metavar="GRAPH",
    type=click.Path(path_type=Path),
)
WEIGHT = option(
    "--weight", metavar="WHAT", show_default="as the file tells",
    help="Numbers at edges: length, strength (length is 1/strength), none, or the name of an edge attribute, with its "
    "meaning where it is not clear: value:strength.",
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
@WEIGHT
@IDLENESS
@option("--power", type=float, default=0.0, metavar="X", help="Neighbors have weight exp(-length^power); 0: equal.")
@folder_output
@computation
def curvature(
    graph: Path, weight: str | None, idleness: float, power: float, output: Output, computation: Computation
) -> None:
    """Compute the Ollivier-Ricci curvature of all edges of a graph.

    Writes edges.csv, nodes.csv (mean curvature of the edges at each node), curvature.png and summary.json into the
    folder. If an error occurs, no file is written.
    """
    with running(output, computation) as run:
        import numpy as np

        from ..graphs import LazyWalk, curvature as compute

        plan = run.plan_folder(Offer("curvature", more=("edges.csv", "nodes.csv")), graph)
        with run.stage("reading"):
            network = read_network(graph, weight)
        with run.stage("computing"):
            found = compute(network, LazyWalk(idleness, power))
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
            lines, facts, {"weight": weight, "idleness": idleness, "power": power},
            draw=lambda: _draw_curvature(found, escape_formulas(graph.stem)),
            more={"edges.csv": partial(encode_table, found), "nodes.csv": partial(_nodes, found)},
        )  # fmt: skip
        run.finish(plan, result, describe_input(str(graph)))


@command
@GRAPH
@WEIGHT
@option("--n-iter", type=int, default=50, metavar="N", help="Largest number of iterations.")
@IDLENESS
@option("--power", type=float, default=2.0, metavar="X", help="Neighbors have weight exp(-length^power); 0: equal.")
@TRUTH
@folder_output
@computation
def flow(
    graph: Path, weight: str | None, n_iter: int, idleness: float, power: float, truth: str, output: Output,
    computation: Computation,
) -> None:  # fmt: skip
    """Run discrete Ricci flow on a graph, and find the communities that it separates.

    Writes edges.csv (final edge lengths), communities.csv, flow.png and summary.json into the folder. If an error
    occurs, no file is written.
    """
    with running(output, computation) as run:
        from ..graphs import LazyWalk, ricci_flow

        plan = run.plan_folder(Offer("flow", more=("edges.csv", "communities.csv")), graph)
        with run.stage("reading"):
            network = read_network(graph, weight)
        known = known_groups(network, truth) if truth else None
        with run.stage("computing"):
            found = ricci_flow(network, n_iter, LazyWalk(idleness, power))
            groups = found.communities()
        size = f"{counted(len(network.edges), 'edge')} between {counted(network.n, 'node')}"
        lines = [
            f"{counted(found.n_iter, 'iteration')} on {size} in {run.seconds['computing']:.1f} s",
            f"{counted(groups.n_communities, 'community')}, modularity {groups.modularity:.3f}",
        ]
        facts = {"communities": groups.n_communities, "modularity": groups.modularity, "iterations": found.n_iter}
        if known is not None:
            more_lines, scores = agreement_lines(known, groups)
            lines, facts = lines + more_lines, facts | scores
        parameters = {
            "weight": weight, "n_iter": n_iter, "idleness": idleness, "power": power,
            "truth": truth or None,
        }  # fmt: skip
        result = Result(
            lines, facts, parameters, draw=lambda: _draw_flow(found, groups, escape_formulas(graph.stem)),
            more={"edges.csv": partial(encode_table, found), "communities.csv": partial(encode_table, groups)},
        )  # fmt: skip
        run.finish(plan, result, describe_input(str(graph)))


def encode_table(found: Curvature | Flow | Communities) -> bytes:
    """The table of a result as CSV; probabilities are rounded."""
    frame = found.to_pandas()
    text: str = frame.round({"probability": 6}).to_csv(index=False, lineterminator="\n", na_rep="nan")
    return text.encode()


def _nodes(found: Curvature) -> bytes:
    from .._shown import frame

    table = frame({"node": found.network.nodes, "curvature": found.at_nodes()})
    return bytes(table.to_csv(index=False, lineterminator="\n", na_rep="nan").encode())


def _draw_curvature(found: Curvature, name: str) -> Any:
    from ..plotting import curvature, histogram

    return _draw_beside(found.network, partial(curvature, found, title=name), partial(histogram, found))


def _draw_flow(found: Flow, groups: Communities, name: str) -> Any:
    from ..plotting import communities, flow

    return _draw_beside(found.network, partial(communities, groups, title=name), partial(flow, found))


def read_network(graph: Path, weight: str | None, *, strengths: bool = False) -> Network:
    """Read a graph; errors about numbers at edges name the option --weight."""
    from ..graphs import as_network
    from ..spaces.edges import ASK, Weight, as_strength

    name, _, meaning = (weight or ASK).partition(":")
    chosen: Weight = None if name == "none" else (name, meaning) if meaning else name
    return as_network(graph, as_strength(chosen) if strengths else chosen)


def known_groups(network: Network, attribute: str) -> list[str]:
    """The known community of each node, from a node attribute."""
    if network.origin is None:
        raise ValueError("a list of edges has no node attributes; use a GML or GraphML file for --truth")
    attributes = [network.origin.nodes[node] for node in network.nodes]
    if any(attribute not in node for node in attributes):
        complete = sorted(set.intersection(*(set(node) for node in attributes)))
        there = f"they have {listed([repr(name) for name in complete])}" if complete else "they have none in common"
        raise ValueError(f"--truth: not all nodes have the attribute {attribute!r}; {there}")
    return [str(node[attribute]) for node in attributes]


def agreement_lines(known: list[str], groups: Communities) -> tuple[list[str], dict[str, float]]:
    """The agreement with known communities: as a line, and as facts."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rand, shared = (float(score(known, groups.labels)) for score in (adjusted_rand_score, normalized_mutual_info_score))
    scores = f"adjusted Rand index {rand:.3f}, normalized mutual information {shared:.3f}"
    return [f"{counted(len(set(known)), 'known community')}: {scores}"], {
        "adjusted_rand": rand,
        "mutual_information": shared,
    }


def _draw_beside(network: Network, graph: Callable[..., Any], chart: Callable[..., Any]) -> Any:
    """A figure of the graph, unless it is too large, and of the chart beside it."""
    from ..plotting import panels
    from ..plotting.graphs import DRAWN

    if network.n <= DRAWN:
        figure, (left, right) = panels(1, 2, width=9.0, height=4.0)
        graph(ax=left)
    else:
        figure, right = panels(width=5.0, height=4.0)
    chart(ax=right)
    return figure
