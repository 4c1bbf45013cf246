"""Executors: they run tasks in threads of this process, on a cluster, or read finished tiles from a store."""

from .base import Executor, Overseer
from .stored import Stored
from .threads import Threads

__all__ = ["Executor", "Overseer", "Stored", "Threads"]
