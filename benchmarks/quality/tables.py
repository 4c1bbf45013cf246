"""The tables: what they hold, as Markdown, and every run as CSV."""

from __future__ import annotations

import csv
from dataclasses import asdict, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from .intervals import paired_interval
from .lines import Line, lines_of
from .methods import OURS, REFERENCE, Method
from .runs import Kept, Run, asked
from .sets import Labelled

LEAST = 0.8  # sets below this are counted
_FREE_REFERENCE = "HDBSCAN"
_NOTES = (
    """\
The score of a set is the best adjusted Rand index over its references, without the points that are noise there.
Predicted noise is given to the nearest clustered point; in the column "noise as a class" it is a class of its own.
Halves A and B are split by family (`benchmarks/quality/split.json`). One setting of those in `grids.py` is used for
all sets: "best on the other half" is out of sample, "in sample" is not. Differences have 95 % intervals by
resampling the sets. Seconds are processor time of a call on one thread: the median over sets, and the largest.""",
    """\
HDBSCAN and PLSCAN with k given: of several minimum cluster sizes (layers), the one whose number of clusters is
nearest to k. GMM without k: the number with the lowest BIC. GT: ε by √n neighbors; with more than ten columns, the
first ten principal axes. Spectral: data are divided by one number, so that the default γ = 1 is meaningful. Genie,
Lumbermark, spectral, Ward and single linkage need k.""",
)


def table(title: str, sets: list[Labelled], methods: list[Method], kept: Kept, with_k: bool) -> dict[str, Any] | None:
    """One table: its title, columns and rows; None if no method has been run on all of the sets."""
    usable = [method for method in methods if (method.with_k if with_k else method.without_k)]
    sets = [one for one in sets if any(asked(method, one, with_k) for method in usable)]
    lines = [line for method in usable for line in lines_of(method, sets, kept, with_k)]
    if not lines:
        return None
    first = {line.method: line for line in reversed(lines)}
    reference = first.get(REFERENCE if with_k else _FREE_REFERENCE)
    ours = first.get(OURS)
    n_halves = [sum(one.half == half for one in sets) for half in ("A", "B")]
    head = ["method", "setting", "mean", f"A ({n_halves[0]})", f"B ({n_halves[1]})", "median", f"below {LEAST}"]
    head += ["noise as a class", "seconds"]
    head += [f"− {reference.method}"] if reference else []
    head += [f"{OURS} − it"] if ours else []
    given = "number of clusters given" if with_k else "number of clusters not given"
    rows = [_row(line, reference, ours) for line in lines]
    return {"title": f"{title}: {len(sets)} sets, {given}", "columns": head, "rows": rows}


def markdown(found: dict[str, Any]) -> str:
    """A table as Markdown, under its title."""
    rows = [found["columns"], ["---"] * len(found["columns"]), *found["rows"]]
    return f"### {found['title']}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _row(line: Line, reference: Line | None, ours: Line | None) -> list[str]:
    name = line.method + (f" ({line.failed} failed)" if line.failed else "")
    row = [name, line.setting, f"{line.filled.mean():.3f}", *(_mean(line.half(half)) for half in ("A", "B"))]
    row += [f"{np.median(line.filled):.3f}", str(int((line.filled < LEAST).sum()))]
    row += [f"{line.own.mean():.3f}" if line.has_noise else "–"]
    row += [f"{np.median(line.seconds):.2g}, at most {line.seconds.max():.2g}"]
    if reference:
        row.append("–" if line is reference else str(paired_interval(line.filled, reference.filled)))
    if ours:
        row.append("–" if line is ours else str(paired_interval(ours.filled, line.filled)))
    return row


def _mean(scores: np.ndarray) -> str:
    return f"{scores.mean():.3f}" if len(scores) else "–"


def notes(methods: list[Method], missing: list[Method], n_sampled: dict[str, int]) -> str:
    """What one has to know to read the tables."""
    told = [*_NOTES]
    told += [
        f"{method.name}: beyond {method.most:,} points a sample of this size is clustered, and the others take the "
        f"label of the nearest sampled point ({n_sampled[method.name]} sets)."
        for method in methods
        if method.most and n_sampled.get(method.name)
    ]
    told += [f"Not run, since it is not installed: {method.name} ({method.needs})." for method in missing]
    told += ["Versions: " + "; ".join(dict.fromkeys(method.version for method in methods)) + "."]
    return "\n\n".join(told) + "\n"


def write_scores(sets: list[Labelled], methods: list[Method], kept: Kept, file: Path) -> None:
    """Every run that is kept, a line each: set, half, method, whether k was given and the setting, then the run."""
    head = ["collection", "set", "half", "method", "run", *(field.name for field in fields(Run))]
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(head)
        for one, method in product(sets, methods):
            for key, run in kept.read(method, one).items():
                writer.writerow([one.collection, one.name, one.half, method.name, key, *asdict(run).values()])
