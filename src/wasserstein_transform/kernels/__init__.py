"""Compiled kernels: arrays in, arrays out, a status back. They import only `_files` and `_cached` of the package.

Every kernel releases the GIL and starts no threads: parallelism is in `engine`.

Metrics and neighbors
    geometry          metrics as named tuples, and the operations that loops use on them
    pairs             distances of stored metrics, points and Gaussians, of a pair and of a run
    gaussian_plane    the same for Gaussians in the plane
    gaussian_space    the same for Gaussians in 3-D
    bures             Bures distances of covariances in any dimension, without cancellation
    nuclear           nuclear norms of matrices
    distances         matrices and lists of distances
    cells             the grid of cells: sorting, candidates, gathering
    neighbors         balls, ball membership as bits, merging of collocated points
    moments           means and covariances over neighbors, and the kernel profiles
    whole_cells       the same with sums of cells that lie within a ball
    kdtree            the k-d tree, and nearest points
Trees
    spanning_trees    Prim, Borůvka, Kruskal
    reachability      spanning trees of mutual reachability
    linkage           linkage matrices, average and complete linkage, cuts into large pieces
    partitions        parts of cut trees, agreement of partitions, their criteria
Transport
    transport         W_p of a measure and a list of measures
    problems          masses, costs and unit of a problem; cancelling of common mass
    simplex           the network simplex
    simplex_tree      its spanning tree: workspace, start, pivots
    bottleneck        W_∞
    max_flow          maximum flow, with sets of sources as bit masks
    line              transport on the real line
    arithmetic        double-double numbers, sums, minima
Graphs
    paths             shortest paths
    vicinity          shortest paths between one measure and its targets
    hops              W1 along edges of equal length
    modularity        partitions of a graph
Images
    pixels            mean shift and the Gaussian Transform of pixels
    patches           the window of a pixel, and moments of its similar pixels
    regions           linking and labeling of regions
    contours          contrasts, basins, joining of regions
Compilation
    compile           the decorators
    numba_private     all uses of private parts of Numba
    store             the disk cache of compiled code
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
