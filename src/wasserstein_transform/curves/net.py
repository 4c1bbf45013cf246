"""Skeleton: a graph of polylines, and the points that support each; smoothing and simplification of polylines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, Self

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .. import _check as check
from .._display import HasReport, counted, facts, frame, quantity
from .._files import PathLike, write_bytes
from .._types import Floats, Ints
from ..tables.earth import cut_at_180
from .denoised import Denoised

_SPACING = 0.25  # times the reach: distance of the samples of a line


def nearest_lines(lines: tuple[Floats, ...], points: Floats, reach: float) -> tuple[Ints, Floats]:
    """Return the nearest line of each point, −1 if it is farther than `reach`, and its distance."""
    starts = np.concatenate([line[:-1] for line in lines])
    legs = np.concatenate([np.diff(line, axis=0) for line in lines])
    of = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    lengths = np.linalg.norm(legs, axis=1)
    counts = np.maximum(np.ceil(lengths / (_SPACING * reach)), 1).astype(np.intp)
    leg = np.repeat(np.arange(len(legs)), counts)
    at = (np.arange(len(leg)) - np.repeat(np.cumsum(counts) - counts, counts) + 0.5) / counts[leg]
    chosen = leg[cKDTree(starts[leg] + at[:, None] * legs[leg]).query(points)[1]]
    off = points - starts[chosen]
    along = (off * legs[chosen]).sum(axis=1) / np.maximum(lengths[chosen] ** 2, np.finfo(float).tiny)
    distances = np.linalg.norm(off - np.clip(along, 0, 1)[:, None] * legs[chosen], axis=1)
    return np.where(distances <= reach, of[chosen], -1), distances


def trips_of(track: Ints, n: int) -> Ints:
    """Return the number of the trip of each of n rows, from pairs of consecutive rows."""
    links = coo_array((np.ones(len(track), np.int8), (track[:, 0], track[:, 1])), shape=(n, n))
    return np.asarray(connected_components(links, directed=False)[1], np.intp)


def support(lines: tuple[Floats, ...], points: Floats, track: Ints | None, reach: float) -> dict[str, Ints | Floats]:
    """Return columns for a table of lines: fixes within `reach`, their trips if known, their mean distance."""
    n = len(lines)
    line, distances = nearest_lines(lines, points, reach) if n else (np.full(len(points), -1), np.zeros(len(points)))
    near = line >= 0
    fixes = np.bincount(line[near], minlength=n)
    total = np.bincount(line[near], distances[near], minlength=n)
    columns: dict[str, Ints | Floats] = {"fixes": fixes}
    if track is not None:
        pairs = np.unique(np.column_stack([line, trips_of(track, len(points))])[near], axis=0)
        columns["trips"] = np.bincount(pairs[:, 0], minlength=n)
    return columns | {"deviation": np.where(fixes > 0, total / np.maximum(fixes, 1), np.nan)}


@dataclass(frozen=True, eq=False)
class Skeleton(HasReport):
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
        Lengths of the lines, in the unit of the points; in meters, if these are degrees.
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
    <Skeleton: 1 line, total length 6.23, 0 junctions, 0 ends>
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

    def in_degrees(self, source: Denoised) -> Self:
        """Return a skeleton of points in meters with lines in the degrees of `source`; lengths stay in meters."""
        if source.earth is None or not self.lines:
            return replace(self, source=source)
        places = source.earth.to_degrees(np.concatenate(self.lines))
        lines = np.split(places, np.cumsum([len(line) for line in self.lines])[:-1])
        nodes = np.empty_like(self.nodes)
        nodes[self.edges] = [line[[0, -1]] for line in lines]
        return replace(self, nodes=nodes, lines=tuple(lines), source=source)

    def in_meters(self) -> Self:
        """Return the skeleton with points in meters instead of degrees; itself if they are not degrees."""
        if self.source.earth is None:
            return self
        to_meters = self.source.earth.to_meters
        lines = tuple(map(to_meters, self.lines))
        return replace(self, nodes=to_meters(self.nodes), lines=lines, source=self.source.in_meters())

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

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each line.

        Columns: its nodes, `length`, number of vertices, number of `fixes` (original points within ε of the line, each
        counted at its nearest line), number of `trips` they belong to, if trips are known, and their mean distance from
        the line as `deviation`. Lengths of lines in degrees are in meters.
        """
        flat, scale = self.in_meters(), self.source.scale
        lines = tuple(line / scale for line in flat.lines)
        near = support(lines, flat.source.before / scale, self.source.track, self.source.eps)
        columns = {"from": self.edges[:, 0], "to": self.edges[:, 1], "length": self.lengths}
        return frame(columns | {"vertices": [len(line) for line in self.lines]} | near)

    def to_geopandas(self) -> Any:
        """Return a GeoDataFrame with a row for each line: the columns of `to_pandas`, geometry, coordinate system.

        Its method `to_file` writes GeoPackage, Shapefile and others. Needs geopandas (extra `gis`).
        """
        self._check_dimension("geometry")
        geopandas = check.import_extra("geopandas", "GeoDataFrames need", "gis")
        shapely = check.import_extra("shapely", "GeoDataFrames need", "gis")
        cut = cut_at_180 if self.source.earth is not None else lambda line: [line]
        pieces = [list(map(shapely.LineString, cut(line))) for line in self.lines]
        lines = [parts[0] if len(parts) == 1 else shapely.MultiLineString(parts) for parts in pieces]
        return geopandas.GeoDataFrame(self.to_pandas(), geometry=lines, crs=self._crs or None)

    def to_geojson(self, file: PathLike | None = None) -> dict[str, Any]:
        """Return a GeoJSON FeatureCollection of lines and junctions; write it to a file if one is given.

        Lines have the columns of `to_pandas` as properties. Coordinates are degrees of longitude and latitude, as the
        standard requires, if the coordinate system is known, else those of the points. Lines are cut where they
        cross ±180°.
        """
        self._check_dimension("GeoJSON")
        to_degrees, degrees = self._to_degrees(), self.degrees
        rows = self.to_pandas().to_dict("records")
        cut = cut_at_180 if self._crs else lambda line: [line]
        lines = []
        for line, row in zip(self.lines, rows, strict=True):
            parts = [part.tolist() for part in cut(to_degrees(line))]
            kind, places = ("LineString", parts[0]) if len(parts) == 1 else ("MultiLineString", parts)
            lines.append(_feature(kind, places, {name: None if isnan(x) else x for name, x in row.items()}))
        junctions = [
            _feature("Point", to_degrees(self.nodes[[k]])[0].tolist(), {"node": k, "degree": int(degrees[k])})
            for k in np.flatnonzero(degrees >= 3).tolist()
        ]
        found = {"type": "FeatureCollection", "features": lines + junctions}
        if file is not None:
            write_bytes(file, json.dumps(found, allow_nan=False).encode())
        return found

    def to_csv(self, file: PathLike | None = None) -> str:
        """Return a table with a row for each vertex: number of the line, number on the line, coordinates.

        It is written to a file if one is given.
        """
        with io.StringIO(newline="") as text:
            table = csv.writer(text, lineterminator="\n")
            table.writerow(["line", "vertex", *self.source.names])
            for number, line in enumerate(self.lines):
                table.writerows([number, k, *map(repr, place)] for k, place in enumerate(line.tolist()))
            written = text.getvalue()
        if file is not None:
            write_bytes(file, written.encode())
        return written

    def _check_dimension(self, what: str) -> None:
        if (m := self.source.points.shape[1]) > 3:
            raise ValueError(f"{what} has two or three coordinates, but these lines have {m}; to_csv writes them all")

    @property
    def _crs(self) -> str:
        return "" if self.source.tracks is None else self.source.tracks.crs

    def _to_degrees(self) -> Callable[[Floats], Floats]:
        """A function from vertices to coordinates in GeoJSON: to a millimeter, if the coordinate system is known."""
        if not self._crs:
            return lambda places: places
        if self._crs == "EPSG:4326":
            return lambda places: places.round(8)
        pyproj = check.import_extra("pyproj", "GeoJSON needs", "gis")
        change = pyproj.Transformer.from_crs(self._crs, 4326, always_xy=True).transform
        return lambda places: np.asarray(np.column_stack(change(*places.T)).round(8))

    @property
    def in_words(self) -> str:
        """The number and the total length of the lines, junctions and ends."""
        counts = (counted(len(some), noun) for some, noun in ((self.junctions, "junction"), (self.ends, "end")))
        length = quantity(self.length, self.source.unit)
        return ", ".join((counted(len(self.lines), "line"), f"total length {length}", *counts))

    def _repr_html_(self) -> str:
        rows = {
            "lines": len(self.lines),
            "junctions": len(self.junctions),
            "ends": len(self.ends),
            "length": quantity(self.length, self.source.unit),
            "vertices": sum(len(line) for line in self.lines),
            "detail": self.source.length(self.detail),
        }
        return facts("Skeleton", rows)

    def __repr__(self) -> str:
        return f"<Skeleton: {self.in_words}>"


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


