"""The Wasserstein Transform: localize every point to a measure, compare the measures by optimal transport, repeat."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_ROOMS = {
    "engine": ("Engine", "bar"),
    "spaces": ("Dense", "Euclidean", "GaussianMetric", "Metric", "Quotient", "Space", "quotient"),
    "measures": ("Diracs", "Discrete", "Gaussians", "Measures"),
    "localize": (
        "Gaussian", "Given", "Kernel", "Localization", "Mean", "Point", "Scale", "Truncation", "Whole", "suggest_eps",
    ),
    "transport": ("Bures", "Coupling", "Exact", "Points", "Status", "Transport", "bures_pairs"),
    "transforms": (
        "MasslessWarning", "Process", "Trajectory", "Transform", "gaussian_transform", "iterate", "kernel_transform",
        "local_truncation", "mean_shift",
    ),
    "hierarchy": ("FewerClustersWarning", "Tree", "cut_tree", "linkage"),
    "estimators": (
        "GaussianTransform", "KernelTransform", "LocalTruncation", "MeanShift", "SingleLinkage",
        "WassersteinTransform",
    ),
    "datasets": ("dumbbell", "t_junction"),
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Names are imported when first used: `import wasserstein_transform` alone stays fast."""
    if name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
