"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

SCALES = ("none", "standard", "robust", "range")


def command(function: Callable[..., None]) -> click.Command:
    """Turn a function into a command with its name; the docstring is its help."""
    return click.command(function.__name__, context_settings={"show_default": True})(function)


def _together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Several options as one decorator."""

    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


FILE = click.argument("file")
COLUMNS = click.option(
    "--columns", metavar="NAMES", help="Columns to use, by name or number: x,y or 1,2.",
    show_default="x,y or lon,lat, else all numeric",
)  # fmt: skip
SCALE = click.option(
    "--scale", type=click.Choice(SCALES), default="none", metavar="HOW",
    help=f"Scaling of columns: {', '.join(SCALES)}.",
)  # fmt: skip
WEIGHT = click.option("--weight", metavar="NAME", help="Column of weights; weight 2 counts as two points.")
DISTANCES = click.option("--distances", is_flag=True, help="FILE holds distances, square or condensed.")
KIND = click.option("--kind", metavar="FORMAT", help="Format of FILE if its name does not tell: csv, npy, ...")
LAYER = click.option("--layer", metavar="NAME", help="Layer of a map that has several.")
FORCE = click.option("--force", is_flag=True, help="Overwrite existing files.")
JSON = click.option("--json", is_flag=True, help="Print the summary as JSON, and nothing else.")
QUIET = click.option("-q", "--quiet", is_flag=True, help="Print no text, notes or progress.")
JOBS = click.option(
    "-j", "--jobs", type=int, metavar="N", help="Threads; -1 means all cores.", show_default="all cores"
)

points_input = _together(FILE, COLUMNS, SCALE, WEIGHT, KIND, LAYER)
"""A file of points."""

table_output = _together(
    click.option("-o", "--output", metavar="PATH", help="Folder for all results, or a file: out.csv; -: stdout."),
    click.option(
        "--figure", type=click.Path(path_type=Path), metavar="FILE", help="Write the figure here: .png, .svg or .pdf."
    ),
    FORCE, JSON, QUIET,
)  # fmt: skip
"""Output of a table: to a folder, a file or standard output."""

folder_output = _together(
    click.option("-o", "--output", required=True, metavar="FOLDER", help="Folder for all results."), FORCE, JSON, QUIET
)
"""Output to a folder."""

computation = _together(
    JOBS,
    click.option("--memory", metavar="SIZE", help="Memory limit, such as 4GB.", show_default="free memory"),
    click.option(
        "--device", metavar="NAME", help="Run on a GPU: cuda, or cuda:1 for the second one.", show_default="cpu"
    ),
)
"""Options for long computations."""
