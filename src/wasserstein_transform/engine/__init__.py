"""The engine that runs all work: tasks, tiles, threads, progress, cancellation, memory limits."""

from .._archive import fingerprint as fingerprint
from .blas import one_blas_thread as one_blas_thread
from .core import N_MATRICES as N_MATRICES, Cancelled, Engine, current, using
from .device_arrays import (
    DeviceArray as DeviceArray,
    contiguous as contiguous,
    host_copy as host_copy,
    on_host as on_host,
    stored_array as stored_array,
    to_host as to_host,
)
from .keeping import TILES_SUFFIX as TILES_SUFFIX
from .mapped import (
    as_writable as as_writable,
    is_mapped as is_mapped,
    read_map as read_map,
    write_mapped as write_mapped,
)
from .memory import available as available, in_words as in_words
from .progress import Bar as Bar, Update, bar
from .tasks import Record as Record, RecordLayout as RecordLayout, Task as Task
from .tiles import (
    GRAIN as GRAIN,
    Flag as Flag,
    Tile as Tile,
    condensed_starts as condensed_starts,
    cut_by_cost as cut_by_cost,
    cut_by_size as cut_by_size,
    cut_evenly as cut_evenly,
    fair_grain as fair_grain,
)
from .versions import code as code

__all__ = ("Cancelled", "Engine", "Update", "bar", "current", "using")
