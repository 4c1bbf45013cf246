"""Link moved pixels to regions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._device_array import to_host
from .._types import Bools, Floats, Ints
from ..compute.pixels import Grid, Links, link_touching, number_parts
from ..cuda import on
from ..engine import Engine, Flag, current
from ..kernels.regions import link_adjacent, link_cells, link_inside
from ..spaces import closed

_FINEST = 2**31  # most cells along an axis


class Linking(ABC):
    """Base class of rules that link moved pixels; regions are the connected components of the links.

    A subclass defines `join`, which joins linked pixels in a union-find forest.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> class SameLevel(wt.image.Linking):  # pixels with equal rounded values, anywhere in the image
    ...     def join(self, modes, inside, shape, spatial, range, parent, stop):
    ...         _, first, level = np.unique(np.rint(modes[:, -1]), return_index=True, return_inverse=True)
    ...         parent[:] = first[level]
    >>> image = np.repeat([[10.0] * 8 + [50.0] * 8 + [10.0] * 8], 16, axis=0)
    >>> [wt.image.segment_by_radii(image, 4, 4, linking=way).n_segments for way in ("adjacent", SameLevel())]
    [3, 2]
    """

    @abstractmethod
    def join(
        self, modes: Floats, inside: Bools, shape: tuple[int, ...], spatial: float, range: float, parent: Ints,
        stop: Flag,
    ) -> None:  # fmt: skip
        """Join linked pixels in the union-find forest `parent`.

        Parameters
        ----------
        modes : array of shape (pixels, axes + channels)
            Final position of each pixel, then its range features.
        inside : array of bool, shape (pixels,) or (0,)
            The mask; empty without a mask.
        shape : tuple of int
            Shape of the grid.
        spatial, range : float
            Radii of the windows, in pixels and in values.
        parent : array of int, shape (pixels,)
            The forest, to be changed in place; initially each pixel is its own parent.
        stop : array
            `stop[0]` ≠ 0 asks to return early.
        """

    def working_bytes(self, n_columns: int) -> float:
        """Return the bytes that `join` needs per pixel, besides modes of `n_columns` columns and the forest."""
        return 0.0

    def __call__(
        self,
        modes: Floats,
        mask: Bools | None,
        shape: tuple[int, ...],
        spatial: float,
        range: float,
        engine: Engine | None = None,
    ) -> tuple[Ints, int]:
        """Link pixels; return the region of each pixel, −1 outside the mask, and the number of regions."""
        modes = to_host(modes)
        labels, inside = np.arange(len(modes)), np.empty(0, np.bool_) if mask is None else mask
        with current(engine).watched() as engine:
            engine.report("linking pixels", 0, 1)
            engine.alone(lambda stop: self.join(modes, inside, shape, spatial, range, labels, stop), "linking pixels")
        return labels, number_parts(labels, inside)


@dataclass(frozen=True)
class LinkTouching(Linking):
    """Link pixels that touch in the image if their modes are close: within the spatial radius and in values.

    Parameters
    ----------
    share : float, default 0.5
        Largest distance of the values of linked modes, as a fraction of the range radius. With 1, slow gradients chain
        regions together.

    Notes
    -----
    Time O(pixels).

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 16 + [16.0] * 16 + [50.0] * 16], 16, axis=0)
    >>> touching = [wt.image.LinkTouching(share) for share in (0.5, 1.5)]
    >>> [wt.image.segment_by_radii(image, 5, 5, linking=way).n_segments for way in touching]
    [3, 2]
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        check.positive(self.share, "share")

    def join(
        self, modes: Floats, inside: Bools, shape: tuple[int, ...], spatial: float, range: float, parent: Ints,
        stop: Flag,
    ) -> None:  # fmt: skip
        place, value = closed(spatial), closed(self.share * range)
        link_adjacent(modes, len(shape), inside, np.array(_grid(shape)), place, value, parent, stop)

    def __call__(
        self,
        modes: Floats,
        mask: Bools | None,
        shape: tuple[int, ...],
        spatial: float,
        range: float,
        engine: Engine | None = None,
    ) -> tuple[Ints, int]:
        """Link and number pixels on the backend of the engine; the result is that of `join`."""
        links = Links(mask, len(shape), closed(spatial), closed(self.share * range))
        with current(engine).watched() as engine:
            return on(engine, link_touching)(modes, _grid(shape), links, engine)


