"""Curvature, Ricci flow and communities of graphs, by optimal transport between measures at the nodes."""

from .communities import communities
from .curvature import Curvature, curvature, dynamical_curvature, lin_lu_yau
from .cuts import Communities
from .files import read_graph
from .flow import Flow, Surgery, ricci_flow
from .forman import balanced_forman
from .network import Network, as_network
from .talking import Messages
from .transformed import Transformed
from .walks import LazyWalk

__all__ = (
    "Communities",
    "Curvature",
    "Flow",
    "LazyWalk",
    "Messages",
    "Network",
    "Surgery",
    "Transformed",
    "as_network",
    "balanced_forman",
    "communities",
    "curvature",
    "dynamical_curvature",
    "lin_lu_yau",
    "read_graph",
    "ricci_flow",
)
