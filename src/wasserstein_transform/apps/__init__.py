"""Whole recipes for a job: image segmentation."""

from .image import Adjacent, ImageSegmenter, Linking, Segmentation, Together, segment

__all__ = ["Adjacent", "ImageSegmenter", "Linking", "Segmentation", "Together", "segment"]
