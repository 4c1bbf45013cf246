"""Smooth densities for testing expansions."""

from __future__ import annotations

import numpy as np

from ...theory import Mixture


def on_the_line(unit: float = 1.0) -> Mixture:
    """Two normal densities of different width."""
    return Mixture(unit * np.array([[-1.0], [1.0]]), unit * np.array([0.7, 1.0]), np.array([0.45, 0.55]))


def in_the_plane(unit: float = 1.0) -> Mixture:
    """Three normal densities, so that no axis is special."""
    centers = np.array([[-1.0, 0.0], [0.6, 0.5], [0.2, -1.0]])
    return Mixture(unit * centers, unit * np.array([0.6, 0.8, 0.7]), np.array([0.4, 0.3, 0.3]))
