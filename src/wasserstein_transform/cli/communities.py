"""`wt communities`: find the communities of a graph in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .._display import counted
from .options import command, computation, folder_output
from .running import running
from .summary import describe_input

WEIGHT_HELP = (
    "Numbers at edges: length, strength (length is 1/strength), none, or the name of an edge attribute, with its "
    "meaning where it is not clear: value:strength."
)


@command
@click.argument("graph", type=click.Path(path_type=Path))
@click.option("-k", "--n", type=int, metavar="N", help="Number of communities.", show_default="chosen by the evidence")
@click.option("--weight", metavar="WHAT", show_default="as the file tells", help=WEIGHT_HELP)
@click.option(
    "--resolution", type=float, metavar="X", show_default="chosen by the evidence",
    help="Resolution of the modularity: above 1 more communities.",
)  # fmt: skip
@folder_output
@computation
def communities(**options: Any) -> None:
    """Find the communities of a graph.

    They have more edges within them than between them. GRAPH is GML, GraphML, or a list of edges: `a b`, or `a b
    length`. Writes communities.csv (node, community, probability), communities.png and summary.json into the folder.
    """
    with running(options) as run:
        from ..graphs import communities as find

        graph, options_of_weight = run.given.graph, dict[str, Any]()
        plan = run.plan_folder("communities", ("communities.csv",), "communities.png", graph)
        if run.given.weight:
            name, _, meaning = run.given.weight.partition(":")
            options_of_weight["weight"] = None if name == "none" else (name, meaning) if meaning else name
        run.bar.stage("finding")
        partition = find(graph, run.given.n, resolution=run.given.resolution, **options_of_weight)
        table = partition.to_pandas().round({"probability": 6})
        lines = (
            f"{counted(len(partition.network.edges), 'edge')} between {counted(partition.network.n, 'node')}",
            f"{counted(partition.n_communities, 'community')}, modularity {partition.modularity:.3f}",
        )
        run.finish(
            plan, describe_input(str(graph)), lines,
            {"communities": partition.n_communities, "modularity": partition.modularity},
            draw=lambda: partition.plot(title=graph.stem.replace("$", r"\$")),  # no formula
            more={"communities.csv": lambda: table.to_csv(index=False, lineterminator="\n").encode()},
        )  # fmt: skip
