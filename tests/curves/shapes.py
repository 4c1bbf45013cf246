"""Shapes with noise that know the distance to themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree


class Shape(NamedTuple):
    points: np.ndarray
    distance: Callable[[np.ndarray], np.ndarray]
    dim: int

    def error(self, points: np.ndarray) -> float:
        """Root mean square distance to the shape."""
        return float(np.sqrt(np.mean(self.distance(points[: len(self.points)]) ** 2)))


def circle(n: int, noise: float, seed: int = 0) -> Shape:
    rng = np.random.default_rng(seed)
    turn = 2 * np.pi * rng.random(n)
    points = np.column_stack([np.cos(turn), np.sin(turn)]) + rng.normal(scale=noise, size=(n, 2))
    return Shape(points, lambda x: np.abs(np.hypot(*x.T) - 1), 1)


def helix(n: int, noise: float, seed: int = 0) -> Shape:
    rng = np.random.default_rng(seed)
    fine = cKDTree(_helix(np.linspace(0, 6 * np.pi, 100_000)))
    points = _helix(6 * np.pi * rng.random(n)) + rng.normal(scale=noise, size=(n, 3))
    return Shape(points, lambda x: fine.query(x)[0], 1)


def sphere(n: int, noise: float, seed: int = 0) -> Shape:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Shape(points + rng.normal(scale=noise, size=(n, 3)), lambda x: np.abs(np.linalg.norm(x, axis=1) - 1), 2)


def torus(n: int, noise: float, seed: int = 0) -> Shape:
    rng = np.random.default_rng(seed)
    u, v = 2 * np.pi * rng.random((2, n))
    ring = 1 + 0.4 * np.cos(v)
    points = np.column_stack([ring * np.cos(u), ring * np.sin(u), 0.4 * np.sin(v)])
    return Shape(
        points + rng.normal(scale=noise, size=(n, 3)),
        lambda x: np.abs(np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1, x[:, 2]) - 0.4),
        2,
    )


def saddle(n: int, noise: float, seed: int = 0) -> Shape:
    rng = np.random.default_rng(seed)
    side = np.linspace(-1, 1, 500)
    fine = cKDTree(_saddle(np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)))
    points = _saddle(rng.uniform(-1, 1, (n, 2))) + rng.normal(scale=noise, size=(n, 3))
    return Shape(points, lambda x: fine.query(x)[0], 2)


def swiss_roll(n: int, noise: float, seed: int = 0) -> Shape:
    """As wide as it is long, sampled evenly by area."""
    rng = np.random.default_rng(seed)
    turn = np.linspace(1.5 * np.pi, 4.5 * np.pi, 20_000)
    roll = turn[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]) / 10
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(roll, axis=0), axis=1)))
    at, width = rng.random(n) * length[-1], 2.1
    points = np.column_stack([*(np.interp(at, length, column) for column in roll.T), width * rng.random(n)])
    fine = cKDTree(roll)

    def distance(x: np.ndarray) -> np.ndarray:
        beyond = np.maximum(0.0, np.maximum(-x[:, 2], x[:, 2] - width))
        return np.hypot(fine.query(x[:, :2])[0], beyond)

    return Shape(points + rng.normal(scale=noise, size=(n, 3)), distance, 2)


def in_background(shape: Shape, share: float, seed: int = 0) -> np.ndarray:
    """The points of a shape, and after them uniform ones that are that share of all."""
    rng, n = np.random.default_rng(seed), len(shape.points)
    low, high = shape.points.min(axis=0) - 0.2, shape.points.max(axis=0) + 0.2
    return np.concatenate([shape.points, rng.uniform(low, high, (round(share * n / (1 - share)), len(low)))])


def _helix(turn: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(turn), np.sin(turn), turn / 6])


def _saddle(flat: np.ndarray) -> np.ndarray:
    return np.column_stack([flat, flat[:, 0] ** 2 - flat[:, 1] ** 2])
