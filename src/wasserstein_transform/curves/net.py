"""The graph of lines that a skeleton is."""

from __future__ import annotations

import csv
import importlib
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._files import PathLike, write_bytes
from .._pictures import Reported, drawn_by
from .._shown import facts, frame
from .._types import Floats, Ints
from .denoised import Denoised
from .simplifying import length_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Skeleton(Reported):
    """Lines between ends and junctions.

    Attributes
    ----------
    nodes : array of shape (k, m)
        Where lines end or meet; a closed line has one of its own.
    edges : array of shape (e, 2)
        The nodes each line goes from and to.
    lines : tuple of arrays of shape (·, m)
        Their vertices.
    lengths : array of shape (e,)
    detail : float
        How far vertices that were left out may be from their line.
    source : Denoised
        The points.
    """

    nodes: Floats
    edges: Ints
    lines: tuple[Floats, ...]
    lengths: Floats
    detail: float
    source: Denoised

    @classmethod
    def of(cls, lines: list[Floats], source: Denoised, detail: float) -> Self:
        """The graph of lines that share their end points, exactly."""
        m = source.points.shape[1]
        ends = np.array([line[[0, -1]] for line in lines]).reshape(-1, m)
        nodes, edges = np.unique(ends, axis=0, return_inverse=True)
        lengths = np.array([length_of(line) for line in lines])
        return cls(nodes, edges.reshape(-1, 2).astype(np.intp), tuple(lines), lengths, detail, source)

    @property
    def length(self) -> float:
        """Length of all lines."""
        return float(self.lengths.sum())

    @property
    def degrees(self) -> Ints:
        """How many lines end at each node."""
        return np.bincount(self.edges.ravel(), minlength=len(self.nodes)).astype(np.intp)

    @property
    def junctions(self) -> Floats:
        """Where three lines or more meet."""
        return np.asarray(self.nodes[self.degrees >= 3])

    @property
    def ends(self) -> Floats:
        """Where lines end."""
        return np.asarray(self.nodes[self.degrees == 1])

    @property
    def graph(self) -> Any:
        """A networkx MultiGraph, the extra `graph`: nodes have a `position`, edges a `length` and their `line`."""
        nx = _networkx()
        graph = nx.MultiGraph()
        graph.add_nodes_from((k, {"position": tuple(place)}) for k, place in enumerate(self.nodes.tolist()))
        for (a, b), line, length in zip(self.edges.tolist(), self.lines, self.lengths.tolist(), strict=True):
            graph.add_edge(a, b, line=line, length=length)
        return graph

    def to_geojson(self, file: PathLike | None = None) -> dict[str, Any]:
        """A GeoJSON FeatureCollection: lines with their lengths and nodes, and junctions; written to a file if given.

        Coordinates are those of the points. GeoJSON asks for degrees of longitude and latitude; most programs take
        others if they are told.
        """
        if (m := self.source.points.shape[1]) > 3:
            raise ValueError(f"GeoJSON has two or three coordinates, and these lines have {m}; to_csv writes them all")
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
        """A table with a row for each vertex: the line, its number on it, its coordinates."""
        with io.StringIO(newline="") as text:
            table = csv.writer(text, lineterminator="\n")
            table.writerow(["line", "vertex", *(f"x{k}" for k in range(self.source.points.shape[1]))])
            for number, line in enumerate(self.lines):
                table.writerows([number, k, *map(repr, place)] for k, place in enumerate(line.tolist()))
            write_bytes(file, text.getvalue().encode())

    def to_shapely(self) -> Any:
        """The lines as a Shapely MultiLineString; needs Shapely."""
        try:
            geometry = importlib.import_module("shapely.geometry")
        except ImportError:
            raise ImportError("to_shapely needs Shapely (pip install shapely); to_geojson holds the same") from None
        return geometry.MultiLineString([line.tolist() for line in self.lines])

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each line: its nodes, length and number of vertices."""
        columns = {"from": self.edges[:, 0], "to": self.edges[:, 1], "length": self.lengths}
        vertices = [len(line) for line in self.lines]
        return frame(columns | {"vertices": vertices}, "edges and lengths hold the same")

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Axes:
        """The points, in gray, the lines and their junctions; needs matplotlib, the extra `plot`."""
        axes: Axes = drawn_by("curves").skeleton(self, ax, title=title)
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
            'the graph of a skeleton needs networkx; pip install "wasserstein-transform[graph]" brings it; '
            "nodes, edges and lines hold the same"
        ) from None
    return nx
