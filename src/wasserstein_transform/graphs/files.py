"""Read graphs from files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..engine import current
from .lists import edges_of
from .markup import check_xml

_EACH = 40.0  # bytes of memory per byte of the file: names and numbers become Python objects
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
    networkx graph, or list of edges (a, b) or (a, b, length)
        Every function of `wt.graphs` takes it.

    Notes
    -----
    A list of edges has a line `a b` or `a b length` for each edge, separated by blanks, tabs, commas or semicolons.
    Lines that begin with # or % are skipped. Nodes are integers if all names are integers, else strings; names may
    contain blanks if the separator is a comma, a semicolon or a tab.

    The first line may be a heading: it contains no number, and either names a known column or is followed by integers
    only. Nodes are then in the columns `source` and `target` (or `from`, `to`; `a`, `b`; …), else in the first two
    columns; the number is in the column `length`, `distance`, `strength` or `weight`; other columns are ignored. This
    reads the edges.csv of `wt curvature` and `wt flow`; for a flow, the lengths after it are taken, without the edges
    that were cut.

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
        raise ValueError(f"{path} is not there" if not path.exists() else f"{path} is not a file; give a graph file")
    current().reserve(
        _EACH * path.stat().st_size,
        f"the graph of {path}",
        "use a part of it, or raise the limit with wt.using(memory=…)",
    )
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
        if reader == "read_graphml":
            check_xml(path)
        try:
            graph = getattr(nx, reader)(path)
        except nx.NetworkXError as error:
            if "no 'label'" not in str(error):
                raise
            graph = nx.read_gml(path, label="id")
    except Exception as error:  # the readers raise exceptions of any kind
        raise ValueError(f"{path} cannot be read as {path.suffix[1:]}: {error!s:.300}") from None
    return graph.to_undirected() if graph.is_directed() and graph.number_of_edges() == 0 else graph
