"""Skeleton: a graph of polylines."""

from __future__ import annotations

import csv
import importlib
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._files import PathLike, write_bytes
from .._shown import Reported, facts, frame, import_plotting
from .._types import Floats, Ints
from .denoised import Denoised
from .simplifying import length_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Skeleton(Reported):
    """A graph of polylines between ends and junctions; `skeleton` returns it.

    Attributes
    ----------
    nodes : array of shape (k, m)
        Points where lines end or meet; a closed line has a node of its own.
    edges : array of int, shape (e, 2)
        The first and last node of each of the e lines.
    lines : tuple of arrays of shape (v, m)
        Vertices of each line.
    lengths : array of shape (e,)
        Lengths of the lines, in the unit of the points.
    detail : float
        Largest distance of removed vertices from their line, in units of `source.scale`.
    source : Denoised
        The denoised points.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> angle, rng = np.linspace(0, 2 * np.pi, 200), np.random.default_rng(0)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.normal(1, 0.05, (200, 1))
    >>> found = wt.skeleton(wt.denoise(X, 1, eps=0.4, n_iter=1))
    >>> found
    <Skeleton of 1 line, 0 junctions, length 6.23>
    >>> len(found.lines), len(found.ends)
    (1, 0)
    """

    nodes: Floats
    edges: Ints
    lines: tuple[Floats, ...]
    lengths: Floats
    detail: float
    source: Denoised

    @classmethod
    def of(cls, lines: list[Floats], source: Denoised, detail: float) -> Self:
        """Make the graph of lines; ends of lines at exactly the same point become one node."""
        m = source.points.shape[1]
        ends = np.array([line[[0, -1]] for line in lines]).reshape(-1, m)
        nodes, edges = np.unique(ends, axis=0, return_inverse=True)
        lengths = np.array([length_of(line) for line in lines])
        return cls(nodes, edges.reshape(-1, 2).astype(np.intp), tuple(lines), lengths, detail, source)

    @property
    def length(self) -> float:
        """Total length of all lines."""
        return float(self.lengths.sum())

    @property
    def degrees(self) -> Ints:
        """Number of line ends at each node, shape (k,)."""
        return np.bincount(self.edges.ravel(), minlength=len(self.nodes)).astype(np.intp)

    @property
    def junctions(self) -> Floats:
        """Nodes where at least three lines meet."""
        return np.asarray(self.nodes[self.degrees >= 3])

    @property
    def ends(self) -> Floats:
        """Nodes where a single line ends."""
        return np.asarray(self.nodes[self.degrees == 1])

    @property
    def graph(self) -> Any:
        """A networkx MultiGraph (extra `graph`): nodes have a `position`, edges a `length` and a `line`."""
        nx = _networkx()
        graph = nx.MultiGraph()
        graph.add_nodes_from((k, {"position": tuple(place)}) for k, place in enumerate(self.nodes.tolist()))
        for (a, b), line, length in zip(self.edges.tolist(), self.lines, self.lengths.tolist(), strict=True):
            graph.add_edge(a, b, line=line, length=length)
        return graph

    def to_geojson(self, file: PathLike | None = None) -> dict[str, Any]:
        """Return a GeoJSON FeatureCollection of lines and junctions; write it to a file if one is given.

        Lines have a length and the numbers of their nodes. Coordinates are those of the points. The GeoJSON standard
        requires degrees of longitude and latitude, but most programs can be told to read others.
        """
        if (m := self.source.points.shape[1]) > 3:
            raise ValueError(f"GeoJSON has two or three coordinates, but these lines have {m}; to_csv writes them all")
        lines = [
            _feature("LineString", line.tolist(), {"length": length, "from": a, "to": b})
            for line, length, (a, b) in zip(self.lines, self.lengths.tolist(), self.edges.tolist(), strict=True)
        ]
        degrees = self.degrees
        junctions = [
            _feature("Point", self.nodes[k].tolist(), {"node": k, "degree": int(degrees[k])})
            for k in np.flatnonzero(degrees >= 3).tolist()
        ]
        found = {"type": "FeatureCollection", "features": lines + junctions}
        if file is not None:
            write_bytes(file, json.dumps(found, allow_nan=False).encode())
        return found

    def to_csv(self, file: PathLike) -> None:
        """Write a table with a row for each vertex: number of the line, number on the line, coordinates."""
        with io.StringIO(newline="") as text:
            table = csv.writer(text, lineterminator="\n")
            table.writerow(["line", "vertex", *(f"x{k}" for k in range(self.source.points.shape[1]))])
            for number, line in enumerate(self.lines):
                table.writerows([number, k, *map(repr, place)] for k, place in enumerate(line.tolist()))
            write_bytes(file, text.getvalue().encode())

    def to_shapely(self) -> Any:
        """Return the lines as a Shapely MultiLineString; needs Shapely."""
        try:
            geometry = importlib.import_module("shapely.geometry")
        except ImportError:
            raise ImportError("to_shapely needs Shapely: pip install shapely; to_geojson has the same lines") from None
        return geometry.MultiLineString([line.tolist() for line in self.lines])

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each line: its nodes, length and number of vertices."""
        columns = {"from": self.edges[:, 0], "to": self.edges[:, 1], "length": self.lengths}
        vertices = [len(line) for line in self.lines]
        return frame(columns | {"vertices": vertices})

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Axes:
        """Draw the points, in gray, the lines and their junctions; needs matplotlib (extra `plot`).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; None means a new figure.
        title : str, optional
            Title of the picture; None means a default title.

        Returns
        -------
        matplotlib Axes
        """
        axes: Axes = import_plotting("curves").skeleton(self, ax, title=title)
        return axes

    def _repr_html_(self) -> str:
        rows = {
            "lines": len(self.lines),
            "junctions": len(self.junctions),
            "ends": len(self.ends),
            "length": f"{self.length:.4g}",
            "vertices": sum(len(line) for line in self.lines),
            "detail": f"{self.detail:.4g}",
        }
        return facts("Skeleton", rows)

    def __repr__(self) -> str:
        lines = f"{len(self.lines)} line{'s' if len(self.lines) != 1 else ''}"
        junctions = f"{len(self.junctions)} junction{'s' if len(self.junctions) != 1 else ''}"
        return f"<Skeleton of {lines}, {junctions}, length {self.length:.3g}>"


def _feature(kind: str, coordinates: list[Any], properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}


def _networkx() -> Any:
    try:
        import networkx as nx  # noqa: PLC0415  an extra
    except ImportError:
        raise ImportError(
            'the graph of a skeleton needs networkx; install it: pip install "wasserstein-transform[graph]"; '
            "nodes, edges and lines hold the same data"
        ) from None
    return nx
