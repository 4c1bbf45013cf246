"""Read graphs from files."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from xml.parsers.expat import ParserCreate

from .._check import option_text
from ..engine import current
from ..spaces.edges import KNOWN, EdgeList

_EACH = 40.0  # bytes of memory per byte of the file: names and numbers become Python objects
_WHOLE = re.compile(r"-?[0-9]{1,100}")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")
_PARTED = ",;\t"
_ENDS = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("node1", "node2"), ("node_1", "node_2"), ("u", "v"),
    ("a", "b"), ("start", "end"), ("tail", "head"),
)  # fmt: skip
_SURE = _ENDS[:5]  # a line with two of these is a heading even if nodes have names
_AFTER = "length after"  # column of the table of a flow
_LIKE = "an edge is `a b` or `a b number`"
_HINT = "; a heading names columns such as source, target, length or strength"
_DEEPEST = 200  # levels of nested elements
_BLOCK = 1 << 20  # bytes read at a time
_WITH_NETWORKX = {".gml": "read_gml", ".graphml": "read_graphml"}


def read_graph(file: str | os.PathLike[str]) -> Any:
    r"""Read a graph from a file: GML, GraphML, or a text file with a list of edges.

    Parameters
    ----------
    file : path
        `.gml` and `.graphml` are read by networkx (an extra); nodes of GML files are named by their labels, or by their
        ids if labels are missing. Any other file is read as a list of edges, as described under Notes.

    Returns
    -------
    networkx graph, or list of edges (a, b) or (a, b, number)
        Every function of `wt.graphs` takes it.

    Notes
    -----
    A list of edges has a line `a b` or `a b number` for each edge, separated by blanks, tabs, commas or semicolons.
    Lines that begin with # or % are skipped. Nodes are integers if all names are integers, else strings; names may
    contain blanks if the separator is a comma, a semicolon or a tab.

    The first line may be a heading: it contains no number, and either names a known column or is followed by integers
    only. Nodes are then in the columns `source` and `target` (or `from`, `to`; `a`, `b`; …), else in the first two
    columns; the number is in the column `length`, `distance`, `strength` or `weight`, else `weight=` names it. This
    reads the tables of a curvature and of a flow (`to_pandas`) as CSV; of a flow, the lengths after it are taken.

    Time O(size of the file). The file may need 40 times its size in memory; it is rejected if that exceeds the engine's
    limit, which `wt.using(memory=…)` raises.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("0 1\n1 2 0.5")
    ...     file.flush()
    ...     wt.graphs.read_graph(file.name)
    [(0, 1), (1, 2, 0.5)]
    """
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"{path} does not exist" if not path.exists() else f"{path} is not a file; give a graph file")
    more = option_text("wt.using(memory=…)", "memory=SIZE")
    what = f"the graph of {path}"
    current().reserve(_EACH * path.stat().st_size, what, f"use a part of it, or raise the limit with {more}")
    reader = _WITH_NETWORKX.get(path.suffix.lower())
    return edges_of(path) if reader is None else _by_networkx(path, reader)


def need_networkx(what: str) -> Any:
    """Import networkx, or raise an error that tells how to install it."""
    try:
        import networkx as nx  # noqa: PLC0415  an extra
    except ImportError:
        raise ImportError(
            f'{what} needs networkx, which is not installed; install it: pip install "wasserstein-transform[graph]"'
        ) from None
    return nx


def _by_networkx(path: Path, reader: str) -> Any:
    nx = need_networkx(f"reading {path.suffix} files")
    try:
        if reader == "read_gml":
            return _read_gml(nx, path)
        check_xml(path)
        return nx.read_graphml(path)
    except Exception as error:  # the readers raise exceptions of any kind
        raise ValueError(f"{path} cannot be read as {path.suffix[1:]}: {error!s:.300}") from None


def _read_gml(nx: Any, path: Path) -> Any:
    """Read a GML file by networkx, which accepts parallel edges only where a line says so."""
    lines = path.read_text("ascii").splitlines()
    label = "label"
    for _ in range(3):
        try:
            return nx.parse_gml(lines, label=label)
        except nx.NetworkXError as error:
            if "no 'label'" in str(error):
                label = "id"
            elif "is duplicated" in str(error) and "edge" in str(error):
                lines = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", "\n".join(lines), count=1).splitlines()
            else:
                raise
    raise ValueError("it has parallel edges without `multigraph 1`")


def check_xml(path: Path) -> None:
    """Reject XML files that have a DOCTYPE, are nested too deep, or have syntax errors."""
    parser = ParserCreate()
    depth = 0

    def refuse(*_: Any) -> NoReturn:
        raise ValueError("it defines entities of its own (DOCTYPE); remove the DOCTYPE")

    def begin(*_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(f"its elements are nested deeper than {_DEEPEST} levels")

    def end(_: Any) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    with path.open("rb") as stream:
        while piece := stream.read(_BLOCK):
            parser.Parse(piece, False)
        parser.Parse(b"", True)


Rows = list[tuple[int, list[str]]]
"""Line numbers, and the cells of each line."""


class _Heading(NamedTuple):
    names: list[str]
    ends: tuple[int, int]
    column: int | None  # of the numbers at edges

    def meant(self) -> str | None:
        name = None if self.column is None else self.names[self.column]
        return KNOWN[0] if name == _AFTER else name


def edges_of(path: Path) -> list[tuple[Any, ...]]:
    """Read the edges of a text file; with a heading, the result knows the name of the numbers' column."""
    rows = _rows(path)
    heading = _heading(rows, path)
    if heading is None:
        return _named([_bare(number, cells, path, k == 0) for k, (number, cells) in enumerate(rows)])
    edges = _named([_headed(number, cells, heading, path) for number, cells in rows[1:]])
    return EdgeList(edges, heading.meant(), {} if heading.column is not None else _others(rows[1:], heading))


def _others(rows: Rows, heading: _Heading) -> dict[str, list[float]]:
    """Return the columns besides the nodes that have numbers which differ."""
    found = {}
    for k, name in enumerate(heading.names):
        cells = [row[k] if k < len(row) else "" for _, row in rows]
        if k not in heading.ends and name not in ("id", "key") and len(set(cells)) > 1 and all(map(_is_number, cells)):
            found[name] = [float(cell) for cell in cells]
    return found


def _rows(path: Path) -> Rows:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not UTF-8 text; a list of edges has a line `a b` or `a b number` for each edge"
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
    return cells[0], cells[1], _number(cells[2], f"{path}, line {number}: the number", hint) if cells[2:] else None


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
