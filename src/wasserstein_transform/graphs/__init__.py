"""Ollivier–Ricci curvature of graphs, Ricci flow, communities: measures at nodes compared by optimal transport."""

from .cuts import Communities
from .curvature import Curvature, Dynamics, curvature, dynamical_curvature, lin_lu_yau
from .files import read_graph
from .flow import Flow, Surgery, ricci_flow
from .network import Network, as_network
from .walks import LazyWalk

__all__ = [
    "Communities", "Curvature", "Dynamics", "Flow", "LazyWalk", "Network", "Surgery", "as_network", "curvature",
    "dynamical_curvature", "lin_lu_yau", "read_graph", "ricci_flow",
]  # fmt: skip
