"""Runs work over rows and pairs: tiles, threads, progress, memory plan. Knows no transport."""

from .core import Engine, Flag
from .progress import Progress, bar
from .tiles import GRAIN, Tile, cut, evenly

__all__ = ["GRAIN", "Engine", "Flag", "Progress", "Tile", "bar", "cut", "evenly"]
