"""Whole recipes for a job: image segmentation."""

from .image import Adjacent, Linking, Segmentation, Together, segment

__all__ = ["Adjacent", "Linking", "Segmentation", "Together", "segment"]
