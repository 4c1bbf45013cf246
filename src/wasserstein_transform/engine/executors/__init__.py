"""Who runs tasks: threads of this process, or others that take the same values."""

from .base import Executor, Overseer
from .cluster import Cluster, cluster_of
from .stored import Stored
from .threads import Threads

__all__ = ["Cluster", "Executor", "Overseer", "Stored", "Threads", "cluster_of"]
