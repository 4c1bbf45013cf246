"""`wt info`: show what is installed, or what is in a file."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import click

from .errors import reporting_errors
from .options import JSON, KIND, command
from .printing import say
from .summary import as_json, versions

if TYPE_CHECKING:
    from pandas import DataFrame

MODULES_OF_EXTRA = {
    "plot": ("matplotlib",),
    "image": ("PIL", "tifffile"),
    "graph": ("networkx",),
    "arrow": ("pyarrow",),
    "gis": ("geopandas", "pyogrio"),
    "las": ("laspy", "lazrs", "trimesh"),
    "explore": ("bokeh",),
    "dask": ("dask", "distributed"),
}


@command
@click.argument("file", required=False)
@KIND
@JSON
def info(file: str | None, kind: str | None, json: bool) -> None:
    """Show what is installed, or what is in a file.

    Without FILE, versions, cores, memory and extras. With FILE (-: standard input), its columns and which of them are
    read as points.
    """
    with reporting_errors():
        facts, lines, table = _installed() if file is None else _describe(file, kind)
        if json:
            say(as_json(facts))
            return
        for line in lines:
            say(line)
        if table is not None:
            say(table.to_string(index=False))


def _installed() -> tuple[dict[str, Any], list[str], None]:
    from ..compute.jit.messages import compiled_code
    from ..engine import available, current, in_words

    home, count = compiled_code()
    extras = {name: all(map(importlib.util.find_spec, modules)) for name, modules in MODULES_OF_EXTRA.items()}
    facts = {
        "versions": versions(), "cores": current().n_threads, "memory": available(), "extras": extras,
        "kernels": {"compiled": count, "folder": home},
    }  # fmt: skip
    missing = [name for name, is_there in extras.items() if not is_there]
    lines = [
        ", ".join(f"{name} {number}" for name, number in versions().items()),
        f"{current().n_threads} cores, {in_words(available())} of memory free",
        f"extras: {', '.join(name for name, is_there in extras.items() if is_there) or 'none'}",
        f"compiled kernels: {count}, in {home or 'the cache of numba'}; wt warmup compiles the common ones",
    ]
    if missing:
        lines.insert(
            3, f'not installed: {", ".join(missing)}; pip install "wasserstein-transform[{",".join(missing)}]"'
        )
    return facts, lines, None


def _describe(file: str, kind: str | None) -> tuple[dict[str, Any], list[str], DataFrame]:
    from pandas import DataFrame

    from ..tables import features
    from .reading import read_table, shorten

    table, facts = read_table(file, kind)
    taken: tuple[str, ...] = ()
    notes = table.attrs["notes"]
    try:
        taken = features(table).names
        would = f"wt cluster takes as points: {shorten(taken)}"
    except ValueError as error:
        would = str(error)
    columns = {name: _column(table, name) for name in table.columns}
    facts |= {"kind": table.attrs["kind"], "rows": len(table), "columns": columns, "points": taken, "notes": notes}
    lines = [f"{table.attrs['source']}: {table.attrs['kind']}, {len(table)} rows, {len(columns)} columns", would]
    lines += [f"note: {note}" for note in notes]
    rows = [{"column": name} | about for name, about in columns.items()]
    return facts, lines, DataFrame(rows).map(_short)


def _column(table: DataFrame, name: str) -> dict[str, Any]:
    """Type, range and number of missing values of a column."""
    import numpy as np

    from ..tables import labels, numeric

    values = table[name]
    if values.dtype.kind in "iuf":
        finite = values[np.isfinite(values)]
        ends = (finite.min().item(), finite.max().item()) if len(finite) else (None, None)
        kind = "integers" if values.dtype.kind in "iu" else "numbers"
        return {"holds": kind, "from": ends[0], "to": ends[1], "missing": int(values.isna().sum())}
    codes, names = labels(table, name)
    kind = "numbers and words" if name in numeric(table) else f"{len(names)} different"
    ends = (names[0], names[-1]) if names else (None, None)
    return {"holds": kind, "from": ends[0], "to": ends[1], "missing": int((codes < 0).sum())}


def _short(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{9 if abs(value) >= 1e5 else 6}g}"  # coordinates of a map in meters have seven digits
    return f"{value!s:.20}"
