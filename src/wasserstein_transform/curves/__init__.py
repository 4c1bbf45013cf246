"""Noisy points onto curves and surfaces, and lines out of them."""

from .denoised import Denoised
from .denoising import denoise
from .guard import Step

__all__ = ["Denoised", "Step", "denoise"]
