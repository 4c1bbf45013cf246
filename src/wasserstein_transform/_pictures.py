"""How results draw themselves: by `plotting`, which sits above them and is imported when asked for."""

from __future__ import annotations

import importlib
from types import ModuleType


def drawn_by(name: str) -> ModuleType:
    """The module of `plotting` with that name."""
    return importlib.import_module(f"wasserstein_transform.plotting.{name}")
