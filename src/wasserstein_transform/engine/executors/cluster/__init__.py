"""A cluster of Dask: heavy tasks and jobs are sent to its workers.

Dask moves and runs; here it is decided who gets what. Every message is for one worker, few are under way at a time, and
what is lost with a worker is sent to another: records depend on the task alone, so the first answer is as good as any.
"""

from .executor import Cluster, cluster_of

__all__ = ["Cluster", "cluster_of"]