def _grid(shape: tuple[int, ...]) -> Grid:
    depth, height, width = (1, *shape)[-3:]
    return depth, height, width


@dataclass(frozen=True)
class LinkAllModes(Linking):
    """Link all modes within both radii of each other, wherever their pixels are: the paper's rule.

    `linking="paper"` means the same.

    Notes
    -----
    Modes are sorted into cells so small that all modes in a cell are linked. Then one linked pair is searched between
    each two neighboring cells. Time O(n log n) for sorting n pixels, plus these searches.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.image.ImageSegmenter(8, 8, linking=wt.image.LinkAllModes())
    ImageSegmenter(linking=LinkAllModes(), range_radius=8, spatial_radius=8)
    """

    def working_bytes(self, n_columns: int) -> float:
        return 48.0 + 20.0 * n_columns  # cells of pixels and their order; an upper bound: one cell per pixel

    def join(
        self, modes: Floats, inside: Bools, shape: tuple[int, ...], spatial: float, range: float, parent: Ints,
        stop: Flag,
    ) -> None:  # fmt: skip
        axes, who = len(shape), np.flatnonzero(inside) if len(inside) else np.arange(len(modes))
        radii = np.repeat([spatial, range], [axes, modes.shape[1] - axes])
        sides = radii / np.sqrt(np.repeat([axes, modes.shape[1] - axes], [axes, modes.shape[1] - axes]))
        order, starts, cells = _sorted_into_cells(modes, who, sides)
        link_inside(order, starts, parent)
        new = (np.diff(cells[:, :axes], axis=0) != 0).any(axis=1)
        groups = np.concatenate([[0], np.flatnonzero(new) + 1, [len(cells)]])
        reach = np.floor(radii / sides * (1 + 1e-9)).astype(np.intp) + 1
        link_cells(
            modes, axes, order, starts, groups, cells, _rows(reach[: axes - 1]), reach, closed(spatial),
            closed(range), parent, stop,
        )  # fmt: skip


def _sorted_into_cells(modes: Floats, who: Ints, sides: Floats) -> tuple[Ints, Ints, Ints]:
    """Return pixels sorted by cell, where each cell begins, and the cells; by columns, to save memory."""
    columns = []
    for column, side in zip(modes.T, sides, strict=True):
        there = column[who]
        steps = (there - there.min()) / side
        if steps.max() > _FINEST:
            raise ValueError(
                f"the paper's linking needs radii of at least {1 / _FINEST:.0e} times the spread of the data, "
                f"got {side:g} for a spread of {float(np.ptp(there)):g}; use larger radii, or linking='adjacent'"
            )
        columns.append(steps.astype(np.int32))
    by = np.argsort(_key(columns), kind="stable") if _fits(columns) else np.lexsort(columns[::-1])
    changes = np.zeros(len(who) - 1, np.bool_)
    for cells in columns:
        changes |= np.diff(cells[by]) != 0
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1, [len(who)]])
    first = by[starts[:-1]]
    return who[by], starts, np.stack([cells[first].astype(np.intp) for cells in columns], axis=1)


def _fits(columns: list[Ints]) -> bool:
    """Tell whether one integer can encode a cell."""
    return float(np.prod([float(cells.max()) + 1.0 for cells in columns])) < 2.0**62


def _key(columns: list[Ints]) -> Ints:
    key = np.zeros(len(columns[0]), np.int64)
    for cells in columns:
        key *= int(cells.max()) + 1
        key += cells
    return key


def _rows(reach: Ints) -> Ints:
    """Return the steps along all axes but the last; only one of each opposite pair."""
    steps = np.stack(np.meshgrid(*[np.arange(-r, r + 1) for r in reach], indexing="ij"), axis=-1).reshape(
        -1, len(reach)
    )
    return steps[len(steps) // 2 :]


LINKINGS: dict[str, Linking] = {"adjacent": LinkTouching(), "paper": LinkAllModes()}
