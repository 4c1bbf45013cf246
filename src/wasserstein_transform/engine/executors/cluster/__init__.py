"""Dask clusters: heavy tasks and jobs are sent to workers.

Dask transports and runs messages; this package decides which worker gets what. Every message is for one worker, only
few are in flight at a time, and work lost with a worker is sent to another one. Records depend on the task alone, so
the first answer counts.
"""

from .executor import Cluster, cluster_of

__all__ = ["Cluster", "cluster_of"]
