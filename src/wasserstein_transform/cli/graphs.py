"""`wt curvature` and `wt flow`: Ollivier-Ricci curvature and Ricci flow of a graph in a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .expanding import Call, expanded
from .figures import plain
from .keeping import Folder
from .machine import Machine
from .networks import Graph, Weight, agreement, drawn_beside, known_groups, read_network, table_of
from .running import opened
from .summary import as_input

if TYPE_CHECKING:
    from ..graphs import Communities, Curvature, Flow

Idleness = Annotated[float, typer.Option(help="Probability that the random walk stays.")]


@expanded
def curvature(
    *,
    graph: Graph,
    folder: Folder,
    weight: Weight = None,
    idleness: Idleness = 0.5,
    power: Annotated[float, typer.Option(help="Neighbors have weight exp(-length^power); 0: equal.")] = 0.0,
    limit: Annotated[bool, typer.Option("--limit", help="Use the limit of Lin, Lu and Yau instead.")] = False,
    machine: Machine,
    call: Call,
) -> None:
    """Compute the Ollivier-Ricci curvature of all edges of a graph.

    Writes edges.csv, nodes.csv (mean curvature of the edges at each node), curvature.png and summary.json into the
    folder. If an error occurs, no file is written.
    """
    with opened(call, folder, machine) as run:
        import numpy as np

        from ..graphs import LazyWalk, curvature as bend, lin_lu_yau

        place = run.place("edges.csv", "nodes.csv", "curvature.png")
        with run.stage("reading"):
            network = read_network(graph, weight)
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
    n_iter: Annotated[int, typer.Option(help="Largest number of iterations.")] = 50,
    idleness: Idleness = 0.5,
    power: Annotated[float, typer.Option(help="Neighbors have weight exp(-length^power); 0: equal.")] = 2.0,
    surgery: Annotated[int, typer.Option(help="Cut long edges every N iterations; 0: never.")] = 0,
    truth: Annotated[str, typer.Option(help="Node attribute with known communities.")] = "",
    machine: Machine,
    call: Call,
) -> None:
    """Run discrete Ricci flow on a graph, and find the communities that it separates.

    Writes edges.csv (final edge lengths), communities.csv, flow.png and summary.json into the folder. If an error
    occurs, no file is written.
    """
    with opened(call, folder, machine) as run:
        from ..graphs import LazyWalk, Surgery, ricci_flow

        place = run.place("edges.csv", "communities.csv", "flow.png")
        with run.stage("reading"):
            network = read_network(graph, weight)
        known = known_groups(network, truth) if truth else None
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
            scores = agreement(known, groups)
            words.append(
                f"{len(set(known))} known communities: adjusted Rand index {scores['adjusted_rand']:.3f}, "
                f"normalized mutual information {scores['mutual_information']:.3f}"
            )
            result |= scores
        rows = zip(network.nodes, groups.labels.tolist(), strict=True)
        files = {
            "edges.csv": _lengths(found), "communities.csv": table_of(("node", "community"), rows), "flow.png": picture,
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


def _edges(found: Curvature) -> bytes:
    names = found.network.nodes
    rows = zip(found.pairs.tolist(), found.distances.tolist(), found.values.tolist(), strict=True)
    return table_of(("a", "b", "distance", "curvature"), ((names[a], names[b], d, k) for (a, b), d, k in rows))


def _nodes(found: Curvature) -> bytes:
    return table_of(("node", "curvature"), zip(found.network.nodes, found.at_nodes().tolist(), strict=True))


def _lengths(found: Flow) -> bytes:
    names, last = found.network.nodes, found.lengths[-1].tolist()
    rows = zip(found.network.edges.tolist(), found.network.lengths.tolist(), last, strict=True)
    return table_of(("a", "b", "length before", "length after"), ((names[a], names[b], x, y) for (a, b), x, y in rows))


def _bent(found: Curvature, name: str) -> bytes:
    from ..plotting import curvature, histogram

    return drawn_beside(found.network, partial(curvature, found, title=name), partial(histogram, found))


def _flowed(found: Flow, groups: Communities, name: str) -> bytes:
    from ..plotting import communities, flow

    return drawn_beside(found.network, partial(communities, groups, title=name), partial(flow, found))
