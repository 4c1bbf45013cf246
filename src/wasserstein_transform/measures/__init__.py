"""Families of probability measures, one per point: discrete on the space, Diracs and Gaussians in R^m."""

from .base import Measures
from .diracs import Diracs
from .discrete import Discrete
from .gaussians import Gaussians

__all__ = ["Diracs", "Discrete", "Gaussians", "Measures"]
