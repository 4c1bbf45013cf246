"""Point clouds larger than memory: mean shift, the Gaussian Transform and ridges of points in files, part by part."""

from .loop import iterate
from .results import StoredTrajectory

__all__ = ("StoredTrajectory", "iterate")
