"""`wt communities`: find the communities of a graph in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .._shown import counted, listed
from .options import Computation, Output, argument, command, computation, folder_output, option
from .running import running
from .summary import describe_input

if TYPE_CHECKING:
    from ..graphs import Communities, Network

_WEIGHTS = (
    "Numbers at edges: length, strength (length is 1/strength), none, or the name of an edge attribute, with its "
    "meaning where it is not clear: value:strength."
)


@command
@argument(
    "graph", "GML, GraphML, or a list of edges: `a b`, or `a b length`.", metavar="GRAPH",
    type=click.Path(path_type=Path),
)  # fmt: skip
@option("-k", "--n", type=int, default=0, metavar="N", help="Number of communities; 0: chosen by the evidence.")
@option("--weight", metavar="WHAT", show_default="as the file tells", help=_WEIGHTS)
@option(
    "--resolution", section="Tuning", type=float, default=0.0, metavar="X",
    help="Resolution of the modularity: above 1 more communities. 0: chosen by the evidence.",
)  # fmt: skip
@option(
    "--truth", section="Input", default="", metavar="NAME", show_default=False,
    help="Node attribute with known communities, only for scoring.",
)  # fmt: skip
@folder_output
@computation
def communities(
    graph: Path, n: int, weight: str | None, resolution: float, truth: str, output: Output, computation: Computation
) -> None:
    """Find the communities of a graph: groups with more edges within them than between them.

    Writes communities.csv (node, community, probability), communities.png and summary.json into the folder. If an error
    occurs, no file is written.
    """
    with running(output, computation) as run:
        from ..graphs import communities as find

        plan = run.plan_folder("communities", ("communities.csv",), "communities.png", graph)
        with run.stage("reading"):
            network = _read(graph, weight)
        known = _known_groups(network, truth) if truth else None
        with run.stage("finding"):
            found = find(network, n or None, resolution=resolution or None)
        size = f"{counted(len(network.edges), 'edge')} between {counted(network.n, 'node')}"
        lines = [
            f"{size} in {run.seconds['finding']:.1f} s",
            f"{counted(found.n_communities, 'community')}, modularity {found.modularity:.3f}",
        ]
        facts = {"communities": found.n_communities, "modularity": found.modularity}
        if known is not None:
            rand, shared = _agreement(known, found)
            scores = f"adjusted Rand index {rand:.3f}, normalized mutual information {shared:.3f}"
            lines.append(f"{counted(len(set(known)), 'known community')}: {scores}")
            facts |= {"adjusted_rand": rand, "mutual_information": shared}
        parameters = {"weight": weight, "n": n or None, "resolution": resolution or None, "truth": truth or None}
        run.finish(
            plan, describe_input(str(graph)), lines, facts, parameters,
            draw=lambda: found.plot(title=graph.stem.replace("$", r"\$")),  # no formula
            more={"communities.csv": lambda: _encode(found)},
        )  # fmt: skip


def _encode(found: Communities) -> bytes:
    text: str = found.to_pandas().round({"probability": 6}).to_csv(index=False, lineterminator="\n")
    return text.encode()


def _read(graph: Path, weight: str | None) -> Network:
    """Read a graph; errors about numbers at edges name the option --weight."""
    from ..graphs import as_network
    from ..spaces.edges import ASK, Weight, as_strength

    name, _, meaning = (weight or ASK).partition(":")
    chosen: Weight = None if name == "none" else (name, meaning) if meaning else name
    return as_network(graph, as_strength(chosen))


def _known_groups(network: Network, attribute: str) -> list[str]:
    """The known community of each node, from a node attribute."""
    if network.origin is None:
        raise ValueError("a list of edges has no node attributes; use a GML or GraphML file for --truth")
    attributes = [network.origin.nodes[node] for node in network.nodes]
    if any(attribute not in node for node in attributes):
        complete = sorted(set.intersection(*(set(node) for node in attributes)))
        there = f"they have {listed([repr(name) for name in complete])}" if complete else "they have none in common"
        raise ValueError(f"--truth: not all nodes have the attribute {attribute!r}; {there}")
    return [str(node[attribute]) for node in attributes]


def _agreement(known: list[str], found: Communities) -> tuple[float, float]:
    """The adjusted Rand index and the normalized mutual information with the known communities."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    labels = found.labels
    return float(adjusted_rand_score(known, labels)), float(normalized_mutual_info_score(known, labels))
