"""Point clouds of the paper, with the truth they were drawn from."""

from .noisy import circles, spiral
from .records import Curve, Labeled, Noisy
from .shapes import LAYOUTS, dumbbell, grid, grid_with_line, t_junction

__all__ = [
    "LAYOUTS",
    "Curve",
    "Labeled",
    "Noisy",
    "circles",
    "dumbbell",
    "grid",
    "grid_with_line",
    "spiral",
    "t_junction",
]