_EVERY = 4  # vertices of a smoothed line per width
_REACH = 4.0  # radius of the filter, in widths
_MOST = 20_000  # most vertices of one line


def simplified(line: Floats, tolerance: float) -> Floats:
    """Remove vertices of a line while it stays within the tolerance of all of them (Douglas and Peucker, 1973).

    Examples
    --------
    >>> import numpy as np
    >>> simplified(np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0], [2.0, 2.0]]), 0.2)
    array([[0., 0.],
           [2., 0.],
           [2., 2.]])
    """
    kept = np.zeros(len(line), bool)
    kept[[0, -1]] = True
    waiting = [(0, len(line) - 1)]
    while waiting:
        a, b = waiting.pop()
        if b - a < 2:
            continue
        off = _off_segment(line[a + 1 : b], line[a], line[b])
        worst = int(off.argmax())
        if off[worst] > tolerance:
            middle = a + 1 + worst
            kept[middle] = True
            waiting += [(a, middle), (middle, b)]
    return line[kept]


def _off_segment(points: Floats, a: Floats, b: Floats) -> Floats:
    along = b - a
    square = float(along @ along)
    t = np.clip((points - a) @ along / square, 0.0, 1.0) if square > 0 else np.zeros(len(points))
    return np.asarray(np.sqrt(((points - a - t[:, None] * along) ** 2).sum(axis=1)))


