"""Run benchmarks: `python -m benchmarks [NAME …] [--record FOLDER]`; `images=FOLDER` hands a value to one of them.

Without names all of them run. With `--record docs/figures` each writes its table into NAME.json there, from which the
site is rendered.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
from pathlib import Path

from . import record
from .timing import Row, table

NAMES = (
    "imports",
    "exact",
    "single",
    "lists",
    "lazy",
    "gaussian",
    "million",
    "stored",
    "shift",
    "bures",
    "tree",
    "pixels",
    "images",
    "photographs",
    "words",
    "graphs",
    "communities",
    "curves",
    "cluster",
)


def main(arguments: list[str]) -> None:
    asked = _parser().parse_args(arguments)
    rows: list[Row] = []
    for given in asked.names or NAMES:
        name, *value = given.split("=", 1)
        print(f"running {name} …", file=sys.stderr)
        found = importlib.import_module(f".{name}", __package__).run(*value)
        if asked.record and found:
            file = asked.record / f"{name}.json"
            command = f"python -m benchmarks {name}" + ("=…" if value else "")
            record.write(record.of_rows(name, command, found), file)
            print(f"recorded in {file}", file=sys.stderr)
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
