"""Generated data sets: the point clouds of the paper and some others, with their true labels and curves."""

from .noisy import Curve as Curve, Noisy as Noisy, Tracks as Tracks, circles, spiral, streets
from .shapes import Labeled as Labeled, dumbbell, grid, grid_with_line, t_junction

__all__ = ("circles", "dumbbell", "grid", "grid_with_line", "spiral", "streets", "t_junction")
