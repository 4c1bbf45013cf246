"""Image segmentation: along contours at every scale, or by mean shift and the Gaussian Transform of pixels."""

from .contours import segment
from .linking import LinkAllModes, Linking, LinkTouching
from .merging import Merging
from .radii import segment_by_radii
from .segmentation import Segmentation
from .segmenter import ImageSegmenter
from .tree import RegionTree

__all__ = (
    "ImageSegmenter",
    "LinkAllModes",
    "LinkTouching",
    "Linking",
    "Merging",
    "RegionTree",
    "Segmentation",
    "segment",
    "segment_by_radii",
)
