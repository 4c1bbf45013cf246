"""Shapes that cross, with what is known about them: lines, arcs, circles, planes, sheets; and shapes that do not.

All have an extent of about 2. A seed settles the number of points (300, 1,000 or 3,000 in turn), the angles of 20° to
90° and the positions; a condition settles noise and background.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import KDTree

SIZES = (300, 1000, 3000)
CONDITIONS = {
    "clean": (0.0, 0.0),
    "noise 1.5 %, background 5 %": (0.03, 0.05),
    "noise 3 %, background 20 %": (0.06, 0.2),
}
"""Standard deviation of the noise, where the extent is 2, and the share of points in the background."""
_DENSE = 20_000  # points of a shape without noise, to which distances are measured


class Shape(NamedTuple):
    """Points of a shape by uniform parameters, and its length or area."""

    sample: Callable[[np.random.Generator, int], np.ndarray]
    size: float


class Crossing(NamedTuple):
    """Points, the shape of each (−1: background), and whether it counts: not in the background, not at two shapes."""

    X: np.ndarray
    y: np.ndarray
    counts: np.ndarray


def make(family: str, condition: str, seed: int) -> Crossing:
    """Points of a family.

    A point is left out of scores if it belongs to the background, or lies within two standard deviations of the noise
    of another shape, so that either would be right.
    """
    (sigma, background), n = CONDITIONS[condition], SIZES[seed % len(SIZES)]
    names = [*CROSSING, *SEPARATE]
    rng = np.random.default_rng([seed, names.index(family), [*CONDITIONS].index(condition)])
    shapes = {**CROSSING, **SEPARATE}[family](rng)
    sizes = np.array([shape.size for shape in shapes])
    counts = np.round((1 - background) * n * sizes / sizes.sum()).astype(int)
    parts = [shape.sample(rng, int(count)) for shape, count in zip(shapes, counts, strict=True)]
    X, y = np.concatenate(parts), np.repeat(np.arange(len(shapes)), counts)
    m = X.shape[1]
    X = X + sigma * rng.normal(size=X.shape)
    dense = [KDTree(shape.sample(rng, _DENSE)) for shape in shapes]
    apart = np.array([tree.query(X)[0] for tree in dense])
    apart[y, np.arange(len(X))] = np.inf
    clear = apart.min(axis=0) > max(2 * sigma, 0.0)
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.1 * (high - low).max()
    noise = rng.uniform(low - margin, high + margin, (round(background * n), m))
    X, y = np.concatenate([X, noise]), np.append(y, np.full(len(noise), -1))
    order = rng.permutation(len(X))
    turn = _turn(rng, m)
    return Crossing((X @ turn)[order], y[order], np.append(clear, np.zeros(len(noise), bool))[order])


def _turn(rng: np.random.Generator, m: int) -> np.ndarray:
    """A random rotation."""
    return np.linalg.qr(rng.normal(size=(m, m)))[0]


def _angle(rng: np.random.Generator) -> float:
    return float(np.deg2rad(rng.uniform(20, 90)))


def _directions(rng: np.random.Generator, m: int, k: int) -> np.ndarray:
    """Unit vectors, the angles between each two of them 20° to 90°; the first two draw their angle evenly."""
    while True:
        if m == 2:
            angles = np.append([0.0, _angle(rng)], rng.uniform(0, np.pi, k - 2))
            found = np.column_stack([np.cos(angles), np.sin(angles)])
        else:
            angle, found = _angle(rng), rng.normal(size=(k, m))
            found /= np.linalg.norm(found, axis=1, keepdims=True)
            side = found[1] - (found[1] @ found[0]) * found[0]
            found[1] = np.cos(angle) * found[0] + np.sin(angle) * side / np.linalg.norm(side)
        cosines = np.abs(found @ found.T)[np.triu_indices(k, 1)]
        if (cosines <= np.cos(np.deg2rad(20)) + 1e-9).all():
            return found


def _places(rng: np.random.Generator, m: int, k: int) -> np.ndarray:
    """Points that shapes go through: near each other in the plane, the same in space."""
    return rng.uniform(-0.15, 0.15, (k, m)) if m == 2 else np.zeros((k, m))


def _line(start: np.ndarray, end: np.ndarray) -> Shape:
    return Shape(lambda rng, n: start + rng.random((n, 1)) * (end - start), float(np.linalg.norm(end - start)))


def _arc(place: np.ndarray, tangent: np.ndarray, side: np.ndarray, bend: float, start: float, end: float) -> Shape:
    """The part of a circle of curvature `bend` between two arc lengths, counted from a place with a tangent."""

    def sample(rng: np.random.Generator, n: int) -> np.ndarray:
        t = bend * rng.uniform(start, end, (n, 1))
        return place + (np.sin(t) * tangent + (1 - np.cos(t)) * side) / bend

    return Shape(sample, end - start)


def _sheet(place: np.ndarray, axes: np.ndarray, bends: tuple[float, float], low: float = -1.0) -> Shape:
    """A square of side 2, bent along its two sides; `low` is where its second side begins."""

    def sample(rng: np.random.Generator, n: int) -> np.ndarray:
        u, v = rng.uniform(-1, 1, n), rng.uniform(low, 1, n)
        return place + np.column_stack([u, v, (bends[0] * u**2 + bends[1] * v**2) / 2]) @ axes

    return Shape(sample, 2 * (1 - low))


def _across(rng: np.random.Generator, tangent: np.ndarray) -> np.ndarray:
    """A unit vector orthogonal to another."""
    side = rng.normal(size=len(tangent))
    side -= (side @ tangent) * tangent
    return side / np.linalg.norm(side)


def _lines(m: int, k: int) -> Callable[[np.random.Generator], list[Shape]]:
    def made(rng: np.random.Generator) -> list[Shape]:
        ends = zip(_places(rng, m, k), _directions(rng, m, k), rng.uniform(-0.3, 0.3, k), strict=True)
        return [_line(p + (s - 1) * u, p + (s + 1) * u) for p, u, s in ends]

    return made


def _arcs(m: int, k: int) -> Callable[[np.random.Generator], list[Shape]]:
    def made(rng: np.random.Generator) -> list[Shape]:
        ends = zip(_places(rng, m, k), _directions(rng, m, k), rng.uniform(-0.3, 0.3, k), strict=True)
        return [_arc(p, u, _across(rng, u), rng.uniform(0.4, 1.2), s - 1, s + 1) for p, u, s in ends]

    return made


def _circles(m: int, k: int) -> Callable[[np.random.Generator], list[Shape]]:
    """Each next circle goes through a point of the first, at an angle."""

    def made(rng: np.random.Generator) -> list[Shape]:
        e = np.eye(m)
        shapes, at = [_arc(-e[1], e[0], e[1], 1.0, 0.0, 2 * np.pi)], rng.uniform(0, 2 * np.pi)
        for _ in range(k - 1):
            place, ahead = np.sin(at) * e[0] - np.cos(at) * e[1], np.cos(at) * e[0] + np.sin(at) * e[1]
            angle, side = _angle(rng), -place if m == 2 else _across(rng, ahead)
            tangent = np.cos(angle) * ahead + np.sin(angle) * side
            inward = (np.cos(angle) * side - np.sin(angle) * ahead) * rng.choice([-1.0, 1.0])
            radius = rng.uniform(0.7, 1.0)
            shapes.append(_arc(place, tangent, inward, 1 / radius, 0.0, 2 * np.pi * radius))
            at += rng.uniform(1.5, 4.0)
        return shapes

    return made


def _sheets(k: int, bent: float) -> Callable[[np.random.Generator], list[Shape]]:
    def made(rng: np.random.Generator) -> list[Shape]:
        out = []
        for normal in _directions(rng, 3, k):
            first = _across(rng, normal)
            axes = np.array([first, np.cross(normal, first), normal])
            bends = bent * rng.uniform(0.4, 1.0, 2) * rng.choice([-1.0, 1.0], 2)
            out.append(_sheet(rng.uniform(-0.1, 0.1, 3), axes, (bends[0], bends[1])))
        return out

    return made


def _line_and_circle(rng: np.random.Generator) -> list[Shape]:
    e, angle = np.eye(2), _angle(rng)
    u = np.cos(angle) * e[0] + np.sin(angle) * e[1]  # crosses the circle at (0, −1) and again
    return [_arc(-e[1], e[0], e[1], 1.0, 0.0, 2 * np.pi), _line(-e[1] - 0.6 * u, -e[1] + 2 * u)]


def _line_and_plane(rng: np.random.Generator) -> list[Shape]:
    e, angle = np.eye(3), _angle(rng)
    u = np.cos(angle) * e[0] + np.sin(angle) * e[2]
    line = _line(-u, u)
    return [_sheet(np.zeros(3), e, (0.0, 0.0)), line._replace(size=1.0)]


def _letter_t(rng: np.random.Generator) -> list[Shape]:
    e, angle = np.eye(2), np.deg2rad(rng.uniform(60, 90))
    return [_line(-e[0], e[0]), _line(np.zeros(2), 1.5 * (np.cos(angle) * e[0] + np.sin(angle) * e[1]))]


def _letter_y(rng: np.random.Generator) -> list[Shape]:
    angles = np.deg2rad(np.array([0, 120, 240]) + rng.uniform(-15, 15, 3))
    return [_line(np.zeros(2), np.array([np.cos(a), np.sin(a)])) for a in angles]


def _junction(rng: np.random.Generator) -> list[Shape]:
    """Two planes, one of which ends at the other."""
    e, angle = np.eye(3), np.deg2rad(rng.uniform(60, 90))
    up = np.cos(angle) * e[1] + np.sin(angle) * e[2]
    return [_sheet(np.zeros(3), e, (0.0, 0.0)), _sheet(np.zeros(3), np.array([e[0], up, e[1]]), (0.0, 0.0), low=0.0)]


CROSSING: dict[str, Callable[[np.random.Generator], list[Shape]]] = {
    **{f"{k} lines": _lines(2, k) for k in (2, 3, 4)},
    **{f"{k} arcs": _arcs(2, k) for k in (2, 3)},
    **{f"{k} circles": _circles(2, k) for k in (2, 3)},
    "line and circle": _line_and_circle,
    "T": _letter_t,
    "Y": _letter_y,
    **{f"{k} lines in space": _lines(3, k) for k in (2, 4)},
    "2 arcs in space": _arcs(3, 2),
    "2 circles in space": _circles(3, 2),
    **{f"{k} planes": _sheets(k, 0.0) for k in (2, 3)},
    "2 sheets": _sheets(2, 1.0),
    "line and plane": _line_and_plane,
    "T-junction of planes": _junction,
}
"""Families whose shapes cross or meet."""


def _far(shapes: Callable[[np.random.Generator], list[Shape]], step: float) -> Callable[..., list[Shape]]:
    """Single shapes beside each other."""

    def made(rng: np.random.Generator) -> list[Shape]:
        def moved(one: Shape, at: int) -> Shape:
            return Shape(lambda rng, n: one.sample(rng, n) + step * at * np.eye(2)[1], one.size)

        return [moved(shapes(rng)[0], at) for at in range(2)]

    return made


def _blob(rng: np.random.Generator) -> list[Shape]:
    return [Shape(lambda rng, n: 0.4 * rng.normal(size=(n, 2)), 1.0)]


def _parallel(rng: np.random.Generator) -> list[Shape]:
    e = np.eye(2)
    return [_line(h * e[1] - e[0], h * e[1] + e[0]) for h in (-0.5, 0.5)]


def _one(shapes: Callable[[np.random.Generator], list[Shape]]) -> Callable[[np.random.Generator], list[Shape]]:
    return lambda rng: shapes(rng)[:1]


SEPARATE: dict[str, Any] = {
    "parallel lines": _parallel,
    "separate arcs": lambda rng: [
        _arc(np.array([0.0, h]), np.array([1.0, 0.0]), np.array([0.0, 1.0]), rng.uniform(0.4, 0.8), -1, 1)
        for h in (-0.5, 0.5)
    ],
    "separate circles": _far(_circles(2, 1), 2.6),
    "one line": _one(_lines(2, 2)),
    "one circle": _one(_circles(2, 2)),
    "one plane": _one(_sheets(2, 0.0)),
    "one sheet": _one(_sheets(2, 1.0)),
    "one blob": _blob,
}
"""Families in which nothing crosses."""
