"""Point clouds of the paper and some others, with the truth they were drawn from."""

from .noisy import circles, spiral
from .records import Curve, Labeled, Noisy
from .shapes import LAYOUTS, dumbbell, grid, grid_with_line, t_junction
from .streets import Tracks, streets

__all__ = [
    "LAYOUTS",
    "Curve",
    "Labeled",
    "Noisy",
    "Tracks",
    "circles",
    "dumbbell",
    "grid",
    "grid_with_line",
    "spiral",
    "streets",
    "t_junction",
]
