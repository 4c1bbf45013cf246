"""Lists of edges in text files, with or without a heading, with any usual separator."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..spaces.edges import KNOWN, EdgeList

_WHOLE = re.compile(r"-?[0-9]{1,100}")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")
_PARTED = ",;\t"
_ENDS = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("node1", "node2"), ("node_1", "node_2"), ("u", "v"),
    ("a", "b"), ("start", "end"), ("tail", "head"),
)  # fmt: skip
_SURE = _ENDS[:5]  # a line with two of these is a heading even if nodes have names
_AFTER = "length after"  # column written by `wt flow`: nan where an edge was cut
_LIKE = "an edge is `a b` or `a b length`"
_HINT = "; a heading names columns such as source, target, length or strength"

Rows = list[tuple[int, list[str]]]
"""Line numbers, and the cells of each line."""


class _Heading(NamedTuple):
    names: list[str]
    ends: tuple[int, int]
    column: int | None  # of the numbers at edges

    def meant(self) -> str:
        name = "" if self.column is None else self.names[self.column]
        return name if name in KNOWN else KNOWN[0]


def edges_of(path: Path) -> list[tuple[Any, ...]]:
    """Read the edges of a text file; with a heading, the result knows the name of the numbers' column."""
    rows = _rows(path)
    heading = _heading(rows, path)
    if heading is None:
        return _named([_bare(number, cells, path, k == 0) for k, (number, cells) in enumerate(rows)])
    edges = [_headed(number, cells, heading, path) for number, cells in rows[1:]]
    return EdgeList(_named([edge for edge in edges if edge[2] is None or not math.isnan(edge[2])]), heading.meant())


def _rows(path: Path) -> Rows:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not UTF-8 text; a list of edges has a line `a b` or `a b length` for each edge"
        ) from None
    kept = [(k, line) for k, line in enumerate(map(str.strip, lines), 1) if line and line[0] not in "#%"]
    between = [sign for sign in _PARTED if any(sign in line for _, line in kept)]
    if len(between) == 1 and all(between[0] in line for _, line in kept):
        return [(k, _split(line, between[0], k, path)) for k, line in kept]
    return [(k, _BETWEEN.split(line)) for k, line in kept]


def _split(line: str, sign: str, number: int, path: Path) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=sign, skipinitialspace=True))]
    except csv.Error as error:
        raise ValueError(f"{path}, line {number}: {error}") from None


def _heading(rows: Rows, path: Path) -> _Heading | None:
    """Return the heading if the first line is one: no numbers, and a known column or integers below it."""
    if not rows or any(_is_number(cell) for cell in rows[0][1]) or len(rows[0][1]) < 2:
        return None
    number, cells = rows[0]
    names = [cell.lower() for cell in cells]
    known = [name for name in (_AFTER, *KNOWN) if name in names and len(names) > 2]
    ends = next(((names.index(a), names.index(b)) for a, b in _ENDS if a in names and b in names), None)
    sure = any(a in names and b in names for a, b in _SURE)
    above_numbers = len(rows) > 1 and all(
        _WHOLE.fullmatch(row[k]) for _, row in rows[1:] for k in _first_two(row, ends)
    )
    if not (known or sure or above_numbers):
        return None
    used = [*(names[k] for k in ends or (0, 1)), *known]
    if any(names.count(name) > 1 for name in used):
        raise ValueError(f"{path}, line {number}: the heading names a column twice, got {', '.join(cells):.200}")
    if len(known) > 1:
        raise ValueError(
            f"{path}, line {number}: columns {' and '.join(map(repr, known))} may both be meant; keep one of them"
        )
    return _Heading(names, ends or (0, 1), names.index(known[0]) if known else None)


def _first_two(row: Sequence[str], ends: tuple[int, int] | None) -> tuple[int, ...]:
    return tuple(k for k in (ends or (0, 1)) if k < len(row))


def _bare(number: int, cells: Sequence[str], path: Path, first: bool) -> tuple[str, str, float | None]:
    hint = _HINT if first and not any(map(_is_number, cells[:9])) else ""
    if len(cells) not in (2, 3) or not all(cells):
        raise ValueError(f"{path}, line {number}: {_LIKE}, got {' '.join(cells[:9])[:80]!r}{hint}")
    return cells[0], cells[1], _number(cells[2], f"{path}, line {number}: a length", hint) if cells[2:] else None


def _headed(number: int, cells: Sequence[str], heading: _Heading, path: Path) -> tuple[str, str, float | None]:
    here, missing = f"{path}, line {number}", len(heading.names) - len(cells)
    if missing < 0:
        raise ValueError(f"{here}: the heading names {len(heading.names)} columns, got {len(cells)} here")
    cells = [*cells, *[""] * missing]
    a, b = (cells[k] for k in heading.ends)
    if not (a and b):
        raise ValueError(f"{here}: an edge needs two nodes, got {a[:60]!r} and {b[:60]!r}")
    if heading.column is None:
        return a, b, None
    name, cell = heading.names[heading.column], cells[heading.column]
    if name == _AFTER and cell.lower() == "nan":
        return a, b, math.nan
    return a, b, _number(cell, f"{here}, column {name!r}: the number")


def _number(cell: str, what: str, hint: str = "") -> float:
    try:
        found = float(cell)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise ValueError(f"{what} of an edge must be finite and at least 0, got {cell[:60]!r}{hint}")
    return found


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _named(triples: Sequence[tuple[str, str, float | None]]) -> list[tuple[Any, ...]]:
    """Convert names to integers if all of them are integers."""
    whole = all(_WHOLE.fullmatch(a) and _WHOLE.fullmatch(b) for a, b, _ in triples)  # more than 100 digits: a name
    edges = [(int(a), int(b), x) if whole else (a, b, x) for a, b, x in triples]
    return [(a, b) if x is None else (a, b, x) for a, b, x in edges]
