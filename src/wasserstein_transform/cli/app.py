"""All commands."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from .commands import Entry, LazyGroup
from .printing import say


class Commands(LazyGroup):
    """What `wt` can do."""

    sections = {
        "Points and distances in files": {
            "cluster": Entry("Clusters, with everything chosen by the data.", "cluster"),
            "denoise": Entry("Move noisy points onto curves or surfaces.", "denoise"),
            "skeleton": Entry("The lines that points lie along.", "skeleton"),
            "transform": Entry("Move points by a transform of your choice.", "transform"),
            "distances": Entry("The new distances between all points.", "distances"),
            "suggest": Entry("Parameters for these points, and why.", "suggest"),
            "explore": Entry("A page with sliders, in your browser.", "explore"),
            "again": Entry("Repeat a run that wrote a summary.json.", "again"),
        },
        "Pictures, words, graphs": {
            "segment": Entry("Find the regions of a picture.", "segment"),
            "words": Entry("Words as Gaussians, adapted by a corpus.", "words"),
            "curvature": Entry("Ollivier-Ricci curvature of a graph.", "graphs"),
            "communities": Entry("Communities of a graph.", "communities"),
            "flow": Entry("Ricci flow of a graph, and its communities.", "graphs"),
        },
        "The package": {
            "info": Entry("Versions and extras; what is in a file.", "info"),
            "parts": Entry("All localizations and transports.", "parts"),
            "reproduce": Entry("Run the paper's experiments, judge its claims.", "reproduce"),
            "warmup": Entry("Compile what common calls need, ahead of them.", "warmup"),
        },
    }
    ends = {
        "0": "done",
        "1": "reproduce: a case that used to hold fails",
        "2": "what was asked for cannot be done: a line says why",
        "3": "not enough memory",
        "70": "a mistake of this program",
        "130": "stopped by Ctrl-C",
        "141": "whoever read the output went away",
        "143": "ended by a signal",
    }


app = typer.Typer(
    cls=Commands,
    name="wt",
    help="The Wasserstein Transform on the command line. A first try: wt cluster points.csv -o clusters",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # boxes cut names of options where a terminal is narrow
)


def _say_version(asked: bool) -> None:
    if asked:
        say(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, help="Say the version.")] = False,
) -> None:
    """All commands; what `help` above says is shown."""
