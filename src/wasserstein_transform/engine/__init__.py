"""The engine that runs all work: tasks, tiles, executors, progress, cancellation, memory limits, stores."""

from .._fingerprint import fingerprint
from .blas import one_blas_thread
from .chunks import ChunkBlocks, ChunkRuns
from .context import current, using
from .core import Cancelled, Engine
from .executors import Cluster, Executor, Overseer, Threads
from .places import Blocks, Condensed, Marks, Mirrored, PerArray, Place, Ragged, Record, Rows, Scattered, Tilewise
from .progress import Progress, Update, bar
from .room import AT_A_TIME, disk_of, goes_to_disk, room_for
from .store import InUseError, Lock, Store, StoreWarning, code, key_of
from .task import Compute, Flag, Task, computed
from .tiles import GRAIN, Tile, cut, evenly, of_size

__all__ = [
    "AT_A_TIME",
    "GRAIN",
    "Blocks",
    "Cancelled",
    "ChunkBlocks",
    "ChunkRuns",
    "Cluster",
    "Compute",
    "Condensed",
    "Engine",
    "Executor",
    "Flag",
    "InUseError",
    "Lock",
    "Marks",
    "Mirrored",
    "Overseer",
    "PerArray",
    "Place",
    "Progress",
    "Ragged",
    "Record",
    "Rows",
    "Scattered",
    "Store",
    "StoreWarning",
    "Task",
    "Threads",
    "Tile",
    "Tilewise",
    "Update",
    "bar",
    "code",
    "computed",
    "current",
    "cut",
    "disk_of",
    "evenly",
    "fingerprint",
    "goes_to_disk",
    "key_of",
    "of_size",
    "one_blas_thread",
    "room_for",
    "using",
]
