"""Answers without parameters: a scale for the noise of the data, clusters."""

from .noise import Noise, noise_scale
from .suggestion import Suggestion, suggest
from .units import ScaleWarning

__all__ = ["Noise", "ScaleWarning", "Suggestion", "noise_scale", "suggest"]
