"""Point clouds larger than memory: mean shift, the Gaussian Transform and ridges of points in files, part by part."""

from .blocks import Damaged
from .loop import iterate
from .points import Points
from .sources import Source, open_source
from .stored import StoredTrajectory

__all__ = ["Damaged", "Points", "Source", "StoredTrajectory", "iterate", "open_source"]
