"""Backends: the operations on metrics and measures, and their implementations for CPU and GPU.

A new backend is one folder here and one line in `BACKENDS`.
"""

from __future__ import annotations

from ..engine import Engine
from .base import Backend, Ground
from .compiling import listen
from .cpu import Cpu
from .cuda import named as gpu_named, on_gpu
from .forms import Cloud, Filed, Form, GaussianCloud, Matrix, NearRows, Network
from .frame import Extent, Frame, join, unit_of_size
from .memory import Memory
from .records import Balls, MeansAndCovs, Moments, Nearest, Neighborhoods, ReachTree, Report, Rows, closed, rim
from .source import Cell, Source

BACKENDS: dict[str, Backend] = {"cpu": Cpu()}

listen()


def backend_of(engine: Engine) -> Backend:
    """The backend for the device of an engine."""
    device = engine.device
    if isinstance(device, Backend):
        return device
    found = BACKENDS.get(device) or gpu_named(device) if isinstance(device, str) else None
    if found is None:
        raise ValueError(f"device must be 'cpu', 'cuda', 'cuda:1' or a Backend of one's own, got {device!r}")
    return found


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
    "on_gpu",
    "rim",
    "unit_of_size",
]
