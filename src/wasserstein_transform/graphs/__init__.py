"""Curvature, Ricci flow and communities of graphs."""

from .communities import Communities, communities
from .curvature import Curvature, LazyWalk, curvature
from .files import read_graph
from .flow import Flow, ricci_flow
from .network import Network, as_network

__all__ = (
    "Communities",
    "Curvature",
    "Flow",
    "LazyWalk",
    "Network",
    "as_network",
    "communities",
    "curvature",
    "read_graph",
    "ricci_flow",
)
