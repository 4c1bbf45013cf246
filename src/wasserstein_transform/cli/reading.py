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
    from .output import Offer, Plan
    from .running import Run

_DEGREES = ("longitude", "latitude", "lon", "lat")


@dataclass(frozen=True, eq=False)
class Points:
    """The input: a table with points, or distances."""

    input: Input
    table: DataFrame
    names: tuple[str, ...]
    given: Floats | None
    """Coordinates in the units of the file; None for distances."""
    scaling: Scaling | None
    matrix: Floats | None
    weights: Floats | None
    known: Ints | None
    kind: str
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


def read_points(
    source: Source, run: Run, offer: Callable[[str], Offer], *, elsewhere: dict[str, Path] | None = None,
    needs_points: str = "",
) -> tuple[Points, Plan]:  # fmt: skip
    """Read the input of a command, and plan its output.

    Parameters
    ----------
    offer : callable
        Function from the format of the input to what can be written.
    elsewhere : dict
        Other output files, given by options.
    needs_points : str
        For the error message: what does not work with distances. "" if distances are allowed.
    """
    return _read(
        lambda: _distances(source, needs_points) if source.distances else _points(source, run, literal=True),
        source, run, offer, elsewhere,
    )  # fmt: skip


def read_features(source: Source, run: Run, offer: Callable[[str], Offer]) -> tuple[Points, Plan]:
    """Read a table and prepare its columns for `cluster`, or read distances; and plan the output."""
    return _read(
        lambda: _distances(source) if source.distances else _points(source, run, literal=False), source, run, offer
    )


def read_tracks(
    source: Source, trip: str | None, time: str | None, run: Run, offer: Callable[[str], Offer]
) -> tuple[Points, Plan]:
    """Read points with their trips, which are found by the names of columns, and plan the output."""
    return _read(lambda: _tracks(source, trip, time, run), source, run, offer)


def _read(
    read: Callable[[], Points], source: Source, run: Run, offer: Callable[[str], Offer],
    elsewhere: dict[str, Path] | None = None,
) -> tuple[Points, Plan]:  # fmt: skip
    from ..tables.kinds import kind_by_name

    kind = source.kind or kind_by_name(source.file) or "csv"
    run.plan(offer(kind), source.file, elsewhere)  # raises before a large file is read
    with run.stage("reading"):
        points = read()
    plan = run.plan(offer(points.kind), source.file, elsewhere)
    run.about |= points.facts()
    run.release_notes()
    return points, plan


def read_table(file: str, kind: str | None, layer: str | None = None) -> tuple[DataFrame, Input]:
    """Read a table; returns the table, and facts about the file."""
    from ..tables import read

    content, given = _open(file)
    return read(Path(file) if content is None else content, kind=kind, name=_name(file), layer=layer), given


def _points(source: Source, run: Run, literal: bool) -> Points:
    """Points of a table: its columns as they are, or as `tables.features` understands them."""
    from ..tables import columns
    from ..tables.scaling import Scaling

    table, given = read_table(source.file, source.kind, source.layer)
    for note in table.attrs["notes"]:
        run.note(note)
    label, weight = find_column(table, source.label), find_column(table, source.weight)
    weights = None if weight is None else columns.weights(table, weight)
    labels = None if label is None else columns.labels(table, label)[0]
    chosen = find_columns(table, source.columns)
    used = tuple(name for name in (label, weight) if name is not None)
    if not literal:
        rest = table if chosen else table.drop(columns=list(dict.fromkeys(used)))
        rest.attrs = table.attrs
        features = _features(source, rest, chosen, run)
        kind = table.attrs["kind"]
        return Points(
            given, table, features.names, features.values, features.scaling, None, weights, labels, kind, features
        )
    aside = () if chosen else _leave_out(table, used, run)
    names = columns.chosen(table, chosen, aside)
    X = columns.coordinates(table, names)
    others = () if chosen or table.attrs.get("axes") else tuple(set(columns.numeric(table)) - set(aside))
    _note_columns(table, names, others, run)
    scaling = Scaling.of(source.scale, X)
    return Points(given, table, names, X, scaling, None, weights, labels, table.attrs["kind"])


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
    weights = None if weight is None else columns.weights(table, weight)
    scaling, kind = Scaling.of(source.scale, found.points), table.attrs["kind"]
    return Points(given, table, found.names, found.given, scaling, None, weights, None, kind, tracks=found)


def _features(source: Source, table: DataFrame, chosen: list[str] | None, run: Run) -> Features:
    from ..tables import features

    scale = None if source.scale == "none" else source.scale
    prepared = features(table, chosen, scale=scale, missing=source.missing)
    _note_columns(table, prepared.names, (), run)
    for note in prepared.notes:
        run.note(note)
    return prepared


def _distances(source: Source, needs_points: str = "") -> Points:
    from pandas import DataFrame

    from ..tables import read_matrix

    if needs_points:
        raise ValueError(f"{needs_points} needs coordinates, but --distances gives none; leave it out")
    for name, value in (("columns", source.columns), ("label", source.label), ("weight", source.weight)):
        if value is not None:
            raise ValueError(f"--{name} needs a table of points, but --distances reads a matrix; leave one of them out")
    if source.scale not in ("none", "auto"):
        raise ValueError("--scale needs columns, but --distances reads a matrix; leave one of them out")
    content, given = _open(source.file)
    read = read_matrix(Path(source.file) if content is None else content, kind=source.kind, name=_name(source.file))
    table = DataFrame({"point": range(1, len(read) + 1) if read.index.dtype.kind == "i" else read.index})
    table.attrs = {"source": _name(source.file), "notes": []}
    return Points(given, table, (), None, None, read.to_numpy(), None, None, "csv")


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


def _leave_out(table: DataFrame, others: tuple[str, ...], run: Run) -> tuple[str, ...]:
    """Columns that are not coordinates: those with another purpose, and row numbers."""
    from ..tables.columns import counters, numeric

    aside = list(dict.fromkeys(others))
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
