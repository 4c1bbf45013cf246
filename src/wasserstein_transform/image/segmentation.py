"""What segmenting an image leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._elsewhere import Elsewhere, on_host
from .._shown import facts, in_range
from .._types import Bools, Floats, Ints
from .regions import boundaries, means
from .tree import RegionTree


@on_host("modes", "n_iter")
@dataclass(frozen=True, eq=False)
class Segmentation:
    """Regions of an image.

    Attributes
    ----------
    labels : array of the shape of the grid
        Regions 0, 1, …; −1 outside the mask.
    modes : array of shape (*grid, axes + channels)
        Where each pixel moved: its place, by axes of the grid, then its range features. NaN outside the mask. Of a
        GPU it comes to the host when it is first read, as `n_iter` does.
    image : array
        What was segmented, channels last.
    filtered : array
        The same with each pixel's value where it moved to: the dtype and range of the input.
    n_segments : int
    n_iter : array of the shape of the grid
        Iterations of each pixel.
    converged : bool
        Whether all pixels came to rest, or were found swinging.
    n_swinging : int
        Pixels that would swing between few states forever; each is stopped at the one with most neighbors.
    tree : RegionTree, optional
        Regions at every scale, if no radii were given: `tree.cut(n=12)`, `tree.cut(0.3)`. Pixels were not moved then:
        `modes` are mean places and values of their regions, made when first read.
    """

    labels: Ints
    modes: Floats
    image: NDArray[Any]
    filtered: NDArray[Any]
    n_segments: int
    n_iter: NDArray[np.int32]
    converged: bool
    n_swinging: int = 0
    tree: RegionTree | None = None

    def __repr__(self) -> str:
        size = " × ".join(map(str, self.labels.shape))
        return f"<Segmentation of {size} pixels into {self.n_segments} segments>"

    def _repr_html_(self) -> str:
        sizes = np.bincount(self.labels[self.labels >= 0])
        rows = {
            "pixels": " × ".join(map(str, self.labels.shape)),
            "segments": self.n_segments,
            "pixels of a segment": f"{in_range(sizes)}, median {np.median(sizes):g}" if sizes.size else "none",
            "outside the mask": int(np.count_nonzero(self.labels < 0)),
            "iterations of a pixel": in_range(self.n_iter),
            "swinging": self.n_swinging,
            "converged": "yes" if self.converged else "no",
        }
        if self.tree is not None:
            moved = ("iterations of a pixel", "swinging", "converged")
            rows = {name: value for name, value in rows.items() if name not in moved}
            rows["finest regions of its tree"] = self.tree.n_finest
        return facts("Segmentation", rows)

    def mean_color(self) -> NDArray[Any]:
        """Mean values of each region, in the dtype of the image; whole numbers are rounded."""
        flat = self.image.reshape(self.labels.size, -1)
        averages = means(self.labels, flat.astype(np.float64))[0]
        if self.image.dtype.kind in "uib":
            averages = np.rint(averages)
        return averages.astype(self.image.dtype)

    def boundaries(self) -> Bools:
        """Pixels that touch, after them along an axis, a pixel of another region."""
        return boundaries(self.labels)


class _Reshaped(Elsewhere):
    """An array that lies elsewhere, in another shape."""

    def __init__(self, array: Elsewhere, shape: tuple[int, ...]) -> None:
        self._array, self.shape, self.dtype = array, shape, array.dtype

    def _fetch(self) -> np.ndarray:
        return self._array.host.reshape(self.shape)


def reshaped(array: Any, shape: tuple[int, ...]) -> Any:
    """An array in another shape, where it lies."""
    return _Reshaped(array, shape) if isinstance(array, Elsewhere) else array.reshape(shape)
