"""Tracks against a map of streets: how near points and lines are to it, and how much of it they keep."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import dijkstra, maximum_bipartite_matching
from scipy.spatial import cKDTree

NEAR = 15.0  # meters: a street is visited, kept or met within this distance
EVERY, FINE = 10.0, 5.0  # meters between samples of streets for coverage, and for F
OUTWARD, APART = 300.0, 100.0  # meters: how far maps are explored, and how far apart the starts are


class City(NamedTuple):
    """Fixes, the trip and time of each, and the streets: start and end of every straight piece."""

    fixes: np.ndarray
    trips: np.ndarray
    times: np.ndarray
    starts: np.ndarray
    stops: np.ndarray

    def take(self, rows: np.ndarray) -> City:
        return self._replace(fixes=self.fixes[rows], trips=self.trips[rows], times=self.times[rows])


def read_city(folder: Path) -> City:
    """`NAME_points.csv` with trip, x, y, time and `NAME_map_{vertices,edges}.csv`, as mapconstruction.org has them."""
    points = np.genfromtxt(next(folder.glob("*_points.csv")), delimiter=",", names=True)
    vertices = np.loadtxt(next(folder.glob("*_map_vertices.csv")), delimiter=",")
    edges = np.loadtxt(next(folder.glob("*_map_edges.csv")), delimiter=",")
    number = {int(row[0]): k for k, row in enumerate(vertices)}
    ends = np.array([[number[int(a)], number[int(b)]] for a, b in edges[:, 1:3]])
    fixes = np.column_stack([points["x"], points["y"]])
    places = vertices[:, 1:3] - fixes.mean(axis=0).round()
    trips, times = points["trip"].astype(int), points["time"]
    return City(fixes - fixes.mean(axis=0).round(), trips, times, places[ends[:, 0]], places[ends[:, 1]])


def to_streets(points: np.ndarray, city: City) -> np.ndarray:
    """Distance of each point to the nearest street, exactly."""
    along = city.stops - city.starts
    squares = np.maximum((along**2).sum(axis=1), 1e-12)
    nearest = np.empty(len(points))
    for k in range(0, len(points), 256):
        off = points[k : k + 256, None] - city.starts[None]
        t = np.clip((off * along).sum(axis=2) / squares, 0.0, 1.0)
        nearest[k : k + 256] = np.sqrt(((off - t[:, :, None] * along) ** 2).sum(axis=2).min(axis=1))
    return nearest


def samples(starts: np.ndarray, stops: np.ndarray, every: float) -> np.ndarray:
    """Points along straight pieces, at most `every` apart."""
    parts = []
    for a, b in zip(starts, stops, strict=True):
        count = max(1, int(np.ceil(np.linalg.norm(b - a) / every)))
        parts.append(a + (b - a) * ((np.arange(count) + 0.5) / count)[:, None])
    return np.concatenate(parts)


def visited(city: City) -> np.ndarray:
    """The samples of streets with a fix nearby."""
    streets = samples(city.starts, city.stops, EVERY)
    return streets[cKDTree(city.fixes).query(streets)[0] <= NEAR]


def gain_and_coverage(points: np.ndarray, city: City) -> tuple[float, float]:
    """By how much the median distance to the streets falls, and the share of visited samples that keep a point near."""
    gain = 1 - np.median(to_streets(points, city)) / np.median(to_streets(city.fixes, city))
    return float(gain), float((cKDTree(points).query(visited(city))[0] <= NEAR).mean())


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
    tree, found = cKDTree(city.fixes), []
    for a, b in zip(city.starts, city.stops, strict=True):
        if (tree.query(samples(a[None], b[None], EVERY))[0] <= NEAR).mean() >= 0.5:
            found.append(np.stack([a, b]))
    return found


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


def f_by_places(lines: list[np.ndarray], city: City) -> tuple[float, float, float]:
    """The same scores without exploring: samples of the lines near any street, visited samples near any line."""
    streets, found = samples(city.starts, city.stops, FINE), net_of(lines).points
    precision = float((cKDTree(streets).query(found)[0] <= NEAR).mean())
    recall = float((cKDTree(found).query(visited(city))[0] <= NEAR).mean())
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)
