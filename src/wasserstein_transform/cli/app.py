"""All commands."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from .graphs import curvature, flow
from .parts import parts
from .printing import say
from .reproduce import reproduce
from .segment import segment
from .warmup import warmup
from .words import words

app = typer.Typer(
    name="wt",
    help="The Wasserstein Transform on the command line.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # boxes cut names of options where a terminal is narrow
)
app.command(short_help="Run the paper's experiments and judge its claims.")(reproduce)
app.command(short_help="Find the regions of a picture.")(segment)
app.add_typer(words, name="words")
app.command()(curvature)
app.command(short_help="Ricci flow of a graph, and its communities.")(flow)
app.command()(parts)
app.command()(warmup)


def _say_version(asked: bool) -> None:
    if asked:
        say(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, help="Say the version.")] = False,
) -> None:
    """The Wasserstein Transform on the command line."""
