"""Image segmentation by mean shift and the Gaussian Transform: neighbours are original pixels, and never move."""

from .linking import Adjacent, Linking, Together
from .segment import segment
from .segmentation import Segmentation
from .segmenter import ImageSegmenter

__all__ = ["Adjacent", "ImageSegmenter", "Linking", "Segmentation", "Together", "segment"]
