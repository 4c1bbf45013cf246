"""`wt curvature` and `wt flow`: where a graph in a file bends, and what flows apart."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .door import door
from .options import Jobs
from .printing import say

if TYPE_CHECKING:
    from ..graphs import Communities, Curvature, Flow, Network

_DRAWN = 1500  # nodes up to which the graph itself is drawn

Graph = Annotated[Path, typer.Argument(help="A graph: GML, GraphML, or a list of edges `a b [length]`.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="Folder for tables and figure.")]
Idleness = Annotated[float, typer.Option(help="Chance that the walk stays where it is.")]


def curvature(
    graph: Graph,
    output: Output,
    idleness: Idleness = 0.5,
    power: Annotated[float, typer.Option(help="Neighbors count exp(-length^power); 0: all alike.")] = 0.0,
    limit: Annotated[bool, typer.Option("--limit", help="The limit of Lin, Lu and Yau instead.")] = False,
    jobs: Jobs = None,
) -> None:
    """Ollivier-Ricci curvature of all edges of a graph.

    Writes into the folder edges.csv, nodes.csv (mean curvature of the edges of each node) and curvature.png: all of
    them or none.
    """
    with door("wt curvature"):
        import numpy as np

        from ..graphs import LazyWalk, as_network, curvature as bend, lin_lu_yau
        from .pictures import Place

        place, network = Place(output, "edges.csv", "nodes.csv", "curvature.png"), as_network(graph)
        start = time.perf_counter()
        found = (
            lin_lu_yau(network, power, n_jobs=jobs, verbose=sys.stderr.isatty())
            if limit
            else bend(network, LazyWalk(idleness, power), n_jobs=jobs, verbose=sys.stderr.isatty())
        )
        seconds = time.perf_counter() - start
        files = {"edges.csv": _edges(found), "nodes.csv": _nodes(found), "curvature.png": _bent(found, _title(graph))}
        place.write(files)
    known = found.values[~np.isnan(found.values)]
    say(f"{len(known)} edges between {network.n} nodes in {seconds:.1f} s")
    if len(known):
        below = f"{100 * float(np.mean(known < -1e-12)):.0f} % of edges negative"
        say(f"curvature {known.min():.3f} to {known.max():.3f}, mean {known.mean():.3f}, {below}")
    say(f"{output}: {', '.join(files)}")


def flow(
    graph: Graph,
    output: Output,
    n_iter: Annotated[int, typer.Option(help="Most iterations.")] = 50,
    idleness: Idleness = 0.5,
    power: Annotated[float, typer.Option(help="Neighbors count exp(-length^power); 0: all alike.")] = 2.0,
    surgery: Annotated[int, typer.Option(help="Cut long edges every so many iterations; 0: never.")] = 0,
    truth: Annotated[str, typer.Option(help="An attribute of the nodes with known communities.")] = "",
    jobs: Jobs = None,
) -> None:
    """Discrete Ricci flow of a graph, and the communities it pulls apart.

    Writes into the folder edges.csv (lengths in the end), communities.csv and flow.png: all of them or none.
    """
    with door("wt flow"):
        from ..graphs import LazyWalk, Surgery, as_network, ricci_flow
        from .pictures import Place

        place, network = Place(output, "edges.csv", "communities.csv", "flow.png"), as_network(graph)
        known = _truth(network, truth) if truth else None
        start = time.perf_counter()
        cut = Surgery(surgery) if surgery else None
        found = ricci_flow(network, n_iter, LazyWalk(idleness, power), cut, n_jobs=jobs, verbose=sys.stderr.isatty())
        groups = found.communities()
        seconds = time.perf_counter() - start
        files = {
            "edges.csv": _lengths(found),
            "communities.csv": _table(("node", "community"), zip(network.nodes, groups.labels.tolist(), strict=True)),
            "flow.png": _flowed(found, groups, _title(graph)),
        }
        place.write(files)
    say(f"{found.n_iter} iterations on {len(network.edges)} edges between {network.n} nodes in {seconds:.1f} s")
    say(f"{groups.n_communities} communities, modularity {groups.modularity:.3f}")
    if known is not None:
        _score(known, groups)
    say(f"{output}: {', '.join(files)}")


def _title(graph: Path) -> str:
    return graph.stem.replace("$", r"\$")  # no formula


def _truth(network: Network, attribute: str) -> list[str]:
    if network.origin is None:
        raise ValueError("a list of edges has no attributes; known communities come with GML or GraphML files")
    known = [network.origin.nodes[node].get(attribute) for node in network.nodes]
    if any(value is None for value in known):
        raise ValueError(f"not all nodes have the attribute {attribute!r}")
    return [str(value) for value in known]


def _score(known: list[str], groups: Communities) -> None:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rand, shared = (score(known, groups.labels) for score in (adjusted_rand_score, normalized_mutual_info_score))
    scores = f"adjusted Rand index {rand:.3f}, normalized mutual information {shared:.3f}"
    say(f"{len(set(known))} known communities: {scores}")


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
    raw = BytesIO()
    figure.savefig(raw, format="png", dpi=200)
    return raw.getvalue()
