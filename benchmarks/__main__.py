"""Run benchmarks: `python -m benchmarks [NAME …] [--record FOLDER]`; `photographs=FOLDER` gives a value to one.

Without names all of them run. With `--record docs/figures` each writes its table to docs/figures/NAME.json, from which
the site is rendered.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import platform
import sys
from pathlib import Path
from typing import TextIO

from . import record
from .timing import Row, table

NAMES = (
    "imports",
    "clusters",
    "exact",
    "lists",
    "transports",
    "single",
    "lazy",
    "gaussian",
    "million",
    "partitioned",
    "scale",
    "tables",
    "shift",
    "bures",
    "tree",
    "pixels",
    "images",
    "photographs",
    "embeddings",
    "graphs",
    "communities",
    "curves",
    "crossings",
    "scenes",
    "tracks",
)


class Copied(io.StringIO):
    """A stream that prints everything at once and also keeps it."""

    def __init__(self, shown: TextIO) -> None:
        super().__init__()
        self._shown = shown

    def write(self, text: str) -> int:
        self._shown.write(text)
        self._shown.flush()
        return super().write(text)


def main(arguments: list[str]) -> None:
    asked = _parser().parse_args(arguments)
    rows: list[Row] = []
    for given in asked.names or NAMES:
        name, *value = given.split("=", 1)
        print(f"running {name} …", file=sys.stderr)
        said = Copied(sys.stdout)
        with contextlib.redirect_stdout(said):
            found = importlib.import_module(f".{name}", __package__).run(*value)
        shown = "".join("=…" if "/" in one else f"={one}" for one in value)  # a path is of this machine
        new = record.of_rows(name, f"python -m benchmarks {name}{shown}", found, said.getvalue())
        if asked.record and new["tables"]:
            record.write(new, asked.record / f"{name}.json")
            print(f"recorded in {asked.record / name}.json", file=sys.stderr)
        rows += found
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}\n")
    if rows:
        print(table(rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}, …")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="write each table into FOLDER/NAME.json")
    return parser


main(sys.argv[1:])
