"""Who runs tasks: threads of this process, or others that take the same values."""

from .base import Executor
from .threads import Threads

__all__ = ["Executor", "Threads"]
