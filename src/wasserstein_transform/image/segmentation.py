"""The result of segmenting an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _check as check
from .._display import HasPlot, counted, facts, frame, in_range
from .._types import Bools, Floats, Ints
from ..compute.pixels.motion import region_sums
from ..engine import DeviceArray, current, on_host
from .outlines import as_geojson, color_regions
from .regions import boundaries, touching
from .tree import RegionTree


@on_host("modes", "n_iter")
@dataclass(frozen=True, eq=False)
class Segmentation(HasPlot):
    """Regions of an image; `segment` and `segment_by_radii` return it.

    Attributes
    ----------
    labels : array of int, shape of the grid
        Regions 0, 1, …; −1 outside the mask, and where the image is transparent. The grid is (h, w) for an image,
        (d, h, w) for a volume.
    image : array
        The segmented image, channels last.
    filtered : array of the shape of `image`
        The image with the mean values of each region, or with radii the value that each pixel moved to.
    n_segments : int
        Number of regions.
    tree : RegionTree, optional
        Regions at every scale, from `segment`: `tree.cut(n_segments=12)`, `tree.cut(0.3)`. None with radii.
    scale : float, optional
        The scale at which `segment` cut the tree; None with radii, and if a number of regions was given.
    modes : array of shape (h, w, 2 + channels) or (d, h, w, 3 + channels), optional
        With radii, where each pixel moved: its position in pixels, along the axes of the grid, then its range features.
        NaN outside the mask. If a GPU computed it, it is copied to the host when first read, like `n_iter`.
    n_iter : array of int, shape of the grid, optional
        With radii, the number of iterations of each pixel.
    converged : bool
        Whether all pixels came to rest or were found to cycle.
    n_cycling : int
        With radii, the number of pixels that would cycle between a few states forever; each is stopped at the state
        with most neighbors.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> photo = np.full((40, 60, 3), 40, np.uint8)
    >>> photo[:, 35:] = 230, 60, 20
    >>> found = wt.segment(photo)
    >>> found
    <Segmentation of 40 × 60 pixels into 2 segments>
    >>> found.regions()[["label", "area", "left", "top", "right", "bottom", "perimeter", "red"]]
       label  area  left  top  right  bottom  perimeter    red
    0      0  1400     0    0     35      40      150.0   40.0
    1      1  1000    35    0     60      40      130.0  230.0
    >>> found.polygons()["features"][1]["geometry"]["coordinates"]
    [[[35.0, 0.0], [60.0, 0.0], [60.0, 40.0], [35.0, 40.0], [35.0, 0.0]]]
    """

    labels: Ints
    image: NDArray[Any]
    filtered: NDArray[Any]
    n_segments: int
    tree: RegionTree | None = None
    scale: float | None = None
    modes: Floats | None = None
    n_iter: NDArray[np.int32] | None = None
    converged: bool = True
    n_cycling: int = 0

    def __repr__(self) -> str:
        size = " × ".join(map(str, self.labels.shape))
        return f"<Segmentation of {size} pixels into {counted(self.n_segments, 'segment')}>"

    def _repr_html_(self) -> str:
        sizes = np.bincount(self.labels[self.labels >= 0])
        rows = {
            "pixels": " × ".join(map(str, self.labels.shape)),
            "segments": self.n_segments,
            "pixels of a segment": f"{in_range(sizes)}, median {np.median(sizes):g}" if sizes.size else "none",
            "outside the mask": int(np.count_nonzero(self.labels < 0)),
        }
        if self.tree is not None:
            rows["finest regions of its tree"] = self.tree.n_finest
        if self.n_iter is not None:
            rows["iterations of a pixel"] = in_range(self.n_iter)
            rows["converged"] = "yes" if self.converged else "no"
        return facts("Segmentation", rows)

    def boundaries(self) -> Bools:
        """Return a bool array of the shape of the grid: pixels whose next pixel along an axis is in another region."""
        return boundaries(self.labels)

    def mask(self, label: int) -> Bools:
        """Return a bool array of the shape of the grid: the pixels of a region."""
        if check.count(label, "label", 0) >= self.n_segments:
            raise ValueError(f"label must be at most {self.n_segments - 1}, the last region, got {label}")
        return np.asarray(self.labels == label)

    def colored(self) -> NDArray[np.uint8]:
        """Return the regions in colors, shape (*grid, 3): touching regions differ, pixels without one are black."""
        return np.asarray(color_regions(self.labels, touching(self.labels))[self.labels])

    def regions(self) -> Any:
        """Return a table of the regions.

        Returns
        -------
        DataFrame
            One row for each region: `label`; `area`, its pixels; `x` and `y`, its centroid, where the center of the
            first pixel is (0.5, 0.5); `left`, `top`, `right`, `bottom`, its box, where right and bottom are the first
            column and row after it; `perimeter`, the length of its outline along sides of pixels; and its mean value:
            `mean` of gray levels, `red`, `green` and `blue`, or `channel_1`, `channel_2`, …. Volumes have `z`, `front`
            and `back` as well, and their `perimeter` is a surface.
        """
        inside = self.labels.ravel() >= 0
        flat = self.labels.ravel()[inside]
        values = self.image.reshape(self.labels.size, -1)
        sums, sizes = region_sums(self.labels, values.astype(np.float64), 0, current())
        places = np.nonzero(self.labels >= 0)[::-1]  # x, y, z
        table: dict[str, Any] = {"label": np.arange(self.n_segments), "area": sizes}
        for name, place in zip("xyz", places, strict=False):
            table[name] = np.bincount(flat, place + 0.5) / sizes
        for names, place in zip((("left", "right"), ("top", "bottom"), ("front", "back")), places, strict=False):
            low, high = np.full(self.n_segments, place.max() + 1), np.zeros(self.n_segments, np.intp)
            np.minimum.at(low, flat, place)
            np.maximum.at(high, flat, place + 1)
            table |= dict(zip(names, (low, high), strict=True))
        table["perimeter"] = self._perimeters()
        n = values.shape[1]
        kinds = ("red", "green", "blue", "opacity")[:n] if n in (3, 4) else [f"channel_{k + 1}" for k in range(n)]
        return frame(table | dict(zip(("mean",) if n == 1 else kinds, (sums / sizes[:, None]).T, strict=True)))

    def polygons(self) -> dict[str, Any]:
        """Return the outlines of the regions as GeoJSON, in pixels: a FeatureCollection as a dict for `json.dump`.

        Each region is a Polygon, or a MultiPolygon if its parts do not touch along sides of pixels, with the columns of
        `regions()` as its properties. Outlines follow the sides of pixels and enclose exactly the pixels of the region:
        pixel (row, column) is the square from (column, row) to (column + 1, row + 1); x goes right and y goes down.
        Holes are inner rings.
        """
        if self.labels.ndim != 2:
            raise ValueError(f"polygons are outlines in a plane, got a volume of shape {self.labels.shape}")
        return as_geojson(self.labels, self.regions().to_dict("records"))

    def _perimeters(self) -> Floats:
        """Count the sides of pixels between each region and its surroundings."""
        padded, total = np.pad(self.labels, 1, constant_values=-1), np.zeros(self.n_segments)
        for axis in range(padded.ndim):
            here, there = (np.moveaxis(padded, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
            for side in (here[here != there], there[here != there]):
                total += np.bincount(side[side >= 0], minlength=self.n_segments)
        return total


class _Reshaped(DeviceArray):
    """An array in another memory, in another shape."""

    def __init__(self, array: DeviceArray, shape: tuple[int, ...]) -> None:
        self._array, self.shape, self.dtype = array, shape, array.dtype

    def _fetch(self) -> np.ndarray:
        return self._array.host.reshape(self.shape)


def reshaped(array: Any, shape: tuple[int, ...]) -> Any:
    """Reshape an array in the memory where it is."""
    return _Reshaped(array, shape) if isinstance(array, DeviceArray) else array.reshape(shape)
