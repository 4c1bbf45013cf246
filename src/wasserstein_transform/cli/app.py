"""The commands of `wt`."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from .commands import Entry, LazyGroup
from .printing import say


class Commands(LazyGroup):
    """The commands of `wt`, by section."""

    sections = {
        "Points and distances in files": {
            "cluster": Entry("Find clusters, with parameters chosen from the data.", "cluster"),
            "denoise": Entry("Move noisy points onto curves or surfaces.", "denoise"),
            "skeleton": Entry("Find the lines that points lie along.", "skeleton"),
            "transform": Entry("Move points by a transform of your choice.", "transform"),
            "distances": Entry("Compute the new distances between all points.", "distances"),
            "suggest": Entry("Suggest parameters for these points, with reasons.", "suggest"),
            "explore": Entry("Open a page with sliders in your browser.", "explore"),
            "again": Entry("Repeat a run that wrote a summary.json.", "again"),
        },
        "Images, words, graphs": {
            "segment": Entry("Find the regions of an image.", "segment"),
            "words": Entry("Adapt word vectors to a corpus.", "words"),
            "curvature": Entry("Compute Ollivier-Ricci curvature of a graph.", "graphs"),
            "communities": Entry("Find the communities of a graph.", "communities"),
            "flow": Entry("Run Ricci flow on a graph, and find communities.", "graphs"),
        },
        "The package": {
            "info": Entry("Show versions and extras, or what is in a file.", "info"),
            "parts": Entry("List all localizations and transports.", "parts"),
            "reproduce": Entry("Run the paper's experiments, check its claims.", "reproduce"),
            "warmup": Entry("Compile the common kernels in advance.", "warmup"),
        },
    }
    ends = {
        "0": "done",
        "1": "reproduce: a case that used to hold fails",
        "2": "wrong input or options; a line says why",
        "3": "not enough memory",
        "70": "internal error",
        "130": "stopped by Ctrl-C",
        "141": "the reader of the output has gone (broken pipe)",
        "143": "terminated by a signal",
    }


app = typer.Typer(
    cls=Commands,
    name="wt",
    help="The Wasserstein Transform on the command line. To start: wt cluster points.csv -o clusters",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # the boxes of rich cut option names in narrow terminals
)


def _say_version(asked: bool) -> None:
    if asked:
        say(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, help="Print the version.")] = False,
) -> None:
    """Options of `wt` itself; the help text is that of `app`."""
