"""The Wasserstein Transform: replace every point by a measure on its neighborhood, compare the measures, repeat."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_ROOMS = (
    "auto", "clouds", "curves", "datasets", "engine", "estimators", "experiments", "explorer", "graphs", "hierarchy",
    "image", "localize", "measures", "plotting", "spaces", "tables", "theory", "transforms", "transport", "words",
)  # fmt: skip
_NAMES = {  # names at the top of the package; the others are in its subpackages, such as wt.image and wt.spaces
    "auto": ("ScaleWarning", "cluster", "suggest", "sweep"),
    "curves": ("denoise", "skeleton"),
    "engine": ("Cancelled", "Engine", "Store", "StoreWarning", "bar", "using"),
    "estimators": (
        "AutoCluster", "GaussianTransform", "KernelTransform", "LocalTruncation", "MeanShift", "MetricLostWarning",
        "SingleLinkage", "WassersteinTransform",
    ),
    "explorer": ("explore",),
    "hierarchy": ("FewerClustersWarning", "cut_tree", "linkage"),
    "image": ("segment",),
    "localize": ("suggest_eps",),
    "spaces": ("Dense", "Euclidean", "Graph", "Space"),
    "transforms": (
        "CostWarning", "MasslessWarning", "Transform", "gaussian_transform", "iterate", "kernel_transform",
        "local_truncation", "mean_shift",
    ),
    "transport": ("bures_pairs", "gaussian_wasserstein", "wasserstein", "wasserstein_cross", "wasserstein_pairs"),
}  # fmt: skip
_HOME = {name: room for room, names in _NAMES.items() for name in names}
_PARTS = {"localize": "LOCALIZATIONS", "transport": "TRANSPORTS"}  # all classes in these tables are also at the top

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from . import (
        auto as auto,
        clouds as clouds,
        curves as curves,
        datasets as datasets,
        engine as engine,
        estimators as estimators,
        experiments as experiments,
        explorer as explorer,
        graphs as graphs,
        hierarchy as hierarchy,
        image as image,
        localize as localize,
        measures as measures,
        plotting as plotting,
        spaces as spaces,
        tables as tables,
        theory as theory,
        transforms as transforms,
        transport as transport,
        words as words,
    )
    from .auto import ScaleWarning as ScaleWarning, cluster as cluster, suggest as suggest, sweep as sweep
    from .curves import denoise as denoise, skeleton as skeleton
    from .engine import (
        Cancelled as Cancelled,
        Engine as Engine,
        Store as Store,
        StoreWarning as StoreWarning,
        bar as bar,
        using as using,
    )
    from .estimators import (
        AutoCluster as AutoCluster,
        GaussianTransform as GaussianTransform,
        KernelTransform as KernelTransform,
        LocalTruncation as LocalTruncation,
        MeanShift as MeanShift,
        MetricLostWarning as MetricLostWarning,
        SingleLinkage as SingleLinkage,
        WassersteinTransform as WassersteinTransform,
    )
    from .explorer import explore as explore
    from .hierarchy import FewerClustersWarning as FewerClustersWarning, cut_tree as cut_tree, linkage as linkage
    from .image.segmenting import segment as segment
    from .localize import *  # noqa: F403
    from .spaces import Dense as Dense, Euclidean as Euclidean, Graph as Graph, Space as Space
    from .transforms import (
        CostWarning as CostWarning,
        MasslessWarning as MasslessWarning,
        Transform as Transform,
        gaussian_transform as gaussian_transform,
        iterate as iterate,
        kernel_transform as kernel_transform,
        local_truncation as local_truncation,
        mean_shift as mean_shift,
    )
    from .transport import *  # noqa: F403


def _room(name: str) -> Any:
    return importlib.import_module(f".{name}", __name__)


def _all_parts() -> dict[str, str]:
    """The name of every localization and transport, and its subpackage."""
    return {part.__name__: room for room, table in _PARTS.items() for part in vars(_room(room))[table].values()}


def __getattr__(name: str) -> Any:
    """Import names on first use, so that `import wasserstein_transform` stays fast."""
    if name == "__all__":
        return sorted([*_HOME, *_all_parts()])
    if name in _ROOMS:
        return _room(name)
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME.get(name) or _all_parts().get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_hint(name)}")
    value = getattr(_room(home), name)
    globals()[name] = value
    return value


def _hint(name: str) -> str:
    """Name the subpackage that has a missing name; subpackages with optional dependencies are not searched."""
    homes = [
        room for room in _ROOMS if room not in ("experiments", "explorer", "plotting") and name in dir(_room(room))
    ]
    return f"; there is wt.{homes[0]}.{name}" if homes else ""


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__", *_ROOMS]
