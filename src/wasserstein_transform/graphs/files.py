"""Read graphs from files."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from .._check import option_text
from ..engine import current
from ..spaces import KNOWN, EdgeList

_MEMORY_PER_BYTE = 40.0  # of the file: names and numbers become Python objects
_WHOLE = re.compile(r"-?[0-9]{1,100}")  # with more digits it is a name
_ENDS = ("source", "target"), ("from", "to"), ("src", "dst")  # columns of nodes
_AFTER = "length after"  # column of the table of a flow
_HEADING = "; a heading names columns such as source, target, length or strength"


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
    A list of edges has a line `a b` or `a b number` for each edge, all separated by commas, semicolons or tabs, or all
    by blanks. Lines that begin with # or % are skipped. Nodes are integers if all names are integers, else strings;
    names may contain blanks if the separator is a comma, a semicolon or a tab.

    The first line may be a heading: it contains no number, and either names a known column or is followed by integers
    only. Nodes are then in the columns `source` and `target`, `from` and `to` or `src` and `dst`, else in the first two
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
    current().reserve(_MEMORY_PER_BYTE * path.stat().st_size, what, f"use a part of it, or raise the limit with {more}")
    kind = path.suffix.lower()
    if kind not in (".gml", ".graphml"):
        return _read_edges(path)
    nx = need_networkx(f"reading {kind} files")
    try:
        return _read_gml(nx, path) if kind == ".gml" else nx.read_graphml(path)
    except Exception as error:  # the readers raise exceptions of any kind
        raise ValueError(f"{path} cannot be read as {kind[1:]}: {error!s:.300}") from None


def _read_gml(nx: Any, path: Path) -> Any:
    """Read a GML file by networkx, which accepts parallel edges only where a line says so."""
    text = path.read_text("ascii")
    label = "label" if re.search(r"\blabel\b", text) else "id"
    try:
        return nx.parse_gml(text, label)
    except nx.NetworkXError as error:
        if "edge" not in str(error) or "is duplicated" not in str(error):
            raise
        return nx.parse_gml(re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", text, count=1), label)


def _read_edges(path: Path) -> list[tuple[Any, ...]]:
    """Read the edges of a text file; with a heading, the result knows the name of the numbers' column."""
    numbers, rows = _read_rows(path)
    names = [cell.lower() for cell in rows[0]] if _has_heading(rows) else []
    numbers, rows = numbers[bool(names) :], rows[bool(names) :]
    known = [name for name in (_AFTER, *KNOWN) if name in names]
    if len(known) > 1:
        raise ValueError(f"{path}: columns {' and '.join(map(repr, known))} may both be meant; keep one of them")
    a, b = next(((names.index(a), names.index(b)) for a, b in _ENDS if a in names and b in names), (0, 1))
    column = names.index(known[0]) if known else len(names) or 2  # after all others: there is none
    edges = list[tuple[Any, ...]]()
    for number, row in zip(numbers, rows, strict=True):
        where, cells = f"{path}, line {number}", row + [""] * (len(names) - len(row))
        if not 2 <= len(cells) <= (len(names) or 3) or not (cells[a] and cells[b]):
            shape = ", ".join(names) or "`a b` or `a b number`"
            raise ValueError(f"{where}: an edge is {shape}, got {' '.join(row[:9])[:80]!r}")
        values = [_to_float(cell) for cell in cells[column : column + 1]]
        if not all(0 <= value < np.inf for value in values):
            hint = "" if names or edges else _HEADING
            raise ValueError(
                f"{where}: the number of an edge must be finite and at least 0, got {cells[column][:60]!r}{hint}"
            )
        edges.append((cells[a], cells[b], *values))
    if all(_WHOLE.fullmatch(name) for edge in edges for name in edge[:2]):
        edges = [(int(start), int(end), *values) for start, end, *values in edges]
    if not names:
        return edges
    if known:
        return EdgeList(edges, KNOWN[0] if known == [_AFTER] else known[0])
    others = {name: [_to_float(row[k]) if k < len(row) else np.nan for row in rows] for k, name in enumerate(names)}
    unused = names[a], names[b], "id", "key"
    differ = {name: x for name, x in others.items() if name not in unused and len(set(x)) > 1 and not np.isnan(x).any()}
    return EdgeList(edges, None, differ)


def _read_rows(path: Path) -> tuple[list[int], list[list[str]]]:
    """Return the numbers of the lines that are no comments, and their cells."""
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not UTF-8 text; a list of edges has a line `a b` or `a b number` for each edge"
        ) from None
    lines = {k: line.strip() for k, line in enumerate(text.splitlines(), 1)}
    lines = {k: line for k, line in lines.items() if line and line[0] not in "#%"}
    sign = next((sign for sign in ",;\t" if all(sign in line for line in lines.values())), None)
    if sign is None:
        return list(lines), [line.split() for line in lines.values()]
    try:
        rows = [next(csv.reader([line], delimiter=sign, skipinitialspace=True)) for line in lines.values()]
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read as a table: {error}") from None
    return list(lines), [[cell.strip() for cell in row] for row in rows]


def _has_heading(rows: list[list[str]]) -> bool:
    """Whether the first line is a heading: no numbers, and a known column or integers below it."""
    if not rows or len(rows[0]) < 2 or not all(np.isnan(_to_float(cell)) for cell in rows[0]):
        return False
    names = {cell.lower() for cell in rows[0]}
    is_known = len(names) > 2 and not names.isdisjoint((_AFTER, *KNOWN))
    above_numbers = len(rows) > 1 and all(_WHOLE.fullmatch(cell) for row in rows[1:] for cell in row[:2])
    return is_known or above_numbers or any(names.issuperset(ends) for ends in _ENDS)


def _to_float(cell: str) -> float:
    """Convert a cell to a number; NaN if it is none."""
    try:
        return float(cell)
    except ValueError:
        return np.nan


def need_networkx(what: str) -> Any:
    """Import networkx, or raise an error that tells how to install it."""
    try:
        import networkx as nx  # noqa: PLC0415  an extra
    except ImportError:
        raise ImportError(
            f'{what} needs networkx, which is not installed; install it: pip install "wasserstein-transform[graph]"'
        ) from None
    return nx
