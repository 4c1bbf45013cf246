"""All commands."""

from __future__ import annotations

from typing import Annotated

import typer

from .. import __version__
from .graphs import curvature, flow
from .parts import parts
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
)
app.command()(reproduce)
app.command()(segment)
app.add_typer(words, name="words")
app.command()(curvature)
app.command()(flow)
app.command()(parts)
app.command()(warmup)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, help="Say the version.")] = False,
) -> None:
    """The Wasserstein Transform on the command line."""
