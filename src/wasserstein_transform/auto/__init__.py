"""Answers without parameters: a scale for the noise of the data, clusters."""

from .noise import Noise, noise_scale
from .runs import Run, Sweep
from .suggestion import Suggestion, suggest
from .sweeping import sweep
from .units import ScaleWarning

__all__ = ["Noise", "Run", "ScaleWarning", "Suggestion", "Sweep", "noise_scale", "suggest", "sweep"]
