"""Read the input of a command: points or distances, weights, known labels, and the whole table."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._cached import cached_property
from .._shown import counted
from .columns import column_named, columns_named, say_of_columns, say_of_left_out, set_aside, shortened
from .options import SCALES, check_how
from .summary import Input, as_input

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._types import Floats, Ints
    from ..spaces import Space
    from ..tables.earth import Tracks
    from ..tables.features import Features
    from ..tables.scaling import Scaling
    from .keeping import Offer, Plan
    from .running import Run


@dataclass(frozen=True)
class PointSource:
    """Options for an input of points."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV, text, Parquet, NPY, NPZ, ARFF, GeoJSON, GPX, GPKG, FGB, SHP, LAS, LAZ or PLY; -: stdin.",
        ),
    ]
    columns: Annotated[
        str | None,
        typer.Option(
            help="Coordinate columns, by name or number: x,y or 1,2.", show_default="x,y or lon,lat, else all numeric"
        ),
    ] = None
    weight: Annotated[str | None, typer.Option(help="Column of weights; weight 2 counts as two points.")] = None
    scale: Annotated[str, typer.Option(help=f"Scaling of columns: {', '.join(SCALES)}.")] = "none"
    kind: Annotated[str | None, typer.Option(help="Format of FILE if its name does not tell: csv, npy, ...")] = None
    layer: Annotated[str | None, typer.Option(help="Layer of a map, if it has several.", show_default=False)] = None


@dataclass(frozen=True)
class Source(PointSource):
    """Options for an input of points or distances."""

    label: Annotated[str | None, typer.Option(help="Column of known labels, only for scoring the result.")] = None
    distances: Annotated[bool, typer.Option("--distances", help="FILE holds distances, square or condensed.")] = False


@dataclass(frozen=True)
class TableSource(Source):
    """Options for a table whose columns are understood: `wt.tables.features` has the rules."""

    columns: Annotated[
        str | None, typer.Option(help="Columns to use, by name or number: x,y or 1,2.", show_default="chosen")
    ] = None
    scale: Annotated[
        str, typer.Option(help=f"Scaling of columns: {', '.join(SCALES)}, or auto: if their units differ.")
    ] = "auto"
    missing: Annotated[str, typer.Option(help="Rows with missing cells: drop (label -1), fill or error.")] = "drop"


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
        return f"{counted(self.n, 'point')}, column{'s' * (len(self.names) > 1)} {shortened(self.names)}"


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
        lambda: _distances(source, needs_points) if source.distances else _points(source, run),
        source, run, offer, elsewhere,
    )  # fmt: skip


def read_tracks(
    source: PointSource, trip: str | None, time: str | None, run: Run, offer: Callable[[str], Offer]
) -> tuple[Points, Plan]:
    """Read points with their trips, which are found by the names of columns, and plan the output."""
    return _read(lambda: _tracks(source, trip, time, run), source, run, offer)


def _read(
    read: Callable[[], Points], source: PointSource, run: Run, offer: Callable[[str], Offer],
    elsewhere: dict[str, Path] | None = None,
) -> tuple[Points, Plan]:  # fmt: skip
    check_how(source.scale, ("auto", *SCALES) if isinstance(source, TableSource) else SCALES)
    run.plan(offer(kind_by_name(source) or "csv"), source.file, elsewhere)  # raises before a large file is read
    with run.stage("reading"):
        found = read()
    plan = run.plan(offer(found.kind), source.file, elsewhere)
    run.about |= found.facts()
    run.speak()
    return found, plan


def kind_by_name(source: PointSource) -> str | None:
    """The format of a file according to option or name; None if the content must be examined."""
    from ..tables.kinds import kind_by_name

    return source.kind or kind_by_name(source.file)


def opened_table(file: str, kind: str | None, layer: str | None = None) -> tuple[DataFrame, Input]:
    """Read a table; returns the table, and facts about the file."""
    from ..tables import read

    content, given = _opened(file)
    return read(Path(file) if content is None else content, kind=kind, name=_name(file), layer=layer), given


def _points(source: Source, run: Run) -> Points:
    from ..tables import columns
    from ..tables.scaling import Scaling

    table, given = opened_table(source.file, source.kind, source.layer)
    for note in table.attrs["notes"]:
        run.note(note)
    label, weight = column_named(table, source.label), column_named(table, source.weight)
    weights = None if weight is None else columns.weights(table, weight)
    labels = None if label is None else columns.labels(table, label)[0]
    asked = columns_named(table, source.columns)
    known = tuple(name for name in (label, weight) if name is not None)
    if isinstance(source, TableSource):
        found = _features(source, table, asked, known, run)
        return Points(
            given, table, found.names, found.values, found.scaling, None, weights, labels, table.attrs["kind"], found
        )
    aside = () if asked else set_aside(table, known, run)
    names = columns.chosen(table, asked, aside)
    X = columns.coordinates(table, names)
    others = () if asked or table.attrs.get("axes") else tuple(set(columns.numeric(table)) - set(aside))
    say_of_columns(table, names, others, run)
    scaling = Scaling.of(source.scale, X)
    return Points(given, table, names, X, scaling, None, weights, labels, table.attrs["kind"])


