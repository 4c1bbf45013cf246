"""Who runs tasks: threads of this process, or others that take the same values."""

from .base import Executor, Overseer
from .threads import Threads

__all__ = ["Executor", "Overseer", "Threads"]
