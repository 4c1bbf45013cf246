"""Shared by the commands for graphs: reading, scoring, listing and drawing."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answering import drawn

if TYPE_CHECKING:
    from ..graphs import Communities, Network

DRAWN = 1500
"""The graph itself is drawn up to this many nodes."""

Graph = Annotated[
    Path, typer.Argument(metavar="GRAPH", help="GML, GraphML, or a list of edges: `a b`, or `a b length`.")
]
Weight = Annotated[
    str | None,
    typer.Option(
        help="Meaning of edge numbers: length, strength (length is 1/strength), none.",
        show_default="as the file tells",
    ),
]


def read_network(graph: Path, weight: str | None) -> Network:
    """Read a graph; errors about the meaning of edge numbers name the option --weight."""
    from ..graphs import as_network

    if weight not in (None, "length", "strength", "none"):
        raise ValueError(f"--weight must be one of length, strength, none, got {weight!r}")
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


def agreement(known: list[str], groups: Communities) -> dict[str, float]:
    """Scores of the agreement with known communities."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rand, shared = (score(known, groups.labels) for score in (adjusted_rand_score, normalized_mutual_info_score))
    return {"adjusted_rand": float(rand), "mutual_information": float(shared)}


def table_of(head: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> bytes:
    """Encode rows as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue().encode()


def drawn_beside(network: Network, graph: Callable[..., Any], figures: Callable[..., Any]) -> bytes:
    """A PNG of the graph, unless it is too large, and of the chart beside it."""
    from ..plotting import panels

    if network.n <= DRAWN:
        figure, (left, right) = panels(1, 2, width=9.0, height=4.0)
        graph(ax=left)
    else:
        figure, right = panels(width=5.0, height=4.0)
    figures(ax=right)
    return drawn(figure, "png")