def _tracks(source: PointSource, trip: str | None, time: str | None, run: Run) -> Points:
    from ..tables import columns, tracks
    from ..tables.scaling import Scaling

    table, given = opened_table(source.file, source.kind, source.layer)
    weight, when = column_named(table, source.weight), column_named(table, time)
    rest = table if weight is None else table.drop(columns=weight)
    trips = False if trip == "none" else columns_named(table, trip, "trip")
    found = tracks(rest, columns_named(table, source.columns), trips, when)
    if found.trips is not None:  # so that GPX gets tracks
        table.attrs["trips"] = list(found.columns[: len(found.columns) - (found.times is not None)])
    for note in (*table.attrs["notes"], *found.notes):
        run.note(note)
    literal = source.columns or table.attrs.get("axes") or columns.has_geometry(table)
    others = () if literal else set(columns.numeric(rest)) - {*found.columns, *columns.counters(rest)}
    say_of_left_out(found.names, tuple(others), run)
    weights = None if weight is None else columns.weights(table, weight)
    scaling, kind = Scaling.of(source.scale, found.points), table.attrs["kind"]
    return Points(given, table, found.names, found.given, scaling, None, weights, None, kind, tracks=found)


def _features(
    source: TableSource, table: DataFrame, asked: list[str] | None, known: tuple[str, ...], run: Run
) -> Features:
    from ..tables import features

    rest = table if asked else table.drop(columns=list(dict.fromkeys(known)))
    rest.attrs = table.attrs
    try:
        found = features(rest, asked, scale=None if source.scale == "none" else source.scale, missing=source.missing)
    except ValueError as error:
        raise ValueError(as_options(str(error))) from None
    say_of_columns(table, found.names, (), run)
    for note in found.notes:
        run.note(as_options(note))
    return found


def as_options(text: str) -> str:
    """A sentence with parameters of Python as options of the command line: missing='fill' as --missing fill."""
    text = (
        text.replace("columns=[...]", "--columns")
        .replace("covariances=True", "--errors")
        .replace("scale=None", "--scale none")
    )
    return re.sub(r"""\b(scale|missing)(?:=['"](\w+)['"]|(?= must be))""", r"--\1 \2", text).replace("  ", " ")


def _distances(source: Source, needs_points: str) -> Points:
    from pandas import DataFrame

    from ..tables import read_matrix

    if needs_points:
        raise ValueError(f"{needs_points} needs coordinates, but --distances gives none; leave it out")
    for name, value in (("columns", source.columns), ("label", source.label), ("weight", source.weight)):
        if value is not None:
            raise ValueError(f"--{name} needs a table of points, but --distances reads a matrix; leave one of them out")
    if source.scale not in ("none", "auto"):
        raise ValueError("--scale needs columns, but --distances reads a matrix; leave one of them out")
    content, given = _opened(source.file)
    read = read_matrix(Path(source.file) if content is None else content, kind=source.kind, name=_name(source.file))
    table = DataFrame({"point": range(1, len(read) + 1) if read.index.dtype.kind == "i" else read.index})
    table.attrs = {"source": _name(source.file), "notes": []}
    return Points(given, table, (), None, None, read.to_numpy(), None, None, "csv")


def _opened(file: str) -> tuple[bytes | None, Input]:
    """The bytes of a pipe, or None for a regular file; and facts about the file."""
    from ..tables.files import in_pieces

    if file == "-":
        content = in_pieces(sys.stdin.buffer, "standard input")
        if not content:
            raise ValueError("standard input is empty; pipe a file into this command, or give the name of one")
        return content, as_input("-", content)
    path = Path(file)
    if not path.exists():
        near = _near(path)
        raise ValueError(f"{file} is not there{f'; did you mean {near}?' if near else ''}")
    if path.is_dir():
        raise ValueError(f"{file} is a folder; give a file")
    if path.is_file():
        return None, as_input(file)
    with path.open("rb") as stream:  # a named pipe, which can be read only once
        content = in_pieces(stream, file)
    return content, as_input(file, content)


def _near(path: Path) -> str:
    from difflib import get_close_matches

    folder = path.parent
    names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    near = get_close_matches(path.name, names, 1, 0.7)
    return str(folder / near[0]) if near else ""


def _name(file: str) -> str:
    """Name of the input in error messages."""
    return "standard input" if file == "-" else file
