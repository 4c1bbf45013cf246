"""The Wasserstein Transform: replace every point by a measure on its neighborhood, compare the measures, repeat."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PACKAGES = (
    "clustering", "curves", "datasets", "engine", "estimators", "explorer", "graphs", "hierarchy", "image", "io",
    "localize", "measures", "parameters", "partitioned", "plotting", "spaces", "tables", "transforms", "transport",
)  # fmt: skip
__all__ = (
    "AutoCluster", "Bures", "Engine", "Exact", "Gaussian", "GaussianTransform", "Kernel", "KernelTransform",
    "LocalTruncation", "Mean", "MeanShift", "Nearest", "NeighborMeans", "SingleLinkage", "Space", "Transform",
    "Truncation", "WassersteinTransform", "bures_pairs", "cluster", "denoise", "explore", "iterate", "read", "score",
    "segment", "skeleton", "suggest", "using", "wasserstein", "wasserstein_cross", "wasserstein_pairs", "write",
)  # fmt: skip
_NAMES = {  # the package of each name at the top; all others are in the packages, such as wt.transforms.mean_shift
    "clustering": ("cluster", "score"),
    "curves": ("denoise", "skeleton"),
    "engine": ("Engine", "using"),
    "estimators": (
        "AutoCluster", "GaussianTransform", "KernelTransform", "LocalTruncation", "MeanShift", "NeighborMeans",
        "SingleLinkage", "WassersteinTransform",
    ),
    "explorer": ("explore",),
    "image": ("segment",),
    "io": ("read", "write"),
    "localize": ("Gaussian", "Kernel", "Mean", "Nearest", "Truncation"),
    "parameters": ("suggest",),
    "spaces": ("Space",),
    "transforms": ("Transform", "iterate"),
    "transport": ("Bures", "Exact", "bures_pairs", "wasserstein", "wasserstein_cross", "wasserstein_pairs"),
}  # fmt: skip
_HOME = {name: package for package, names in _NAMES.items() for name in names}

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from . import (
        clustering as clustering,
        curves as curves,
        datasets as datasets,
        engine as engine,
        estimators as estimators,
        explorer as explorer,
        graphs as graphs,
        hierarchy as hierarchy,
        image as image,
        io as io,
        localize as localize,
        measures as measures,
        parameters as parameters,
        partitioned as partitioned,
        plotting as plotting,
        spaces as spaces,
        tables as tables,
        transforms as transforms,
        transport as transport,
    )
    from .clustering import cluster, score
    from .curves import denoise, skeleton
    from .engine import Engine, using
    from .estimators import (
        AutoCluster,
        GaussianTransform,
        KernelTransform,
        LocalTruncation,
        MeanShift,
        NeighborMeans,
        SingleLinkage,
        WassersteinTransform,
    )
    from .explorer import explore
    from .image.contours import segment
    from .io import read, write
    from .localize import Gaussian, Kernel, Mean, Nearest, Truncation
    from .parameters import suggest
    from .spaces import Space
    from .transforms import Transform, iterate
    from .transport import Bures, Exact, bures_pairs, wasserstein, wasserstein_cross, wasserstein_pairs


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
