"""The Wasserstein Transform: replace every point by a measure on its neighborhood, compare the measures, repeat."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PACKAGES = (
    "auto", "curves", "datasets", "engine", "estimators", "explorer", "graphs", "hierarchy",
    "image", "localize", "measures", "plotting", "spaces", "tables", "transforms", "transport",
)  # fmt: skip
__all__ = (
    "AutoCluster", "Bures", "Cancelled", "Dense", "DiracDistance", "Engine", "Euclidean", "Exact", "Gaussian",
    "GaussianTransform", "Given", "Graph", "Heat", "Kernel", "KernelTransform", "LocalTruncation", "Mean",
    "MeanShift", "Nearest", "Ridge", "SingleLinkage", "Space", "Transform", "Truncation",
    "WassersteinTransform", "bar", "bures_pairs", "cluster", "cut_tree", "denoise", "explore",
    "gaussian_transform", "gaussian_wasserstein", "iterate", "kernel_transform", "linkage", "local_truncation",
    "mean_shift", "read", "score", "segment", "skeleton", "suggest", "suggest_eps", "using", "wasserstein",
    "wasserstein_cross", "wasserstein_pairs", "write",
)  # fmt: skip
_NAMES = {  # the package of each name at the top; the others are in the packages, such as wt.image and wt.spaces
    "auto": ("cluster", "score", "suggest"),
    "curves": ("denoise", "skeleton"),
    "engine": ("Cancelled", "Engine", "bar", "using"),
    "estimators": (
        "AutoCluster", "GaussianTransform", "KernelTransform", "LocalTruncation", "MeanShift", "SingleLinkage",
        "WassersteinTransform",
    ),
    "explorer": ("explore",),
    "hierarchy": ("cut_tree", "linkage"),
    "image": ("segment",),
    "localize": (
        "Gaussian", "Given", "Heat", "Kernel", "Mean", "Nearest", "Ridge", "Truncation", "suggest_eps",
    ),
    "spaces": ("Dense", "Euclidean", "Graph", "Space"),
    "tables": ("read", "write"),
    "transforms": (
        "Transform", "gaussian_transform", "iterate", "kernel_transform", "local_truncation", "mean_shift",
    ),
    "transport": (
        "Bures", "DiracDistance", "Exact", "bures_pairs", "gaussian_wasserstein", "wasserstein",
        "wasserstein_cross", "wasserstein_pairs",
    ),
}  # fmt: skip
_HOME = {name: package for package, names in _NAMES.items() for name in names}

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from . import (
        auto as auto,
        curves as curves,
        datasets as datasets,
        engine as engine,
        estimators as estimators,
        explorer as explorer,
        graphs as graphs,
        hierarchy as hierarchy,
        image as image,
        localize as localize,
        measures as measures,
        plotting as plotting,
        spaces as spaces,
        tables as tables,
        transforms as transforms,
        transport as transport,
    )
    from .auto import cluster, score, suggest
    from .curves import denoise, skeleton
    from .engine import Cancelled, Engine, bar, using
    from .estimators import (
        AutoCluster,
        GaussianTransform,
        KernelTransform,
        LocalTruncation,
        MeanShift,
        SingleLinkage,
        WassersteinTransform,
    )
    from .explorer import explore
    from .hierarchy import cut_tree, linkage
    from .image.contours import segment
    from .localize import Gaussian, Given, Heat, Kernel, Mean, Nearest, Ridge, Truncation, suggest_eps
    from .spaces import Dense, Euclidean, Graph, Space
    from .tables import read, write
    from .transforms import Transform, gaussian_transform, iterate, kernel_transform, local_truncation, mean_shift
    from .transport import (
        Bures,
        DiracDistance,
        Exact,
        bures_pairs,
        gaussian_wasserstein,
        wasserstein,
        wasserstein_cross,
        wasserstein_pairs,
    )


def __getattr__(name: str) -> Any:
    """Import names on first use, so that `import wasserstein_transform` stays fast."""
    if name in _PACKAGES:
        return _package(name)
    home = _HOME.get(name)
    if home is None:
        hint = "" if name.startswith("_") else _hint(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    value = getattr(_package(home), name)
    globals()[name] = value
    return value


def _package(name: str) -> Any:
    return importlib.import_module(f".{name}", __name__)


def _hint(name: str) -> str:
    """Name the package that has a missing name; packages with optional dependencies are not searched."""
    homes = [
        package for package in _PACKAGES if package not in ("explorer", "plotting") and name in dir(_package(package))
    ]
    return f"; there is wt.{homes[0]}.{name}" if homes else ""


def __dir__() -> list[str]:
    return [*__all__, "__version__", *_PACKAGES]
