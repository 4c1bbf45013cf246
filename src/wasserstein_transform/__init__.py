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

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from .datasets import dumbbell as dumbbell
    from .datasets import t_junction as t_junction
    from .engine import Engine as Engine
    from .engine import bar as bar
    from .estimators import (
        GaussianTransform as GaussianTransform,
    )
    from .estimators import (
        KernelTransform as KernelTransform,
    )
    from .estimators import (
        LocalTruncation as LocalTruncation,
    )
    from .estimators import (
        MeanShift as MeanShift,
    )
    from .estimators import (
        SingleLinkage as SingleLinkage,
    )
    from .estimators import (
        WassersteinTransform as WassersteinTransform,
    )
    from .hierarchy import (
        FewerClustersWarning as FewerClustersWarning,
    )
    from .hierarchy import (
        Tree as Tree,
    )
    from .hierarchy import (
        cut_tree as cut_tree,
    )
    from .hierarchy import (
        linkage as linkage,
    )
    from .localize import (
        Gaussian as Gaussian,
    )
    from .localize import (
        Given as Given,
    )
    from .localize import (
        Kernel as Kernel,
    )
    from .localize import (
        Localization as Localization,
    )
    from .localize import (
        Mean as Mean,
    )
    from .localize import (
        Point as Point,
    )
    from .localize import (
        Scale as Scale,
    )
    from .localize import (
        Truncation as Truncation,
    )
    from .localize import (
        Whole as Whole,
    )
    from .localize import (
        suggest_eps as suggest_eps,
    )
    from .measures import Diracs as Diracs
    from .measures import Discrete as Discrete
    from .measures import Gaussians as Gaussians
    from .measures import Measures as Measures
    from .spaces import (
        Dense as Dense,
    )
    from .spaces import (
        Euclidean as Euclidean,
    )
    from .spaces import (
        GaussianMetric as GaussianMetric,
    )
    from .spaces import (
        Metric as Metric,
    )
    from .spaces import (
        Quotient as Quotient,
    )
    from .spaces import (
        Space as Space,
    )
    from .spaces import (
        quotient as quotient,
    )
    from .transforms import (
        MasslessWarning as MasslessWarning,
    )
    from .transforms import (
        Process as Process,
    )
    from .transforms import (
        Trajectory as Trajectory,
    )
    from .transforms import (
        Transform as Transform,
    )
    from .transforms import (
        gaussian_transform as gaussian_transform,
    )
    from .transforms import (
        iterate as iterate,
    )
    from .transforms import (
        kernel_transform as kernel_transform,
    )
    from .transforms import (
        local_truncation as local_truncation,
    )
    from .transforms import (
        mean_shift as mean_shift,
    )
    from .transport import (
        Bures as Bures,
    )
    from .transport import (
        Coupling as Coupling,
    )
    from .transport import (
        Exact as Exact,
    )
    from .transport import (
        Points as Points,
    )
    from .transport import (
        Status as Status,
    )
    from .transport import (
        Transport as Transport,
    )
    from .transport import (
        bures_pairs as bures_pairs,
    )

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
