"""Graphs in files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..engine import current
from .lists import edges_of
from .markup import check_xml

_EACH = 40.0  # bytes of memory for each of a file: names and numbers are objects
_WITH_NETWORKX = {".gml": "read_gml", ".graphml": "read_graphml"}


def read_graph(file: str | os.PathLike[str]) -> Any:
    r"""A graph from a file: GML and GraphML by networkx, anything else as a list of edges.

    A list of edges has a line `a b` or `a b length` for each, parted by blanks, tabs, commas or semicolons; lines that
    begin with # or % are left out. Nodes are numbers if all of them are, else names, which may have blanks where
    commas, semicolons or tabs part them. Nodes of GML files go by their labels, or by their ids where labels are
    missing. A file may take 40 times its size of memory; one for which the engine has not as much is refused, and
    `wt.using(memory=…)` raises the limit.

    A first line may be a heading: a line without numbers above lines of numbers, or one that names a column of
    numbers. The nodes are then in the columns `source` and `target` (or `from`, `to`; `a`, `b`; …), else in the first
    two, and the number is in `length`, `distance`, `strength` or `weight`; other columns are left out. That is how
    `wt curvature` and `wt flow` write edges.csv; of the lengths before and after a flow those after it are taken,
    without the edges that were cut.

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
        raise ValueError(f"{path} is not there" if not path.exists() else f"{path} is no file; give a graph")
    current().reserve(
        _EACH * path.stat().st_size,
        f"the graph of {path}",
        "take a part of it, or raise the limit with wt.using(memory=…)",
    )
    reader = _WITH_NETWORKX.get(path.suffix.lower())
    return edges_of(path) if reader is None else _by_networkx(path, reader)


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
        if reader == "read_graphml":
            check_xml(path)
        try:
            graph = getattr(nx, reader)(path)
        except nx.NetworkXError as error:
            if "no 'label'" not in str(error):
                raise
            graph = nx.read_gml(path, label="id")
    except Exception as error:  # readers raise what they like
        raise ValueError(f"{path} cannot be read as {path.suffix[1:]}: {error!s:.300}") from None
    return graph.to_undirected() if graph.is_directed() and graph.number_of_edges() == 0 else graph
