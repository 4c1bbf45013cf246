"""From moved pixels to regions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ... import _check as check
from ..._types import Bools, Floats, Ints
from ...kernels.regions import link_adjacent, link_cells, link_inside, number


class Linking(ABC):
    """Says which moved pixels belong together; regions are what hangs together by links."""

    @abstractmethod
    def join(
        self, modes: Floats, inside: Bools, grid: tuple[int, int, int], spatial: float, range: float, parent: Ints
    ) -> None:
        """Join linked pixels in the forest `parent`. Radii are those of the windows."""

    def __call__(
        self, modes: Floats, inside: Bools, grid: tuple[int, int, int], spatial: float, range: float
    ) -> tuple[Ints, int]:
        """The region of each pixel, −1 outside the mask, and the number of regions."""
        parent, labels = np.arange(len(modes)), np.empty(len(modes), np.intp)
        self.join(modes, inside, grid, spatial, range, parent)
        return labels, int(number(parent, inside, labels))


@dataclass(frozen=True)
class Adjacent(Linking):
    """Links pixels that touch in the image, if their modes are within the spatial and a share of the range radius.

    Parameters
    ----------
    share : float
        Of the range radius. With all of it, slow gradients chain regions together.
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        check.positive(self.share, "share")

    def join(
        self, modes: Floats, inside: Bools, grid: tuple[int, int, int], spatial: float, range: float, parent: Ints
    ) -> None:
        link_adjacent(modes, inside, np.array(grid), _closed(spatial), _closed(self.share * range), parent)


@dataclass(frozen=True)
class Together(Linking):
    """Links all modes within both radii of each other, wherever their pixels are: the paper's rule.

    Modes are sorted into cells so small that all modes of a cell are linked; then only cells near each other are asked
    for one pair that is.
    """

    def join(
        self, modes: Floats, inside: Bools, grid: tuple[int, int, int], spatial: float, range: float, parent: Ints
    ) -> None:
        who = np.flatnonzero(inside)
        n_values = modes.shape[1] - 3
        n_places = 3 if grid[0] > 1 else 2
        sides = np.repeat([spatial / np.sqrt(n_places), range / np.sqrt(n_values)], [3, n_values])
        cells = np.floor((modes[who] - modes[who].min(axis=0)) / sides).astype(np.int64)
        first, cell = np.unique(_keys(cells), return_index=True, return_inverse=True)[1:]
        places, order = cells[first], who[np.argsort(cell, kind="stable")]
        starts = np.append(0, np.cumsum(np.bincount(cell)))
        link_inside(order, starts, parent)
        one, other = _near_cells(places, sides, spatial, range)
        link_cells(modes, order, starts, one, other, _closed(spatial), _closed(range), parent)


def _keys(cells: Ints) -> Ints:
    """One number for each cell; rows are compared one by one only where that would leave the range of integers."""
    extent = cells.max(axis=0) + 1
    if np.prod(extent.astype(float)) < 2.0**62:
        return np.asarray(np.ravel_multi_index(tuple(cells.T), tuple(extent)))
    return np.unique(cells, axis=0, return_inverse=True)[1]


def _near_cells(places: Ints, sides: Floats, spatial: float, range: float) -> tuple[Ints, Ints]:
    """Pairs of cells that may hold near modes: their corners are within both radii. Found by a k-d tree over cells."""
    scale = sides / np.repeat([spatial, range], [3, len(sides) - 3])  # a radius is 1 in both parts
    tree = cKDTree(places * scale)
    pairs = tree.query_pairs(np.sqrt(2.0) + 2 * np.linalg.norm(scale), output_type="ndarray")
    gaps = (np.maximum(np.abs(places[pairs[:, 0]] - places[pairs[:, 1]]) - 1, 0)) * scale
    near = ((gaps[:, :3] ** 2).sum(axis=1) <= 1 + 1e-9) & ((gaps[:, 3:] ** 2).sum(axis=1) <= 1 + 1e-9)
    return pairs[near, 0].astype(np.intp), pairs[near, 1].astype(np.intp)


def _closed(radius: float) -> float:
    """The square of a radius, rims included."""
    return (radius * (1 + 1e-12)) ** 2


LINKINGS: dict[str, Linking] = {"adjacent": Adjacent(), "paper": Together()}
