"""Generated data sets: the point clouds of the paper and some others, with their true labels and curves."""

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
