"""Answers without parameters: a scale for the noise of the data, clusters."""

from .noise import Noise, noise_scale

__all__ = ["Noise", "noise_scale"]
