"""Work as values and who runs it: tasks, tiles, executors, progress, cancel, memory plan. Knows no transport."""

from .._fingerprint import fingerprint
from .context import current, using
from .core import Cancelled, Engine
from .executors import Executor, Threads
from .places import Blocks, Condensed, Mirrored, Place, Ragged, Record, Rows, Scattered
from .progress import Progress, Update, bar
from .task import Flag, Task, computed
from .tiles import GRAIN, Tile, cut, evenly, of_size

__all__ = [
    "GRAIN",
    "Blocks",
    "Cancelled",
    "Condensed",
    "Engine",
    "Executor",
    "Flag",
    "Mirrored",
    "Place",
    "Progress",
    "Ragged",
    "Record",
    "Rows",
    "Scattered",
    "Task",
    "Threads",
    "Tile",
    "Update",
    "bar",
    "computed",
    "current",
    "cut",
    "evenly",
    "fingerprint",
    "of_size",
    "using",
]
