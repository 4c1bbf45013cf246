"""The commands of `wt`: imported when they are used, with help for terminals of any width."""

from __future__ import annotations

import difflib
import importlib
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click

from .. import __version__
from .errors import STOPPED, exit_at_broken_pipes
from .printing import say

_MAX_WIDTH, _MIN_WIDTH = 80, 20  # of help texts

EVERYDAY = {
    "cluster": "Find clusters.",
    "denoise": "Move noisy points onto curves or surfaces.",
    "skeleton": "Find the lines that points lie along.",
    "segment": "Find the regions of an image.",
    "communities": "Find the communities of a graph.",
    "explore": "Open a page with sliders in your browser.",
}
MORE = {
    "transform": "Move points by a transform of your choice.",
    "info": "Show what is installed, or what is in a file.",
    "warmup": "Compile the common kernels in advance.",
}
STATUSES = {
    "0": "done",
    "2": "wrong input or options; a line says why",
    "3": "not enough memory",
    "70": "internal error",
    "130": "stopped by Ctrl-C",
    "141": "the reader of the output has gone (broken pipe)",
    "143": "terminated by a signal",
}


class Commands(click.Group):
    """The commands of `wt`; each is imported when it is run or its help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return [*EVERYDAY, *MORE]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none with this name."""
        if cmd_name not in EVERYDAY and cmd_name not in MORE:
            return None
        module = importlib.import_module(f".{cmd_name}", __package__)
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that the first word names; an unknown name raises an error with the nearest one."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], names, 1, 0.5)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise click.UsageError(f"no command is called {args[0]}; {meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the commands are for, and an example."""
        super().format_help_text(ctx, formatter)
        with formatter.section("To start"):
            formatter.write_text(f"{ctx.command_path} cluster points.csv -o clusters")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in two groups."""
        for title, commands in (("Commands", EVERYDAY), ("More commands", MORE)):
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the meanings of the exit statuses."""
        with formatter.section("Exit status"):
            formatter.write_dl(list(STATUSES.items()))

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """A context whose help has the width of the terminal."""
        extra.setdefault("terminal_width", max(min(shutil.get_terminal_size().columns, _MAX_WIDTH), _MIN_WIDTH))
        with exit_at_broken_pipes():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its help may be read by a program that ends early."""
        with exit_at_broken_pipes():
            return super().invoke(ctx)

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; a usage error is one line, with exit status 2."""
        extra.pop("standalone_mode", None)
        try:
            status = super().main(args, prog_name, standalone_mode=False, **extra)
        except click.UsageError as error:
            sys.exit(_report(error))
        except click.Abort:
            sys.exit(STOPPED)
        sys.exit(status if isinstance(status, int) else 0)


def _report(error: click.UsageError) -> int:
    """Print a usage error in one line, or the help where a command is missing; returns the exit status."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    path = error.ctx.command_path if error.ctx is not None else "wt"
    message = " ".join(error.format_message().split()).rstrip(".")
    message = message[:1].lower() + message[1:]
    if isinstance(error, click.NoSuchOption):  # its words differ between versions of click
        near = difflib.get_close_matches(error.option_name, error.possibilities or (), 1)
        message = f"no such option: {error.option_name}{f'; did you mean {near[0]}?' if near else ''}"
    say(f"{path}: {message}{'' if '; ' in message else f'; see {path} --help'}", err=True)
    return error.exit_code


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        say(__version__)
        ctx.exit()


@click.group(cls=Commands, name="wt", no_args_is_help=True)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Print the version."
)
def app() -> None:
    """The Wasserstein Transform on the command line."""
