"""Run all benchmarks: `python -m benchmarks [NAME …]`; `NAME=VALUE` hands one a value, as `images=FOLDER`."""

from __future__ import annotations

import importlib
import os
import platform
import sys

from .timing import table

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


def main(names: list[str]) -> None:
    rows = []
    for given in names or NAMES:
        name, *value = given.split("=", 1)
        print(f"running {name} …", file=sys.stderr)
        rows += importlib.import_module(f".{name}", __package__).run(*value)
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}\n")
    if rows:
        print(table(rows))


main(sys.argv[1:])
