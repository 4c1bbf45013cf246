"""Commands that are imported when used, help for terminals of any width, and usage errors in one line."""

from __future__ import annotations

import difflib
import importlib
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from .errors import PIPE, STOPPED
from .printing import say

_MOST, _LEAST = 80, 20  # largest and smallest width of help texts
_NAMES = 0.34  # share of the width for option names; the help of longer ones starts on the next line
UsageError: Any = typer.BadParameter.__base__  # typer may include click or use the installed one


class Entry(NamedTuple):
    """A command that is not imported yet: its short help and its module."""

    short: str
    module: str
    """Module in `cli`; the function or group has the name of the command."""


class Command(TyperCommand):
    """A command whose help fits narrow terminals."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self, ctx, formatter)


class Group(TyperGroup):
    """A group of commands whose help fits narrow terminals."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)


class LazyGroup(Group):
    """A group whose commands are imported only when they are run or their help is shown."""

    sections: dict[str, dict[str, Entry]] = {}
    ends: dict[str, str] = {}
    """Meanings of the exit statuses."""

    @property
    def entries(self) -> dict[str, Entry]:
        """All commands by name."""
        return {name: entry for section in self.sections.values() for name, entry in section.items()}

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.entries:
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _imported(cmd_name, self.entries[cmd_name])
        return self.commands[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.entries and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], self.entries, 1, 0.5)
            meant = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(self.entries)}"
            raise UsageError(f"no command is called {args[0]}{meant}", ctx)
        return super().resolve_command(ctx, args)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        extra.setdefault("terminal_width", max(min(shutil.get_terminal_size().columns, _MOST), _LEAST))
        return super().make_context(info_name, args, parent, **extra)

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; a usage error prints one line and exits with status 2."""
        if not extra.pop("standalone_mode", True):
            return super().main(args, prog_name, standalone_mode=False, **extra)
        try:
            status = super().main(args, prog_name, standalone_mode=False, **extra)
        except UsageError as error:
            sys.exit(_refused(error))
        except typer.Abort:
            sys.exit(STOPPED)
        except SystemExit as end:
            if isinstance(end.__context__, BrokenPipeError):  # typer exits with 1
                sys.exit(PIPE)
            raise
        sys.exit(status if isinstance(status, int) else 0)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.short) for name, entry in section.items()])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Exit status"):
            formatter.write_dl(list(self.ends.items()))


def _imported(name: str, entry: Entry) -> Any:
    found = getattr(importlib.import_module(f".{entry.module}", __package__), name)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command, short_help=entry.short)(found)
    return typer.main.get_command(alone)


def _refused(error: Any) -> int:
    """Print a usage error in one line and return the exit status."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return 2
    path = error.ctx.command_path if error.ctx is not None else "wt"
    message = " ".join(error.format_message().split()).rstrip(".")
    message = message[:1].lower() + message[1:].replace(". Did you", "; did you")
    say(f"{path}: {message}{'' if '; ' in message else f'; see {path} --help'}", err=True)
    return int(error.exit_code)


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    for title, rows in _parameters(command, ctx):
        with formatter.section(title):
            formatter.write_dl(rows, col_max=max(10, int(_NAMES * formatter.width)))


def _parameters(command: Any, ctx: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        own = [parameter for parameter in command.get_params(ctx) if parameter.param_type_name == kind]
        rows = [row for row in (parameter.get_help_record(ctx) for parameter in own) if row is not None]
        if rows:
            # older versions of typer escape brackets for rich
            yield title, [(name, text.replace("\\[", "[")) for name, text in rows]
