"""Image segmentation: along contours at every scale, or by mean shift and the Gaussian Transform of pixels."""

from .linking import LinkAllModes, Linking, LinkTouching
from .merging import Merging
from .scores import Scores, read_bsds, score_segmentation
from .segmentation import Segmentation
from .segmenter import ImageSegmenter
from .segmenting import segment
from .tree import RegionTree

__all__ = [
    "ImageSegmenter",
    "LinkAllModes",
    "LinkTouching",
    "Linking",
    "Merging",
    "RegionTree",
    "Scores",
    "Segmentation",
    "read_bsds",
    "score_segmentation",
    "segment",
]  # fmt: skip
