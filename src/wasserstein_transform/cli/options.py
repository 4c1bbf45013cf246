"""Options of commands, in sections of the help; groups of them reach a command as one record.

A command is a function under `@command`, with `@argument` and `@option`, and with the groups it needs: `@points_input`,
`@table_output` or `@folder_output`, `@computation`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

SCALES = ("none", "standard", "robust", "range")
_NAMES = 0.34  # share of the width for option names; the help of longer ones starts on the next line
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Option(click.Option):
    """An option that the help lists in a section."""

    def __init__(self, *names: Any, section: str = "Options", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.section = section


class Argument(click.Argument):
    """An argument that the help describes."""

    section = "Arguments"

    def __init__(self, *names: Any, help: str, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.description = help  # click before 8.5 knows no help of arguments

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The name of the argument and its description."""
        return self.human_readable_name, self.description


class Command(click.Command):
    """A command whose help has sections and fits narrow terminals."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options by section."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Input": []}
        for parameter in self.get_params(ctx):
            if (row := parameter.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(row)
        for title in sorted(sections, key=("Output", "Computation").__contains__):
            if sections[title]:
                with formatter.section(title):
                    formatter.write_dl(sections[title], col_max=max(10, int(_NAMES * formatter.width)))


def command(function: Callable[..., None]) -> Command:
    """Turn a function into a command with its name; the docstring is its help."""
    return click.command(function.__name__, cls=Command, context_settings={"show_default": True})(function)


def option(*names: str, section: str = "Options", **settings: Any) -> Callable[[_Function], _Function]:
    """An option of a command; `section` is its heading in the help."""
    return click.option(*names, cls=Option, section=section, **settings)


def argument(name: str, help: str, **settings: Any) -> Callable[[_Function], _Function]:
    """An argument of a command."""
    return click.argument(name, cls=Argument, help=help, **settings)


def record(name: str, kind: type, *options: Callable[[Any], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add options to a command; their values reach it as one record, in the argument `name`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(**values: Any) -> Any:
            own = {field.name: values.pop(field.name) for field in fields(kind) if field.name in values}
            return function(**values, **{name: kind(**own)})

        for one in reversed(options):
            call = one(call)
        return call

    return decorate


@dataclass(frozen=True)
class Source:
    """The file to read, and what its columns are."""

    file: str
    columns: str | None = None
    weight: str | None = None
    scale: str = "none"
    kind: str | None = None
    layer: str | None = None
    label: str | None = None
    distances: bool = False
    missing: str = "drop"


@dataclass(frozen=True)
class Output:
    """Where results go, and what is printed."""

    output: str | None
    format: str | None = None
    figure: Path | None = None
    force: bool = False
    json: bool = False
    quiet: bool = False


@dataclass(frozen=True)
class Computation:
    """Where work runs."""

    jobs: int | None = None
    memory: str | None = None
    device: str | None = None


_PATH = click.Path(path_type=Path)

FILE = argument("file", "CSV, Parquet, NPY, GeoJSON, GPX, LAS, PLY and others; -: standard input.", metavar="FILE")
COLUMNS = option(
    "--columns", metavar="NAMES", help="Columns to use, by name or number: x,y or 1,2.",
    show_default="x,y or lon,lat, else all numeric",
)  # fmt: skip
SCALE = option(
    "--scale", type=click.Choice(SCALES), default="none", metavar="HOW",
    help=f"Scaling of columns: {', '.join(SCALES)}.",
)  # fmt: skip
WEIGHT = option("--weight", section="Input", metavar="NAME", help="Column of weights; weight 2 counts as two points.")
LABEL = option("--label", section="Input", metavar="NAME", help="Column of known labels, only for scoring the result.")
DISTANCES = option("--distances", section="Input", is_flag=True, help="FILE holds distances, square or condensed.")
KIND = option("--kind", section="Input", metavar="FORMAT", help="Format of FILE if its name does not tell: csv, ...")
LAYER = option("--layer", section="Input", metavar="NAME", help="Layer of a map that has several.")
FORCE = option("--force", section="Output", is_flag=True, help="Overwrite existing files.")
JSON = option("--json", section="Output", is_flag=True, help="Print the summary as JSON, and nothing else.")
QUIET = option("-q", "--quiet", section="Output", is_flag=True, help="Print no text, notes or progress.")
JOBS = option(
    "-j", "--jobs", type=int, section="Computation", metavar="N", help="Threads; -1 means all cores.",
    show_default="all cores",
)  # fmt: skip

points_input = record("source", Source, FILE, COLUMNS, SCALE, WEIGHT, KIND, LAYER)
"""A file of points."""

points_or_distances_input = record("source", Source, FILE, COLUMNS, SCALE, WEIGHT, DISTANCES, KIND, LAYER)
"""A file of points or distances."""

table_output = record(
    "output", Output,
    option(
        "-o", "--output", metavar="PATH",
        help="Folder for all results, or a file such as out.csv; -: standard output.",
    ),
    option("--format", section="Output", help="Format of the table: csv, npy, ...", show_default="that of FILE"),
    option("--figure", section="Output", type=_PATH, help="Write the figure to this file: .png, .svg or .pdf."),
    FORCE, JSON, QUIET,
)  # fmt: skip
"""Output of a table: to a folder, a file or standard output."""

folder_output = record(
    "output", Output,
    option("-o", "--output", required=True, metavar="FOLDER", help="Folder for all results."),
    FORCE, JSON, QUIET,
)  # fmt: skip
"""Output to a folder."""

computation = record(
    "computation", Computation, JOBS,
    option(
        "--memory", section="Computation", metavar="SIZE", help="Memory limit, such as 4GB.",
        show_default="free memory",
    ),
    option(
        "--device", section="Computation", metavar="NAME", show_default="cpu",
        help="Run on a GPU: cuda, or cuda:1 for the second one.",
    ),
)  # fmt: skip
"""Options for long computations."""

threads = record("computation", Computation, JOBS)
"""The number of threads."""
