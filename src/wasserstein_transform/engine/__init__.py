"""Runs work over rows and pairs: tiles, threads, progress, memory plan. Knows no transport."""

from .core import Engine
from .progress import Progress, bar
from .tiles import Tile, cut

__all__ = ["Engine", "Progress", "Tile", "bar", "cut"]
