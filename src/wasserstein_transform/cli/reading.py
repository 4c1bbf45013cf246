"""Read the input of a command: points or distances, weights, known labels, and the whole table."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._cached import cached_property
from .._shown import counted
from .options import Source
from .summary import Input, describe_input

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._types import Floats, Ints
    from ..spaces import Space
    from ..tables.earth import Tracks
    from ..tables.features import Features
    from ..tables.scaling import Scaling
    from .running import Run

_DEGREES = ("longitude", "latitude", "lon", "lat")


@dataclass(frozen=True, eq=False)
class Points:
    """The input: a table with points, or distances."""

    input: Input
    table: DataFrame
    names: tuple[str, ...] = ()
    given: Floats | None = None
    """Coordinates in the units of the file; None for distances."""
    scaling: Scaling | None = None
    matrix: Floats | None = None
    weights: Floats | None = None
    known: Ints | None = None
    features: Features | None = None
    """How the columns of a table were read, if not literally."""
    tracks: Tracks | None = None
    """The points with their trips, in meters if the table has longitude and latitude."""

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.table)

    @cached_property
    def X(self) -> Floats:
        """The scaled points."""
        assert self.given is not None and self.scaling is not None  # noqa: PT018
        return self.scaling.scaled(self.given)

    @cached_property
    def space(self) -> Space:
        """The points or distances as a Space."""
        from ..spaces import Space

        if self.matrix is not None:
            return Space.from_distances(self.matrix, self.weights)
        return Space.from_points(self.X, self.weights)

    def facts(self) -> dict[str, Any]:
        """Facts for the summary."""
        literal = self.scaling is None or (self.features is not None and self.features.reading != "scaled")
        scale = "none" if literal or self.scaling is None else self.scaling.facts(self.names)
        return {"rows": self.n, "columns": list(self.names), "scale": scale}

    def __str__(self) -> str:
        if self.matrix is not None:
            return f"distances of {self.n:,} points"
        return f"{counted(self.n, 'point')}, column{'s' * (len(self.names) > 1)} {shorten(self.names)}"


def read_points(source: Source, run: Run) -> Points:
    """Read points: the columns of a table as they are."""
    return _read(lambda: _points(source, run), run)


def read_features(source: Source, run: Run) -> Points:
    """Read a table and prepare its columns for `cluster`, or read distances."""
    return _read(lambda: _distances(source) if source.distances else _features(source, run), run)


def read_tracks(source: Source, trip: str | None, time: str | None, run: Run) -> Points:
    """Read points with their trips, which are found by the names of columns."""
    return _read(lambda: _tracks(source, trip, time, run), run)


def _read(read: Callable[[], Points], run: Run) -> Points:
    with run.stage("reading"):
        points = read()
    run.about |= points.facts()
    run.release_notes()
    return points


def read_table(file: str, kind: str | None, layer: str | None = None) -> tuple[DataFrame, Input]:
    """Read a table; returns the table, and facts about the file."""
    from ..tables import read

    content, given = _open(file)
    return read(Path(file) if content is None else content, kind=kind, name=_name(file), layer=layer), given


def _points(source: Source, run: Run) -> Points:
    from ..tables import columns
    from ..tables.scaling import Scaling

    table, given = read_table(source.file, source.kind, source.layer)
    for note in table.attrs["notes"]:
        run.note(note)
    chosen, weight = find_columns(table, source.columns), find_column(table, source.weight)
    aside = () if chosen else _leave_out(table, weight, run)
    names = columns.chosen(table, chosen, aside)
    X = columns.coordinates(table, names)
    others = () if chosen or table.attrs.get("axes") else tuple(set(columns.numeric(table)) - set(aside))
    _note_columns(table, names, others, run)
    return Points(given, table, names, X, Scaling.of(source.scale, X), weights=_weights(table, weight))


def _features(source: Source, run: Run) -> Points:
    """Points of a table whose columns are chosen and scaled as `tables.features` does."""
    from ..tables import columns, features

    table, given = read_table(source.file, source.kind, source.layer)
    for note in table.attrs["notes"]:
        run.note(note)
    label, weight = find_column(table, source.label), find_column(table, source.weight)
    chosen = find_columns(table, source.columns)
    rest = table if chosen else table.drop(columns=list({name for name in (label, weight) if name is not None}))
    rest.attrs = table.attrs
    found = features(rest, chosen, scale=None if source.scale == "none" else source.scale, missing=source.missing)
    _note_columns(rest, found.names, (), run)
    for note in found.notes:
        run.note(note)
    known = None if label is None else columns.labels(table, label)[0]
    return Points(
        given, table, found.names, found.values, found.scaling, weights=_weights(table, weight), known=known,
        features=found,
    )  # fmt: skip


def _tracks(source: Source, trip: str | None, time: str | None, run: Run) -> Points:
    from ..tables import columns, tracks
    from ..tables.scaling import Scaling

    table, given = read_table(source.file, source.kind, source.layer)
    weight, when = find_column(table, source.weight), find_column(table, time)
    rest = table if weight is None else table.drop(columns=weight)
    trips = False if trip == "none" else find_columns(table, trip, "trip")
    found = tracks(rest, find_columns(table, source.columns), trips, when)
    if found.trips is not None:  # so that GPX gets tracks
        table.attrs["trips"] = list(found.columns[: len(found.columns) - (found.times is not None)])
    for note in (*table.attrs["notes"], *found.notes):
        run.note(note)
    literal = source.columns or table.attrs.get("axes") or columns.has_geometry(table)
    others = () if literal else set(columns.numeric(rest)) - {*found.columns, *columns.counters(rest)}
    _note_left_out(found.names, tuple(others), run)
    scaling = Scaling.of(source.scale, found.points)
    return Points(given, table, found.names, found.given, scaling, weights=_weights(table, weight), tracks=found)


def _weights(table: DataFrame, name: str | None) -> Floats | None:
    from ..tables import columns

    return None if name is None else columns.weights(table, name)


def _distances(source: Source) -> Points:
    from pandas import DataFrame

    from ..tables import read_matrix

    for name, value in (("columns", source.columns), ("label", source.label), ("weight", source.weight)):
        if value is not None:
            raise ValueError(f"--{name} needs a table of points, but --distances reads a matrix; leave one of them out")
    if source.scale not in ("none", "auto"):
        raise ValueError("--scale needs columns, but --distances reads a matrix; leave one of them out")
    content, given = _open(source.file)
    read = read_matrix(Path(source.file) if content is None else content, kind=source.kind, name=_name(source.file))
    table = DataFrame({"point": range(1, len(read) + 1) if read.index.dtype.kind == "i" else read.index})
    table.attrs = {"source": _name(source.file), "notes": []}
    return Points(given, table, matrix=read.to_numpy())


def _open(file: str) -> tuple[bytes | None, Input]:
    """The bytes of a pipe, or None for a regular file; and facts about the file."""
    from ..tables.files import in_pieces

    if file == "-":
        content = in_pieces(sys.stdin.buffer, "standard input")
        if not content:
            raise ValueError("standard input is empty; pipe a file into this command, or give the name of one")
        return content, describe_input("-", content)
    path = Path(file)
    if not path.exists():
        near = _near(path)
        raise ValueError(f"{file} does not exist{f'; did you mean {near}?' if near else ''}")
    if path.is_dir():
        raise ValueError(f"{file} is a folder; give a file")
    if path.is_file():
        return None, describe_input(file)
    with path.open("rb") as stream:  # a named pipe, which can be read only once
        content = in_pieces(stream, file)
    return content, describe_input(file, content)


def _near(path: Path) -> str:
    from difflib import get_close_matches

    folder = path.parent
    names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    near = get_close_matches(path.name, names, 1, 0.7)
    return str(folder / near[0]) if near else ""


def _name(file: str) -> str:
    """Name of the input in error messages."""
    return "standard input" if file == "-" else file


def find_columns(table: DataFrame, columns: str | None, option: str = "columns") -> list[str] | None:
    """Names of the columns in an option, given by name or by number from 1."""
    if columns is None:
        return None
    words = [word.strip() for word in next(csv.reader([columns], skipinitialspace=True), [])]
    if not any(words):
        raise ValueError(f"--{option} must name at least one column, for example x,y or 1,2")
    return [_find(table, word) for word in words if word]


def _find(table: DataFrame, word: str) -> str:
    from ..tables.columns import column, source_of

    names = list(table.columns)
    if word in names or not word.isdecimal():
        column(table, word)
        return word
    if not 1 <= int(word) <= len(names):
        raise ValueError(f"{source_of(table)} has {len(names)} columns, so there is no column {word}; count from 1")
    return str(names[int(word) - 1])


def find_column(table: DataFrame, word: str | None) -> str | None:
    """Name of a column given by name or by number from 1."""
    return None if word is None else _find(table, word)


def _leave_out(table: DataFrame, weight: str | None, run: Run) -> tuple[str, ...]:
    """Columns that are not coordinates: weights, and row numbers."""
    from ..tables.columns import counters, numeric

    aside = [] if weight is None else [weight]
    for name in counters(table):
        if name not in aside and len(numeric(table)) - len(aside) > 1:
            run.note(f"column {name} counts the rows and is left out; use --columns to include it")
            aside.append(name)
    return tuple(aside)


def _note_columns(table: DataFrame, names: tuple[str, ...], others: tuple[str, ...], run: Run) -> None:
    """Notes on numeric columns that are left out by default, and on degrees."""
    _note_left_out(names, others, run)
    if any(name.lower() in _DEGREES for name in names) and not any("degrees" in note for note in table.attrs["notes"]):
        run.note("longitude and latitude are degrees, not meters; project them where distances matter")


def _note_left_out(names: tuple[str, ...], others: tuple[str, ...], run: Run) -> None:
    """A note on numeric columns that are left out by default."""
    if left := tuple(sorted(name for name in others if name not in names)):
        run.note(f"{' and '.join(names)} are used as coordinates; use --columns to include {shorten(left)}")


def shorten(names: tuple[str, ...]) -> str:
    """Names for a message; if there are many, some of them and their number."""
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:3])} ... {names[-1]} ({len(names)})"
