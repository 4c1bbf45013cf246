"""Read the input of a command: points or distances, weights, known labels, and the whole table."""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._display import counted
from .summary import describe_input

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._types import Floats, Ints
    from ..tables import Scaling
    from .running import Run


@dataclass(frozen=True, eq=False)
class PointsInput:
    """The input: a table with points, or distances."""

    input: dict[str, Any]
    """Facts for the summary."""
    table: DataFrame
    data: Any
    """Tracks, Features, or a Space of distances."""
    names: tuple[str, ...] = ()
    scaling: Scaling | None = None
    weights: Floats | None = None
    known: Ints | None = None

    def __str__(self) -> str:
        if not self.names:
            return f"distances of {len(self.table):,} points"
        return f"{counted(len(self.table), 'point')}, column{'s' * (len(self.names) > 1)} {shorten(self.names)}"


def read_points(run: Run, trip: str | None = "none", time: str | None = None) -> PointsInput:
    """Read points: in meters, if the table has longitude and latitude, and with their trips."""
    from ..tables import Scaling, has_geometry, numeric, tracks, weights

    run.bar.stage("reading")
    given = run.given
    table, facts = read_table(given.file, given.kind, given.layer)
    weight = find_column(table, given.weight)
    rest = table if weight is None else table.drop(columns=weight)
    trips = False if trip == "none" else find_columns(table, trip, "trip")
    points = tracks(rest, find_columns(table, given.columns), trips, find_column(table, time))
    if points.trips is not None:  # so that GPX gets tracks
        table.attrs["trips"] = list(points.columns[: len(points.columns) - (points.times is not None)])
    for note in (*table.attrs["notes"], *points.notes):
        run.note(note)
    if not (given.columns or table.attrs.get("axes") or has_geometry(table)):
        others = set(numeric(rest)) - {*points.columns, *points.names}
        if others:
            used, left = " and ".join(points.names), shorten(tuple(sorted(others)))
            run.note(f"{used} are used as coordinates; use --columns to include {left}")
    facts |= {"rows": len(table), "columns": points.names}
    masses = None if weight is None else weights(table, weight)
    heavy, weights_used = (slice(None), None) if masses is None else (masses > 0, masses[masses > 0])
    return PointsInput(
        facts, table, points, points.names, Scaling.of(given.scale, points.points[heavy], weights_used), masses
    )


def read_features(run: Run) -> PointsInput:
    """Read a table and prepare its columns for `cluster`, or read distances."""
    from ..tables import features, labels, weights

    run.bar.stage("reading")
    given = run.given
    if given.distances:
        return _read_distances(given)
    table, facts = read_table(given.file, given.kind, given.layer)
    label, weight = find_column(table, given.label), find_column(table, given.weight)
    chosen = find_columns(table, given.columns)
    rest = table if chosen else table.drop(columns=list({name for name in (label, weight) if name is not None}))
    rest.attrs = table.attrs
    masses = None if weight is None else weights(table, weight)
    how = {"scale": None if given.scale == "none" else given.scale, "missing": given.missing, "sample_weight": masses}
    points = features(rest, chosen, **how)
    for note in (*table.attrs["notes"], *points.notes):
        run.note(note)
    facts |= {"rows": len(table), "columns": points.names}
    known = None if label is None else labels(table, label)[0]
    return PointsInput(facts, table, points, points.names, weights=masses, known=known)


def _read_distances(given: Any) -> PointsInput:
    from pandas import DataFrame

    from ..io import read_matrix
    from ..spaces import Space

    for name, default in (("columns", None), ("label", None), ("weight", None), ("scale", "auto")):
        if getattr(given, name) != default:
            raise ValueError(f"--{name} needs a table of points, but --distances reads a matrix; leave one of them out")
    source = open_input(given.file)
    read = read_matrix(source, kind=given.kind, name=name_of(given.file))
    table = DataFrame({"point": range(1, len(read) + 1) if read.index.dtype.kind == "i" else read.index})
    table.attrs = {"source": name_of(given.file), "notes": []}
    facts = describe_input(given.file, source if isinstance(source, bytes) else None)
    return PointsInput(facts | {"rows": len(table)}, table, Space.from_distances(read.to_numpy()))


def read_table(file: str, kind: str | None, layer: str | None = None) -> tuple[DataFrame, dict[str, Any]]:
    """Read a table; returns the table, and facts about the file."""
    from ..io import read

    source = open_input(file)
    table = read(source, kind=kind, name=name_of(file), layer=layer)
    return table, describe_input(file, source if isinstance(source, bytes) else None)


def open_input(file: str) -> bytes | Path:
    """The path of a file, or the content of a pipe, which can be read only once."""
    from ..io import in_pieces

    if file == "-":
        return in_pieces(sys.stdin.buffer, name_of(file))
    path = Path(file)
    if path.exists() and not (path.is_file() or path.is_dir()):
        with path.open("rb") as stream:
            return in_pieces(stream, file)
    return path


def name_of(file: str) -> str:
    """Name of the input in messages and figures."""
    return "standard input" if file == "-" else file


def find_columns(table: DataFrame, columns: str | None, option: str = "columns") -> list[str] | None:
    """Names of the columns in an option, given by name or by number from 1."""
    if columns is None:
        return None
    words = [word.strip() for word in next(csv.reader([columns], skipinitialspace=True), [])]
    if not any(words):
        raise ValueError(f"--{option} must name at least one column, for example x,y or 1,2")
    return [str(find_column(table, word)) for word in words if word]


def find_column(table: DataFrame, word: str | None) -> str | None:
    """Name of a column given by name or by number from 1."""
    from ..tables import column, source_of

    names = list(table.columns)
    if word is None:
        return None
    if word in names or not word.isdecimal():
        column(table, word)
        return word
    if not 1 <= int(word) <= len(names):
        raise ValueError(f"{source_of(table)} has {len(names)} columns, so there is no column {word}; count from 1")
    return str(names[int(word) - 1])


def shorten(names: tuple[str, ...]) -> str:
    """Names for a message; if there are many, some of them and their number."""
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:3])} ... {names[-1]} ({len(names)})"
