"""Runs work over rows and pairs: tiles, threads, progress, memory plan. Knows no transport."""

from .core import Engine, Flag
from .progress import Progress, bar
from .tiles import Tile, cut

__all__ = ["Engine", "Flag", "Progress", "Tile", "bar", "cut"]
