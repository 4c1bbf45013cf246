"""The result of segmenting an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._device_array import DeviceArray, on_host
from .._shown import facts, in_range
from .._types import Bools, Floats, Ints
from .regions import boundaries, means
from .tree import RegionTree


@on_host("modes", "n_iter")
@dataclass(frozen=True, eq=False)
class Segmentation:
    """Regions of an image; `segment` returns it.

    Attributes
    ----------
    labels : array of int, shape of the grid
        Regions 0, 1, …; −1 outside the mask. The grid is (h, w) for an image, (d, h, w) for a volume.
    modes : array of shape (h, w, 2 + channels) or (d, h, w, 3 + channels)
        Where each pixel moved: its position in pixels, along the axes of the grid, then its range features. NaN outside
        the mask. If a GPU computed it, it is copied to the host when first read, like `n_iter`.
    image : array
        The segmented image, channels last.
    filtered : array of the shape of `image`
        The image with the value that each pixel moved to, in dtype and range of the input.
    n_segments : int
        Number of regions.
    n_iter : array of int, shape of the grid
        Number of iterations of each pixel.
    converged : bool
        Whether all pixels came to rest or were found to cycle.
    n_swinging : int
        Number of pixels that would cycle between a few states forever; each is stopped at the state with most
        neighbors.
    tree : RegionTree, optional
        Regions at every scale, from `segment`: `tree.cut(n_segments=12)`, `tree.cut(0.3)`. Pixels are then not moved,
        and `modes` are the mean positions and values of their regions, computed when first read. None with radii.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 8 + [50.0] * 8], 16, axis=0)
    >>> found = wt.image.segment_by_radii(image, spatial_radius=4, range_radius=8)
    >>> found
    <Segmentation of 16 × 16 pixels into 2 segments>
    >>> found.labels[0], found.mean_color().ravel()
    (array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]), array([10., 50.]))
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
        """Return the mean values of each region, shape (n_segments, channels), in the dtype of the image."""
        flat = self.image.reshape(self.labels.size, -1)
        averages = means(self.labels, flat.astype(np.float64))[0]
        if self.image.dtype.kind in "uib":
            averages = np.rint(averages)
        return averages.astype(self.image.dtype)

    def boundaries(self) -> Bools:
        """Return a bool array of the shape of the grid: pixels whose next pixel along an axis is in another region."""
        return boundaries(self.labels)


class _Reshaped(DeviceArray):
    """An array in another memory, in another shape."""

    def __init__(self, array: DeviceArray, shape: tuple[int, ...]) -> None:
        self._array, self.shape, self.dtype = array, shape, array.dtype

    def _fetch(self) -> np.ndarray:
        return self._array.host.reshape(self.shape)


def reshaped(array: Any, shape: tuple[int, ...]) -> Any:
    """Reshape an array in the memory where it is."""
    return _Reshaped(array, shape) if isinstance(array, DeviceArray) else array.reshape(shape)
