"""Denoise points onto curves and surfaces, and extract curves as polylines."""

from .denoised import Denoised
from .denoising import denoise
from .net import Skeleton
from .skeletons import skeleton

__all__ = (
    "Denoised",
    "Skeleton",
    "denoise",
    "skeleton",
)