def length_of(line: Floats) -> float:
    """Return the length of a line."""
    return float(np.sqrt((np.diff(line, axis=0) ** 2).sum(axis=1)).sum())


def smoothed(line: Floats, masses: Floats, width: float, closed: bool = False) -> Floats:
    """Smooth a line by Gaussian means along it, weighted by the masses of vertices; its ends stay.

    Means lie on the inner side of a bend; the change by a second smoothing is added back to correct for this (twicing).
    A straight line does not change. All of a closed line is smoothed, and it stays closed.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(0, 10, 101)
    >>> zigzag = np.column_stack([x, 0.1 * (-1.0) ** np.arange(101)])
    >>> found = smoothed(zigzag, np.ones(101), 0.5)
    >>> bool(np.abs(found[10:-10, 1]).max() < 0.02)
    True
    """
    lengths = np.sqrt((np.diff(line, axis=0) ** 2).sum(axis=1))
    at = np.append(0.0, np.cumsum(lengths))
    pieces = min(int(np.ceil(_EVERY * at[-1] / width)), _MOST) if width > 0 else 0
    if pieces < 2:
        return line
    evenly = np.linspace(0.0, at[-1], pieces + 1)
    there = np.column_stack([np.interp(evenly, at, column) for column in line.T])
    heavy = np.interp(evenly, at, masses)[:, None]
    sigma = width * pieces / at[-1]
    once = _mean(there, heavy, sigma, closed)
    found = 2 * once - _mean(once, heavy, sigma, closed)
    found[[0, -1]] = found[:1] if closed else line[[0, -1]]
    return found


def _mean(line: Floats, heavy: Floats, sigma: float, closed: bool) -> Floats:
    """Return Gaussian means along a line: periodic if closed, else extended by point reflection at both ends."""
    massive = np.column_stack([heavy * line, heavy])
    if closed:
        found = _divided(gaussian_filter1d(massive[:-1], sigma, axis=0, mode="wrap", truncate=_REACH))
        return np.concatenate([found, found[:1]])
    n = min(int(_REACH * sigma) + 1, len(line) - 1)
    before = np.column_stack([heavy * (2 * line[0] - line), heavy])[n:0:-1]
    beyond = np.column_stack([heavy * (2 * line[-1] - line), heavy])[-2 : -n - 2 : -1]
    turned = np.concatenate([before, massive, beyond])
    return _divided(gaussian_filter1d(turned, sigma, axis=0, mode="nearest", truncate=_REACH)[n : n + len(line)])


def _divided(sums: Floats) -> Floats:
    return np.asarray(sums[:, :-1] / sums[:, -1:])
