"""`wt communities`: find the communities of a graph in a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from .._shown import counted
from .graphs import GRAPH, TRUTH, WEIGHT, agreement_lines, encode_table, known_groups, read_network
from .options import Computation, Output, command, computation, folder_output, option
from .output import Offer
from .results import escape_formulas
from .running import Result, running
from .summary import describe_input


@command
@GRAPH
@option("-k", "--n", type=int, default=0, metavar="N", help="Number of communities; 0: chosen by the evidence.")
@WEIGHT
@option(
    "--resolution", section="Tuning", type=float, default=0.0, metavar="X",
    help="Resolution of the modularity: above 1 more communities. 0: chosen by the evidence.",
)  # fmt: skip
@TRUTH
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

        plan = run.plan_folder(Offer("communities", more=("communities.csv",)), graph)
        with run.stage("reading"):
            network = read_network(graph, weight, strengths=True)
        known = known_groups(network, truth) if truth else None
        with run.stage("finding"):
            found = find(network, n or None, resolution=resolution or None)
        size = f"{counted(len(network.edges), 'edge')} between {counted(network.n, 'node')}"
        lines = [
            f"{size} in {run.seconds['finding']:.1f} s",
            f"{counted(found.n_communities, 'community')}, modularity {found.modularity:.3f}",
        ]
        facts = {"communities": found.n_communities, "modularity": found.modularity}
        if known is not None:
            more_lines, scores = agreement_lines(known, found)
            lines, facts = lines + more_lines, facts | scores
        result = Result(
            lines, facts,
            {"weight": weight, "n": n or None, "resolution": resolution or None, "truth": truth or None},
            draw=partial(found.plot, title=escape_formulas(graph.stem)),
            more={"communities.csv": partial(encode_table, found)},
        )  # fmt: skip
        run.finish(plan, result, describe_input(str(graph)))
