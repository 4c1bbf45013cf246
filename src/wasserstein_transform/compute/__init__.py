"""Computing on the CPU, a folder for each subject.

Files that end in `_jit.py` are compiled by Numba: arrays in, arrays out. They release the GIL, start no threads and
import other compiled files only. The files beside them cut work into tiles and make records (records.py).

jit          the decorators, the disk cache of compiled code, arithmetic without rounding
cells        points sorted into the cells of a grid; gathers and bounds of many rows
gaussians    Bures distances of covariances, without cancellation
metrics      distances of all metrics: pairs, blocks, matrices
neighbors    closed balls, nearest neighbors, means and covariances of neighborhoods
trees        minimum spanning trees, also of mutual reachability; cuts; partitions
graphs       shortest paths; partitions of large modularity
exact        exact optimal transport: batches, one problem, on graphs, on a line
pixels       pixels that move, regions, contours, colors
"""

from contextlib import suppress
from importlib import import_module
from threading import Thread


def _import_numba() -> None:
    with suppress(ImportError):  # modules that need Numba raise a clear error
        import_module("numba")


# A partial import of Numba cannot be repeated, and Ctrl-C interrupts only the main thread: so import it in another one
_whole = Thread(target=_import_numba, name="importing numba")
_whole.start()
_whole.join()

from .cells.rows import (  # noqa: E402  after Numba
    lexical_order as lexical_order,
    sample_evenly as sample_evenly,
)
from .jit.messages import listen  # noqa: E402
from .records import (  # noqa: E402
    Balls as Balls,
    CsrMeasures as CsrMeasures,
    Frame as Frame,
    HasMoments as HasMoments,
    KNeighbors as KNeighbors,
    MeansAndCovs as MeansAndCovs,
    Moments as Moments,
    MutualReachabilityTree as MutualReachabilityTree,
)

listen()
