"""Image segmentation: along contours at every scale, or by mean shift and the Gaussian Transform of pixels."""

from .contours import segment
from .radii import segment_by_radii
from .reading import picture_files as picture_files
from .segmentation import Segmentation
from .tree import RegionTree

__all__ = ("RegionTree", "Segmentation", "segment", "segment_by_radii")
