"""Computing on the CPU, compiled by Numba: functions of metrics and measures, a module for each subject.

metric.py          what kernels need of a metric; the frame of a cloud that is computed in parts
distances.py       blocks, lists, full and condensed matrices; movement
search.py          points sorted into cells, and the candidates of a ball
nearby.py          closed balls, points that coincide, nearest neighbors and k-d trees
neighborhoods.py   means and covariances of neighborhoods, without storing balls; ridges
trees.py           minimum spanning trees, also of mutual reachability
gaussians.py       roots and factors of covariances
paths.py           shortest paths in graphs
exact.py           batches of exact transport problems; problems.py: their order, places and sizes
single.py          one transport problem, with its plan
exact_on_graphs.py   batches without a matrix of distances
line.py            transport on the real line
pixels.py, colors.py   pixels that move, and the regions they form
passes.py          gathers and bounds of many rows, light loops
records.py         results, and the frame of a cloud
compiling.py       the message when kernels are compiled
"""

from .compiling import listen

listen()
