"""Gather moved points into knots: positions along a curve with the direction of the curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Bools, Floats, Ints
from ..engine import Engine
from ..spaces import Euclidean, Space, quotient


class Knots(NamedTuple):
    """Positions along curves.

    Attributes
    ----------
    points : array of shape (k, m)
        Positions of the knots.
    ways : array of shape (k, m)
        Unit vectors along the curve; their signs are arbitrary.
    mass : array of shape (k,)
        Mass of the points of each knot.
    evidence : array of shape (k,)
        Largest number of neighbors of a point of each knot.
    of : array of shape (n,)
        The knot of each point; −1 for points left out.
    """

    points: Floats
    ways: Floats
    mass: Floats
    evidence: Floats
    of: Ints


def gather(
    points: Floats, ways: Floats, weights: Floats, evidence: Floats, keep: Bools, radius: float, engine: Engine
) -> Knots:  # fmt: skip
    """Gather the kept points into knots; each knot holds points within the radius of its first, by coordinates."""
    of, rows = np.full(len(points), -1, np.intp), np.flatnonzero(keep)
    rows = rows[np.lexsort((weights[rows], *points[rows].T[::-1]))]
    if not len(rows):
        nothing = np.empty((0, points.shape[1]))
        return Knots(nothing, nothing, np.empty(0), np.empty(0), of)
    here, heavy = np.ascontiguousarray(points[rows]), weights[rows] / weights[rows].sum()
    of[rows] = labels = quotient(Space(Euclidean(here), heavy, here), radius, engine).labels
    mass = np.bincount(labels, weights[rows]).astype(float)
    centers = np.column_stack([np.bincount(labels, weights[rows] * column) for column in here.T]) / mass[:, None]
    directions = weights[rows, None, None] * ways[rows, :, None] * ways[rows, None, :]
    tensors = np.zeros((len(mass), here.shape[1], here.shape[1]))
    np.add.at(tensors, labels, directions)
    most = np.zeros(len(mass))
    np.maximum.at(most, labels, evidence[rows])
    return Knots(centers, np.linalg.eigh(tensors)[1][:, :, -1], mass, most, of)
