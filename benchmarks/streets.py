"""Tracks against a map of streets: how near points and lines are to it, and how much of it they keep."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import dijkstra, maximum_bipartite_matching
from scipy.spatial import cKDTree

import wasserstein_transform as wt
from wasserstein_transform.tables.earth import Tracks

NEAR = 15.0  # meters: a street is visited, kept or met within this distance
MET = 10.0  # meters: a line lies on a street within this distance
MAPPED = 50.0  # meters: fixes farther from the map lie beyond its border
EVERY, FINE, FINEST = 10.0, 5.0, 2.0  # meters between samples of streets: for visits, for lines, for distances
OUTWARD, APART = 300.0, 100.0  # meters: how far maps are explored, and how far apart the starts are


class City(NamedTuple):
    """Fixes in meters, the trip and time of each, and the streets as lines."""

    fixes: np.ndarray
    trips: np.ndarray
    times: np.ndarray
    streets: list[np.ndarray]

    def take(self, rows: np.ndarray) -> City:
        return self._replace(fixes=self.fixes[rows], trips=self.trips[rows], times=self.times[rows])


def read_cities(folder: Path) -> dict[str, City]:
    """Cities of a folder.

    `NAME_points.csv` with trip, time and x, y or lon, lat; `NAME_map_{vertices,edges}.csv` as mapconstruction.org has
    them, or `NAME_routes.csv` with route, lon, lat. Fixes beyond the map are left out.
    """
    found = {}
    for file in sorted(folder.glob("*_points.csv*")):
        name, ending = file.name.split("_points")
        tracks = wt.tables.tracks(wt.read(file))
        assert tracks.trips is not None
        streets = _routes(folder / f"{name}_routes{ending}", tracks) if tracks.earth else _graph(folder, name, ending)
        times = np.arange(len(tracks.points)) if tracks.times is None else tracks.times
        city = City(tracks.points, tracks.trips, times, streets)
        found[name] = city.take(cKDTree(sampled(streets, FINEST)).query(tracks.points)[0] <= MAPPED)
    return found


def _routes(file: Path, tracks: Tracks) -> list[np.ndarray]:
    assert tracks.earth is not None
    return [tracks.earth.to_meters(one[["lon", "lat"]].to_numpy()) for _, one in wt.read(file).groupby("route")]


def _graph(folder: Path, name: str, ending: str) -> list[np.ndarray]:
    vertices, edges = (wt.read(folder / f"{name}_map_{part}{ending}") for part in ("vertices", "edges"))
    places = vertices.set_axis(["id", "x", "y"], axis=1).set_index("id")
    return list(np.stack([places.loc[edges.iloc[:, k]].to_numpy() for k in (1, 2)], axis=1))


def sampled(lines: list[np.ndarray], every: float) -> np.ndarray:
    """Distinct points along lines, at most `every` apart."""
    parts = []
    for line in lines:
        for a, b in pairwise(line):
            count = max(1, int(np.ceil(np.linalg.norm(b - a) / every)))
            parts.append(a + (b - a) * (np.arange(count + 1) / count)[:, None])
    places = np.concatenate(parts) if parts else np.empty((0, 2))
    return places[np.unique(places.round(1), axis=0, return_index=True)[1]]


def to_streets(points: np.ndarray, city: City) -> tuple[float, float]:
    """Median distance to the streets, and share of the visited streets that keep a point within 15 m."""
    streets = sampled(city.streets, FINEST)
    visited = streets[cKDTree(city.fixes).query(streets)[0] <= NEAR]
    far = np.median(cKDTree(streets).query(points)[0])
    return float(far), float((cKDTree(points).query(visited)[0] <= NEAR).mean())


def f_by_places(lines: list[np.ndarray], city: City) -> tuple[float, float, float]:
    """Precision and recall within 10 m, and F1: samples of lines near a street, visited samples near a line."""
    streets, found = sampled(city.streets, FINE), sampled(lines, FINE)
    visited = streets[cKDTree(city.fixes).query(streets)[0] <= NEAR]
    precision = float((cKDTree(streets).query(found)[0] <= MET).mean())
    recall = float((cKDTree(found).query(visited)[0] <= MET).mean())
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


class Net(NamedTuple):
    """A map as points at most 5 m apart and the lengths between neighbors."""

    points: np.ndarray
    lengths: csr_matrix


def net_of(lines: list[np.ndarray]) -> Net:
    """A map of lines that share vertices where they meet."""
    points, rows, columns, lengths = [], [], [], []
    number: dict[tuple[float, ...], int] = {}
    for line in lines:
        for a, b in pairwise(line):
            length = float(np.linalg.norm(b - a))
            count = max(1, int(np.ceil(length / FINE)))
            before = number.setdefault(tuple(a), len(points))
            if before == len(points):
                points.append(a)
            for k in range(1, count + 1):
                place = a + (b - a) * k / count if k < count else b
                here = number.setdefault(tuple(place), len(points)) if k == count else len(points)
                if here == len(points):
                    points.append(place)
                rows.append(before)
                columns.append(here)
                lengths.append(max(length / count, 1e-9))
                before = here
    shape = (len(points), len(points))
    return Net(np.array(points), coo_matrix((lengths, (rows, columns)), shape=shape).tocsr())


def visited_streets(city: City) -> list[np.ndarray]:
    """The straight pieces of street of which at least half of the samples are visited."""
    tree = cKDTree(city.fixes)
    ends = np.array([sorted(map(tuple, piece)) for street in city.streets for piece in pairwise(street.round(2))])
    pieces = np.unique(ends, axis=0)  # routes share streets
    return [piece for piece in pieces if (tree.query(sampled([piece], EVERY))[0] <= NEAR).mean() >= 0.5]


def f_by_exploring(lines: list[np.ndarray], city: City) -> tuple[float, float, float]:
    """Precision, recall and F of Biagioni and Eriksson (2012).

    From starts on the visited streets, 100 m apart, that have the found map within 15 m, both maps are explored up to
    300 m along their lines and sampled every 5 m. Samples are matched one to one within 15 m. Precision is the matched
    share of those of the found map, recall that of the streets, over all starts.
    """
    truth, found = net_of(visited_streets(city)), net_of(lines)
    starts, taken = [], np.empty((0, 2))
    for k, place in enumerate(truth.points):
        if not len(taken) or np.linalg.norm(taken - place, axis=1).min() >= APART:
            starts.append(k)
            taken = np.vstack([taken, place])
    apart, near = cKDTree(found.points).query(truth.points[starts])
    matched = n_found = n_truth = 0
    for start, other, off in zip(starts, near, apart, strict=True):
        if off > NEAR:
            continue
        holes = truth.points[np.isfinite(dijkstra(truth.lengths, False, start, limit=OUTWARD))]
        marbles = found.points[np.isfinite(dijkstra(found.lengths, False, int(other), limit=OUTWARD))]
        pairs = cKDTree(marbles).sparse_distance_matrix(cKDTree(holes), NEAR, output_type="coo_matrix")
        graph = csr_matrix((np.ones(pairs.nnz), (pairs.row, pairs.col)), shape=(len(marbles), len(holes)))
        matched += int((maximum_bipartite_matching(graph) >= 0).sum())
        n_found, n_truth = n_found + len(marbles), n_truth + len(holes)
    precision, recall = matched / max(n_found, 1), matched / max(n_truth, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)
