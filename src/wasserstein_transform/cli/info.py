"""`wt info`: show what is installed, or what is in a file."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from .errors import reporting_errors
from .options import argument, command, option
from .printing import print_table, say, tell
from .summary import encode_json, versions

if TYPE_CHECKING:
    from pandas import DataFrame

_EXTRAS = {
    "plot": ("matplotlib",),
    "image": ("pillow", "tifffile"),
    "graph": ("networkx",),
    "arrow": ("pyarrow",),
    "gis": ("geopandas", "pyogrio"),
    "las": ("laspy", "lazrs", "trimesh"),
    "explore": ("bokeh",),
    "dask": ("dask", "distributed"),
}
_MAX_LISTED = 40  # the most columns that are listed


@command
@argument("file", "A file of points; -: standard input.", metavar="[FILE]", required=False)
@option("--kind", metavar="FORMAT", help="Format of FILE if its name does not tell: csv, npy, ...")
@option("--json", is_flag=True, help="Print it as JSON.")
def info(file: str | None, kind: str | None, json: bool) -> None:
    """Show versions, cores, memory and extras; with FILE, its columns and which of them are read as points."""
    with reporting_errors():
        rows: list[list[str]] = []
        if file is None:
            facts, lines = _installed()
        else:
            facts, lines, rows = _describe(file, kind)
        if json:
            say(encode_json(facts).decode().rstrip("\n"))
            return
        for line in lines:
            tell(line)
        if rows:
            print_table(rows)


def _installed() -> tuple[dict[str, Any], list[str]]:
    from ..compute.compiling import compiled_code
    from ..engine import current
    from ..engine.memory import available, in_words

    home, count = compiled_code()
    extras = {name: all(map(importlib.util.find_spec, modules)) for name, modules in _EXTRAS.items()}
    facts = {
        "versions": versions(), "cores": current().n_threads, "memory": available(), "extras": extras,
        "kernels": {"compiled": count, "folder": None if home is None else os.fspath(home)},
    }  # fmt: skip
    missing = [name for name, there in extras.items() if not there]
    kept = "numba's own cache" if home is None else str(home)
    lines = [
        ", ".join(f"{name} {number}" for name, number in versions().items()),
        f"{current().n_threads} cores, {in_words(available())} of memory free",
        f"extras: {', '.join(name for name, there in extras.items() if there) or 'none'}",
        f"compiled kernels: {count}, in {kept}" + ("" if count else "; wt warmup compiles the common ones"),
    ]
    if missing:
        lines.insert(
            3, f'not installed: {", ".join(missing)}; pip install "wasserstein-transform[{",".join(missing)}]"'
        )
    return facts, lines


def _describe(file: str, kind: str | None) -> tuple[dict[str, Any], list[str], list[list[str]]]:
    from ..tables.columns import chosen, coordinates
    from .reading import read_table, shorten

    table, given = read_table(file, kind)
    columns = {name: _column(table, name) for name in table.columns}
    taken: tuple[str, ...] = ()
    would = ""
    try:
        taken = chosen(table)
        would = f"would be read as points: {shorten(taken)}"
        coordinates(table, taken)
    except ValueError as error:
        would = f"{would}; but {error}" if would else str(error)
    facts = {
        "file": given._asdict(), "kind": table.attrs["kind"], "rows": len(table), "columns": columns,
        "points": list(taken), "notes": table.attrs["notes"],
    }  # fmt: skip
    lines = [f"{table.attrs['source']}: {table.attrs['kind']}, {len(table)} rows, {len(columns)} columns", would]
    lines += [f"note: {note}" for note in table.attrs["notes"]]
    if len(columns) > _MAX_LISTED:
        lines.append(f"the first {_MAX_LISTED} columns:")
    rows = [["column", "holds", "from", "to", "missing"]]
    rows += [[name, *_cells(one)] for name, one in list(columns.items())[:_MAX_LISTED]]
    return facts, lines, rows


def _column(table: DataFrame, name: str) -> dict[str, Any]:
    """Type, range and number of missing values of a column."""
    import numpy as np

    from ..tables.columns import labels, numeric

    values = table[name]
    if values.dtype.kind in "iuf":
        there = values[np.isfinite(values)]
        ends = (there.min().item(), there.max().item()) if len(there) else (None, None)
        kind = "integers" if values.dtype.kind in "iu" else "numbers"
        return {"holds": kind, "from": ends[0], "to": ends[1], "missing": int(values.isna().sum())}
    codes, names = labels(table, name)
    kind = "numbers and words" if name in numeric(table) else f"{len(names)} different"
    return {
        "holds": kind,
        "from": names[0] if names else None,
        "to": names[-1] if names else None,
        "missing": int((codes < 0).sum()),
    }


def _cells(column: dict[str, Any]) -> list[str]:
    ends = [_short(column[end]) for end in ("from", "to")]
    return [column["holds"], *ends, str(column["missing"])]


def _short(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{9 if abs(value) >= 1e5 else 6}g}"  # coordinates of a map in meters have seven digits
    return f"{value!s:.20}"
