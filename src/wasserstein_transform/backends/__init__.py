"""Who computes: the operations on metrics and measures, and the backends that answer them.

A new backend is one folder here and one line in `BACKENDS`.
"""

from __future__ import annotations

from ..engine import Engine
from .base import Backend, Ground
from .compiling import listen
from .cpu import Cpu
from .forms import Cloud, Filed, Form, GaussianCloud, Matrix, NearRows, Network
from .frame import Extent, Frame, join, unit_of_size
from .memory import Memory
from .records import Balls, MeansAndCovs, Moments, Nearest, Neighborhoods, ReachTree, Report, Rows, closed, rim
from .source import Cell, Source

BACKENDS: dict[str, Backend] = {"cpu": Cpu()}

listen()


def backend_of(engine: Engine) -> Backend:
    """The backend that an engine names."""
    if isinstance(engine.backend, Backend):
        return engine.backend
    if engine.backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)} or a Backend, got {engine.backend!r}")
    return BACKENDS[engine.backend]


__all__ = [
    "BACKENDS",
    "Backend",
    "Balls",
    "Cell",
    "Cloud",
    "Cpu",
    "Extent",
    "Filed",
    "Form",
    "Frame",
    "GaussianCloud",
    "Ground",
    "Matrix",
    "MeansAndCovs",
    "Memory",
    "Moments",
    "NearRows",
    "Nearest",
    "Neighborhoods",
    "Network",
    "ReachTree",
    "Report",
    "Rows",
    "Source",
    "backend_of",
    "closed",
    "join",
    "rim",
    "unit_of_size",
]
