"""Run all methods on labelled sets: `python -m benchmarks.quality [FOLDER …]`.

The tables go to stdout, and into a record if one is named; that of the docs is docs/figures/clustering.json. Runs are
kept; only what is missing is done.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from wasserstein_transform.clustering.recipes import KINDS

from .. import record
from .methods import ABLATIONS, METHODS, OURS, Method
from .runs import Kept, run_all
from .sets import Labelled, generated_sets, read_folder, read_tables, sklearn_sets
from .tables import markdown, notes, table, write_scores


def main(arguments: list[str]) -> None:
    asked = _parser().parse_args(arguments)
    known = [method for method in METHODS if not asked.methods or method.name in asked.methods]
    known += [method for method in ABLATIONS if method.name.removeprefix(f"{OURS} without ") in asked.without]
    unknown = set(asked.methods or ()) - {method.name for method in METHODS}
    if unknown:
        raise SystemExit(f"no method {', '.join(sorted(unknown))}; there are {', '.join(m.name for m in METHODS)}")
    missing = [method for method in known if method.missing and method.module != "wasserstein_transform"]
    methods = [method for method in known if not method.missing]
    collections = _collections(asked)
    kept = Kept(asked.cache)
    if not asked.table_only:
        every = [one for sets in collections.values() for one in sets]
        for line in run_all(every, methods, kept, asked.jobs):
            print(line, file=sys.stderr, flush=True)
    tables = _tables(collections, methods, kept)
    told = _notes(collections, methods, missing)
    print("\n".join([*map(markdown, tables), told]))
    if asked.record:
        given = [*("FOLDER" for _ in asked.folders), *(["--tables FOLDER"] if asked.tables else [])]
        given += [f"--methods {' '.join(asked.methods)}"] if asked.methods else []
        given += [f"--without {' '.join(asked.without)}"] if asked.without else []
        command = " ".join(["python -m benchmarks.quality", *given])
        record.write(record.of_tables(command, tables, told.strip()), asked.record)
    if asked.scores:
        write_scores([one for sets in collections.values() for one in sets], methods, kept, asked.scores)


def _tables(collections: dict[str, list[Labelled]], methods: list[Method], kept: Kept) -> list[dict[str, Any]]:
    tables = [table(title, sets, methods, kept, k) for title, sets in collections.items() for k in (True, False)]
    return [found for found in tables if found is not None]


def _notes(collections: dict[str, list[Labelled]], methods: list[Method], missing: list[Method]) -> str:
    every = [one for sets in collections.values() for one in sets]
    sampled = {m.name: sum(len(one.X) > m.most for one in every) for m in methods if m.most}
    return notes(methods, missing, sampled)


def _collections(asked: argparse.Namespace) -> dict[str, list[Labelled]]:
    found = {folder.resolve().name: read_folder(folder) for folder in asked.folders}
    found |= {"tables": read_tables(asked.tables)} if asked.tables else {}
    if asked.sklearn:
        found["scikit-learn"] = sklearn_sets()
    found["generated"] = list(generated_sets(asked.seeds))
    return {name: sets for name, sets in found.items() if sets}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="folders of NAME.data.gz, NAME.labels0.gz, …")
    parser.add_argument("--tables", type=Path, help="a folder of labelled tables NAME.csv.gz, NAME.txt.gz")
    parser.add_argument("--cache", type=Path, default=Path("build/quality"), help="where runs are kept (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes, a set and a method at a time (%(default)s)")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="only these")
    parser.add_argument(
        "--without", nargs="*", default=[], metavar="KIND", choices=KINDS,
        help=f"ours without candidates of a kind, too: {', '.join(KINDS)}",
    )  # fmt: skip
    parser.add_argument("--seeds", nargs="*", type=int, default=[0], help="of the generated sets; none: no such sets")
    parser.add_argument("--no-sklearn", dest="sklearn", action="store_false", help="without scikit-learn's sets")
    parser.add_argument("--table-only", action="store_true", help="run nothing: tables of what is kept")
    parser.add_argument("--scores", type=Path, help="a CSV file for every run on every set")
    parser.add_argument("--record", type=Path, help="a JSON file for the tables, with machine, date and versions")
    return parser
