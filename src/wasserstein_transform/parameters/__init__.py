"""Parameters from the data: noise scales, and suggested radii, weights and numbers of iterations."""

from .noise import noise_scale
from .suggestion import Suggestion, suggest, suggestion_of as suggestion_of

__all__ = ("Suggestion", "noise_scale", "suggest")
