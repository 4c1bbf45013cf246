"""Whole recipes for a job: image segmentation, words as Gaussians, curvature and communities of graphs."""

from .graphs import (
    Communities,
    Curvature,
    Dynamics,
    Flow,
    LazyWalk,
    Network,
    Surgery,
    as_network,
    curvature,
    dynamical_curvature,
    lin_lu_yau,
    read_graph,
    ricci_flow,
)
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
    "Adjacent", "Communities", "Corpus", "Curvature", "Dynamics", "Flow", "ImageSegmenter", "LazyWalk",
    "Linking", "Merging", "Network", "Scores", "Segmentation", "Surgery", "Together", "WordTransform",
    "WordVectors", "as_network", "curvature", "dynamical_curvature", "lin_lu_yau", "read_bsds", "read_graph",
    "read_vectors", "ricci_flow", "score_segmentation", "segment",
]  # fmt: skip
