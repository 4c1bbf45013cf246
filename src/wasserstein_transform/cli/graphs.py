"""`wt curvature` and `wt flow`: where a graph in a file bends, and what flows apart."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import drawn
from .expanding import Call, expanded
from .figures import plain
from .keeping import Folder
from .machine import Machine
from .running import opened
from .summary import as_input

if TYPE_CHECKING:
    from ..graphs import Communities, Curvature, Flow, Network

_DRAWN = 1500  # nodes up to which the graph itself is drawn

Graph = Annotated[
    Path, typer.Argument(metavar="GRAPH", help="GML, GraphML, or a list of edges: `a b`, or `a b length`.")
]
Weight = Annotated[
    str | None,
    typer.Option(
        help="What numbers at edges are: length, strength (lengths are 1/strength), none.", show_default="asked"
    ),
]
Idleness = Annotated[float, typer.Option(help="Chance that the walk stays where it is.")]


@expanded
def curvature(
    *,
    graph: Graph,
    folder: Folder,
    weight: Weight = None,
    idleness: Idleness = 0.5,
    power: Annotated[float, typer.Option(help="Neighbors count exp(-length^power); 0: all alike.")] = 0.0,
    limit: Annotated[bool, typer.Option("--limit", help="The limit of Lin, Lu and Yau instead.")] = False,
    machine: Machine,
    call: Call,
) -> None:
    """Ollivier-Ricci curvature of all edges of a graph.

    Writes into the folder edges.csv, nodes.csv (mean curvature of the edges of each node), curvature.png and
    summary.json: all of them or none.
    """
    with opened(call, folder, machine) as run:
        import numpy as np

        from ..graphs import LazyWalk, curvature as bend, lin_lu_yau

        place = run.place("edges.csv", "nodes.csv", "curvature.png")
        with run.stage("reading"):
            network = _network(graph, weight)
        with run.stage("bending"):
            found = lin_lu_yau(network, power) if limit else bend(network, LazyWalk(idleness, power))
        with run.stage("drawing"):
            picture = _bent(found, plain(graph.stem))
        known = found.values[~np.isnan(found.values)]
        words = [f"{len(known)} edges between {network.n} nodes in {run.seconds['bending']:.1f} s"]
        result: dict[str, Any] = {"edges": len(known), "nodes": network.n}
        if len(known):
            result |= {
                "least": known.min(),
                "largest": known.max(),
                "mean": known.mean(),
                "negative": np.mean(known < -1e-12),
            }
            below = f"{100 * result['negative']:.0f} % of edges negative"
            words.append(f"curvature {known.min():.3f} to {known.max():.3f}, mean {known.mean():.3f}, {below}")
        files = {"edges.csv": _edges(found), "nodes.csv": _nodes(found), "curvature.png": picture}
        parameters = {"weight": weight, "idleness": idleness, "power": power, "limit": limit}
        run.finish_folder(place, files, words, parameters, result, as_input(str(graph)))


@expanded
def flow(
    *,
    graph: Graph,
    folder: Folder,
    weight: Weight = None,
    n_iter: Annotated[int, typer.Option(help="Most iterations.")] = 50,
    idleness: Idleness = 0.5,
    power: Annotated[float, typer.Option(help="Neighbors count exp(-length^power); 0: all alike.")] = 2.0,
    surgery: Annotated[int, typer.Option(help="Cut long edges every so many iterations; 0: never.")] = 0,
    truth: Annotated[str, typer.Option(help="An attribute of the nodes with known communities.")] = "",
    machine: Machine,
    call: Call,
) -> None:
    """Discrete Ricci flow of a graph, and the communities it pulls apart.

    Writes into the folder edges.csv (lengths in the end), communities.csv, flow.png and summary.json: all of
    them or none.
    """
    with opened(call, folder, machine) as run:
        from ..graphs import LazyWalk, Surgery, ricci_flow

        place = run.place("edges.csv", "communities.csv", "flow.png")
        with run.stage("reading"):
            network = _network(graph, weight)
        known = _truth(network, truth) if truth else None
        with run.stage("flowing"):
            cut = Surgery(surgery) if surgery else None
            found = ricci_flow(network, n_iter, LazyWalk(idleness, power), cut)
            groups = found.communities()
        with run.stage("drawing"):
            picture = _flowed(found, groups, plain(graph.stem))
        size = f"{len(network.edges)} edges between {network.n} nodes"
        words = [
            f"{found.n_iter} iterations on {size} in {run.seconds['flowing']:.1f} s",
            f"{groups.n_communities} communities, modularity {groups.modularity:.3f}",
        ]
        result = {"communities": groups.n_communities, "modularity": groups.modularity, "iterations": found.n_iter}
        if known is not None:
            scores = _scores(known, groups)
            words.append(
                f"{len(set(known))} known communities: adjusted Rand index {scores['adjusted_rand']:.3f}, "
                f"normalized mutual information {scores['mutual_information']:.3f}"
            )
            result |= scores
        rows = zip(network.nodes, groups.labels.tolist(), strict=True)
        files = {
            "edges.csv": _lengths(found), "communities.csv": _table(("node", "community"), rows), "flow.png": picture,
        }  # fmt: skip
        parameters = {
            "weight": weight,
            "n_iter": n_iter,
            "idleness": idleness,
            "power": power,
            "surgery": surgery,
            "truth": truth or None,
        }
        run.finish_folder(place, files, words, parameters, result, as_input(str(graph)))


def _network(graph: Path, weight: str | None) -> Network:
    """The graph of a file; what is asked about its edges is asked for as an option."""
    from ..graphs import as_network

    if weight not in (None, "length", "strength", "none"):
        raise ValueError(f"--weight must be one of length, strength, none, got {weight!r}")
    try:
        return as_network(graph) if weight is None else as_network(graph, None if weight == "none" else weight)
    except ValueError as error:
        words = str(error).partition("; where a function")[0].replace("weight=None", "--weight none")
        raise ValueError(re.sub(r"weight='(\w+)'", r"--weight \1", words)) from None


def _truth(network: Network, attribute: str) -> list[str]:
    if network.origin is None:
        raise ValueError("a list of edges has no attributes; known communities come with GML or GraphML files")
    known = [network.origin.nodes[node].get(attribute) for node in network.nodes]
    if any(value is None for value in known):
        raise ValueError(f"not all nodes have the attribute {attribute!r}")
    return [str(value) for value in known]


def _scores(known: list[str], groups: Communities) -> dict[str, float]:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rand, shared = (score(known, groups.labels) for score in (adjusted_rand_score, normalized_mutual_info_score))
    return {"adjusted_rand": float(rand), "mutual_information": float(shared)}


def _edges(found: Curvature) -> bytes:
    names = found.network.nodes
    rows = zip(found.pairs.tolist(), found.distances.tolist(), found.values.tolist(), strict=True)
    return _table(("a", "b", "distance", "curvature"), ((names[a], names[b], d, k) for (a, b), d, k in rows))


def _nodes(found: Curvature) -> bytes:
    return _table(("node", "curvature"), zip(found.network.nodes, found.at_nodes().tolist(), strict=True))


def _lengths(found: Flow) -> bytes:
    names, last = found.network.nodes, found.lengths[-1].tolist()
    rows = zip(found.network.edges.tolist(), found.network.lengths.tolist(), last, strict=True)
    return _table(("a", "b", "length before", "length after"), ((names[a], names[b], x, y) for (a, b), x, y in rows))


def _table(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> bytes:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue().encode()


def _bent(found: Curvature, name: str) -> bytes:
    from ..plotting import curvature, histogram

    return _drawn(found.network, partial(curvature, found, title=name), partial(histogram, found))


def _flowed(found: Flow, groups: Communities, name: str) -> bytes:
    from ..plotting import communities, flow

    return _drawn(found.network, partial(communities, groups, title=name), partial(flow, found))


def _drawn(network: Network, graph: Callable[..., Any], figures: Callable[..., Any]) -> bytes:
    """A graph, unless it is too large, and the figures beside it, as a PNG."""
    from ..plotting import panels

    if network.n <= _DRAWN:
        figure, (left, right) = panels(1, 2, width=9.0, height=4.0)
        graph(ax=left)
    else:
        figure, right = panels(width=5.0, height=4.0)
    figures(ax=right)
    return drawn(figure, "png")
