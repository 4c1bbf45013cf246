"""Whole recipes for a job: image segmentation, words as Gaussians."""

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
from .words import Corpus, WordTransform, WordVectors, read_vectors

__all__ = [
    "Adjacent", "Corpus", "ImageSegmenter", "Linking", "Merging", "Scores", "Segmentation", "Together", "WordTransform",
    "WordVectors", "read_bsds", "read_vectors", "score_segmentation", "segment",
]  # fmt: skip
