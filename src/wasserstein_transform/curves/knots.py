"""Moved points gathered into knots: places along a curve, each with the direction the curve has there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Bools, Floats, Ints
from ..engine import Engine
from ..spaces import Euclidean, Space, quotient


class Knots(NamedTuple):
    """Places along curves.

    Attributes
    ----------
    points : array of shape (k, m)
    ways : array of shape (k, m)
        Unit vectors along the curve; their signs mean nothing.
    mass : array of shape (k,)
    of : array of shape (n,)
        The knot of each point; −1 for those that were left out.
    """

    points: Floats
    ways: Floats
    mass: Floats
    of: Ints


def gather(points: Floats, ways: Floats, weights: Floats, keep: Bools, radius: float, engine: Engine) -> Knots:
    """Knots of the kept points: each gathers those within the radius of the first of them, sorted by coordinates."""
    of, rows = np.full(len(points), -1, np.intp), np.flatnonzero(keep)
    rows = rows[np.lexsort((weights[rows], *points[rows].T[::-1]))]
    if not len(rows):
        nothing = np.empty((0, points.shape[1]))
        return Knots(nothing, nothing, np.empty(0), of)
    here, heavy = np.ascontiguousarray(points[rows]), weights[rows] / weights[rows].sum()
    of[rows] = labels = quotient(Space(Euclidean(here), heavy, here), radius, engine).labels
    mass = np.bincount(labels, weights[rows]).astype(float)
    centers = np.column_stack([np.bincount(labels, weights[rows] * column) for column in here.T]) / mass[:, None]
    directions = weights[rows, None, None] * ways[rows, :, None] * ways[rows, None, :]
    tensors = np.zeros((len(mass), here.shape[1], here.shape[1]))
    np.add.at(tensors, labels, directions)
    return Knots(centers, np.linalg.eigh(tensors)[1][:, :, -1], mass, of)
