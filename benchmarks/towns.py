"""Generated towns: streets of a bent grid, trips along shortest paths, fixes with noise of different kinds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, dijkstra

from .streets import City

SPEED = 9.0  # meters per second
LANE = 2.0  # meters that vehicles keep to the right


class Kind(NamedTuple):
    """Blocks, their side in meters, missing streets, irregularity, trips, seconds between fixes, noise, wild fixes."""

    columns: int
    rows: int
    block: float
    gone: float
    twist: float
    n_trips: int
    every: float
    noise: float
    wild: float


KINDS = {
    "town": Kind(14, 12, 130, 0.15, 0.12, 200, 5, 4.0, 0.02),
    "sparse": Kind(26, 24, 110, 0.20, 0.15, 500, 30, 6.0, 0.03),
    "campus": Kind(6, 5, 220, 0.15, 0.05, 400, 2, 5.0, 0.03),
    "canyon": Kind(9, 9, 110, 0.10, 0.02, 250, 4, 8.0, 0.15),
    "suburb": Kind(10, 9, 300, 0.35, 0.30, 120, 5, 4.0, 0.02),
    "few": Kind(12, 10, 150, 0.20, 0.15, 25, 3, 4.0, 0.02),
    "minute": Kind(20, 20, 140, 0.20, 0.15, 900, 45, 7.0, 0.03),
    "second": Kind(8, 7, 160, 0.15, 0.15, 40, 1, 3.0, 0.01),
}


def town(name: str, seed: int) -> City:
    """A town of one of the kinds."""
    kind, rng = KINDS[name], np.random.default_rng([seed, sorted(KINDS).index(name)])
    kind = kind._replace(block=kind.block * rng.uniform(0.8, 1.25), noise=kind.noise * rng.uniform(0.8, 1.25))
    crossings, ends = _grid(kind, rng)
    streets = [_street(crossings[i], crossings[j], rng) for i, j in ends]
    lengths = np.array([np.linalg.norm(np.diff(street, axis=0), axis=1).sum() for street in streets])
    cost = lengths * np.where(rng.random(len(ends)) < 0.25, 0.5, 1.0)  # main streets are faster
    n = len(crossings)
    ways = coo_matrix((np.tile(cost, 2), (ends.T.ravel(), ends[:, ::-1].T.ravel())), (n, n)).tocsr()
    street_of = {(i, j): streets[k] for k, (i, j) in enumerate(ends.tolist())}
    street_of |= {(j, i): street[::-1] for (i, j), street in street_of.items()}
    used = np.unique(ends)
    popular = rng.pareto(1.0, len(used)) + 0.3
    fixes, trips, times = [], [], []
    for trip in range(kind.n_trips):
        start, stop = rng.choice(used, 2, replace=False, p=popular / popular.sum())
        path = [int(stop)]
        above = dijkstra(ways, False, start, return_predecessors=True)[1]
        while path[-1] != start:
            path.append(int(above[path[-1]]))
        route = np.concatenate([street_of[a, b] for a, b in zip(path[:0:-1], path[-2::-1], strict=True)])
        found = _drive(route, kind, rng)
        fixes.append(found)
        trips.append(np.full(len(found), trip))
        times.append(kind.every * np.arange(len(found)))
    return City(np.concatenate(fixes), np.concatenate(trips), np.concatenate(times), streets)


def _grid(kind: Kind, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Crossings of a bent and turned grid, and the streets between them that are there and connected."""
    places = np.stack(np.meshgrid(np.arange(kind.columns), np.arange(kind.rows)), axis=-1).reshape(-1, 2).astype(float)
    places += kind.twist * rng.normal(size=places.shape)
    bend, phase, turn = rng.uniform(2, 5, 2), rng.uniform(0, 6, 2), rng.uniform(0, np.pi)
    places += 0.6 * rng.uniform() * np.sin(places[:, ::-1] / bend + phase)
    places = kind.block * places @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    number = np.arange(len(places)).reshape(kind.rows, kind.columns)
    pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    ends = np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in pairs])
    ends = ends[rng.random(len(ends)) > kind.gone]
    part = connected_components(coo_matrix((np.ones(len(ends)), ends.T), (len(places),) * 2), directed=False)[1]
    return places, ends[part[ends[:, 0]] == np.bincount(part).argmax()]


def _street(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A street between crossings; two of five are curved."""
    at, across = np.linspace(0, 1, 13)[:, None], np.array([a[1] - b[1], b[0] - a[0]])
    bulge = rng.normal(scale=0.08) * (rng.random() < 0.4)
    return a + at * (b - a) + 4 * bulge * at * (1 - at) * across


def _drive(route: np.ndarray, kind: Kind, rng: np.random.Generator) -> np.ndarray:
    """Fixes of a drive with stops: noise follows the one before, each trip has an offset, some fixes are wild."""
    legs = np.diff(route, axis=0)
    lengths = np.linalg.norm(legs, axis=1)
    legs, lengths = legs[lengths > 0], lengths[lengths > 0]
    along = np.append(0.0, np.cumsum(lengths))
    n = 4 + 2 * int(along[-1] / (SPEED * kind.every))
    pace = np.maximum(rng.normal(SPEED, 3, n), 0.5) * (rng.random(n) > 0.1)
    at = np.append(0.0, np.cumsum(kind.every * pace))
    at = at[at <= along[-1]]
    leg = np.clip(np.searchsorted(along, at) - 1, 0, len(legs) - 1)
    units = legs[leg] / lengths[leg, None]
    here = route[0] + np.vstack([np.zeros(2), np.cumsum(legs, axis=0)])[leg] + (at - along[leg])[:, None] * units
    off, keep = rng.normal(size=(len(at), 2)), np.exp(-kind.every / 20.0)
    for k in range(1, len(at)):
        off[k] = keep * off[k - 1] + np.sqrt(1 - keep**2) * off[k]
    off = kind.noise * (0.85 * off + 0.5 * rng.normal(size=2))
    wild = rng.random(len(at)) < kind.wild
    off[wild] *= rng.uniform(2, 6, (np.count_nonzero(wild), 1))
    return here + LANE * np.column_stack([units[:, 1], -units[:, 0]]) + off
