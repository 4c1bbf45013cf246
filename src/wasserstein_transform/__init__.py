"""The Wasserstein Transform: localize every point to a measure, compare the measures by optimal transport, repeat."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_PARTS = ("localize", "transport")  # rooms whose names are all the package's: a new part is an import there
_ROOMS = {
    "engine": ("Cancelled", "Engine", "Update", "bar", "using"),
    "spaces": ("Dense", "Euclidean", "GaussianMetric", "Graph", "Metric", "Quotient", "Space", "Sparse", "quotient"),
    "measures": ("Diracs", "Discrete", "Gaussians", "Measures"),
    "transforms": (
        "CostWarning", "MasslessWarning", "Process", "Run", "Sweep", "Trajectory", "Transform", "gaussian_transform",
        "iterate", "iterate_locally", "kernel_transform", "lazy_balls", "local_truncation", "mean_shift", "sweep",
    ),
    "hierarchy": ("FewerClustersWarning", "Tree", "cut_tree", "lazy_spanning_tree", "linkage", "spanning_tree"),
    "estimators": (
        "GaussianTransform", "KernelTransform", "LocalTruncation", "MeanShift", "MetricLostWarning", "SingleLinkage",
        "WassersteinTransform",
    ),
    "datasets": ("circles", "dumbbell", "grid", "grid_with_line", "spiral", "t_junction"),
    "apps.graphs": (
        "Communities", "Curvature", "Dynamics", "Flow", "LazyWalk", "Network", "Surgery", "curvature",
        "dynamical_curvature", "lin_lu_yau", "read_graph", "ricci_flow",
    ),
    "apps.image": (
        "Adjacent", "ImageSegmenter", "Merging", "Segmentation", "Together", "read_bsds", "score_segmentation",
        "segment",
    ),
    "apps.words": ("Corpus", "WordTransform", "WordVectors", "read_vectors"),
    "apps": (),
    "plotting": (),  # its names stay inside: wt.plotting.cloud
    "experiments": (),
    "theory": (),  # wt.theory.prokhorov
}  # fmt: skip
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

if TYPE_CHECKING:  # the same names, for type checkers and editors
    from . import apps as apps, experiments as experiments, plotting as plotting, theory as theory
    from .apps.graphs import (
        Communities as Communities,
        Curvature as Curvature,
        Dynamics as Dynamics,
        Flow as Flow,
        LazyWalk as LazyWalk,
        Network as Network,
        Surgery as Surgery,
        dynamical_curvature as dynamical_curvature,
        lin_lu_yau as lin_lu_yau,
        read_graph as read_graph,
        ricci_flow as ricci_flow,
    )
    from .apps.graphs.curvature import curvature as curvature
    from .apps.image import (
        Adjacent as Adjacent,
        ImageSegmenter as ImageSegmenter,
        Merging as Merging,
        Segmentation as Segmentation,
        Together as Together,
        read_bsds as read_bsds,
        score_segmentation as score_segmentation,
    )
    from .apps.image.segment import segment as segment
    from .apps.words import (
        Corpus as Corpus,
        WordTransform as WordTransform,
        WordVectors as WordVectors,
        read_vectors as read_vectors,
    )
    from .datasets import (
        circles as circles,
        dumbbell as dumbbell,
        grid as grid,
        grid_with_line as grid_with_line,
        spiral as spiral,
        t_junction as t_junction,
    )
    from .engine import Cancelled as Cancelled, Engine as Engine, Update as Update, bar as bar, using as using
    from .estimators import (
        GaussianTransform as GaussianTransform,
        KernelTransform as KernelTransform,
        LocalTruncation as LocalTruncation,
        MeanShift as MeanShift,
        MetricLostWarning as MetricLostWarning,
        SingleLinkage as SingleLinkage,
        WassersteinTransform as WassersteinTransform,
    )
    from .hierarchy import (
        FewerClustersWarning as FewerClustersWarning,
        Tree as Tree,
        cut_tree as cut_tree,
        lazy_spanning_tree as lazy_spanning_tree,
        linkage as linkage,
        spanning_tree as spanning_tree,
    )
    from .localize import *  # noqa: F403
    from .measures import Diracs as Diracs, Discrete as Discrete, Gaussians as Gaussians, Measures as Measures
    from .spaces import (
        Dense as Dense,
        Euclidean as Euclidean,
        GaussianMetric as GaussianMetric,
        Graph as Graph,
        Metric as Metric,
        Quotient as Quotient,
        Space as Space,
        Sparse as Sparse,
        quotient as quotient,
    )
    from .transforms import (
        CostWarning as CostWarning,
        MasslessWarning as MasslessWarning,
        Process as Process,
        Run as Run,
        Sweep as Sweep,
        Trajectory as Trajectory,
        Transform as Transform,
        gaussian_transform as gaussian_transform,
        iterate as iterate,
        iterate_locally as iterate_locally,
        kernel_transform as kernel_transform,
        lazy_balls as lazy_balls,
        local_truncation as local_truncation,
        mean_shift as mean_shift,
        sweep as sweep,
    )
    from .transport import *  # noqa: F403


def _names_of(room: str) -> list[str]:
    """What a room of parts offers."""
    names = vars(importlib.import_module(f".{room}", __name__))
    return [name for name, value in names.items() if not name.startswith("_") and not isinstance(value, ModuleType)]


def _home_of(name: str) -> str | None:
    """The room a name is from."""
    if name in _HOME or name.startswith("_"):
        return _HOME.get(name)
    return next((room for room in _PARTS if name in _names_of(room)), None)


def __getattr__(name: str) -> Any:
    """Names are imported when first used: `import wasserstein_transform` alone stays fast."""
    if name == "__all__":
        return sorted([*_HOME, *(name for room in _PARTS for name in _names_of(room))])
    if name in _ROOMS or name in _PARTS:
        return importlib.import_module(f".{name}", __name__)
    home = _home_of(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__", "plotting", "theory"]
