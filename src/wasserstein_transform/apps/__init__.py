"""Whole recipes for a job: image segmentation."""

from .image import (
    Adjacent,
    ImageSegmenter,
    Linking,
    Merging,
    Scores,
    Segmentation,
    Together,
    read_bsds,
    score_segmentation,
    segment,
)

__all__ = [
    "Adjacent", "ImageSegmenter", "Linking", "Merging", "Scores", "Segmentation", "Together", "read_bsds",
    "score_segmentation", "segment",
]  # fmt: skip
