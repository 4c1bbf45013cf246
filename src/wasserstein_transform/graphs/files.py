"""Graphs in files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ..engine import current

_EACH = 40.0  # bytes of memory for each of a file: names and numbers are objects
_NUMBER = re.compile(r"-?[0-9]+")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")
_WITH_NETWORKX = {".gml": "read_gml", ".graphml": "read_graphml"}


def read_graph(file: str | os.PathLike[str]) -> Any:
    r"""A graph from a file: GML and GraphML by networkx, anything else as a list of edges.

    A list of edges has a line `a b` or `a b length` for each, parted by blanks, tabs, commas or semicolons; lines that
    begin with # or % are left out. Nodes are numbers if all of them are, else names. Nodes of GML files go by their
    labels, or by their ids where labels are missing. A file may take 40 times its size of memory; one for which the
    engine has not as much is refused, and `wt.using(memory=…)` raises the limit.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("0 1\n1 2 0.5")
    ...     file.flush()
    ...     wt.graphs.read_graph(file.name)
    [(0, 1), (1, 2, '0.5')]
    """
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"{path} is not there" if not path.exists() else f"{path} is no file; give a graph")
    current().reserve(
        _EACH * path.stat().st_size,
        f"the graph of {path}",
        "take a part of it, or raise the limit with wt.using(memory=…)",
    )
    reader = _WITH_NETWORKX.get(path.suffix.lower())
    return _listed(path) if reader is None else _by_networkx(path, reader)


def need_networkx(what: str) -> Any:
    """Networkx, or how to get it."""
    try:
        import networkx as nx  # noqa: PLC0415  an extra
    except ImportError:
        raise ImportError(
            f'{what} needs networkx, which is not installed; pip install "wasserstein-transform[graph]" brings it'
        ) from None
    return nx


def _by_networkx(path: Path, reader: str) -> Any:
    nx = need_networkx(f"reading {path.suffix} files")
    try:
        try:
            graph = getattr(nx, reader)(path)
        except nx.NetworkXError as error:
            if "no 'label'" not in str(error):
                raise
            graph = nx.read_gml(path, label="id")
    except Exception as error:  # readers raise what they like
        raise ValueError(f"{path} cannot be read as {path.suffix[1:]}: {error}") from None
    return graph.to_undirected() if graph.is_directed() and graph.number_of_edges() == 0 else graph


def _listed(path: Path) -> list[tuple[Any, ...]]:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is no text in UTF-8; a list of edges has a line `a b` or `a b length` for each"
        ) from None
    edges = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        words = _BETWEEN.split(line)
        if not line or line[0] in "#%":
            continue
        if len(words) not in (2, 3) or not all(words):
            raise ValueError(f"{path}, line {number}: an edge is `a b` or `a b length`, got {line!r}")
        edges[number] = tuple(words)
    return _numbered(edges, path)


def _numbered(edges: dict[int, tuple[str, ...]], path: Path) -> list[tuple[Any, ...]]:
    """Names become numbers if all of them are; a first line that alone has names is a heading."""
    named = [number for number, edge in edges.items() if not all(_NUMBER.fullmatch(word) for word in edge[:2])]
    if not named:
        return [(int(edge[0]), int(edge[1]), *edge[2:]) for edge in edges.values()]
    if len(edges) > 1 and named == [next(iter(edges))] and not any(map(_NUMBER.fullmatch, edges[named[0]])):
        heading = " ".join(edges[named[0]])
        raise ValueError(f"{path}, line {named[0]}: {heading!r} reads as a heading; put # before it or leave it out")
    return list(edges.values())
