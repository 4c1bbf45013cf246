"""Run all benchmarks: `python -m benchmarks [NAME …]`."""

from __future__ import annotations

import importlib
import os
import platform
import sys

from .timing import table

NAMES = ("imports", "exact", "lazy", "gaussian", "million", "shift", "bures", "tree", "pixels")


def main(names: list[str]) -> None:
    rows = []
    for name in names or NAMES:
        print(f"running {name} …", file=sys.stderr)
        rows += importlib.import_module(f".{name}", __package__).run()
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}\n")
    print(table(rows))


main(sys.argv[1:])
