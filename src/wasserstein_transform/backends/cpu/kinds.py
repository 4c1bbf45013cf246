"""What the kernels need for each type of metric, in one record per type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._mapped import as_writable
from ..._types import Floats
from ...engine import Engine
from ...kernels import geometry as geometries
from ...kernels.geometry import Geometry
from ..forms import Cloud, Filed, Form, GaussianCloud, Matrix, NearRows, Network
from . import filed, gaussian, paths
from .search import Search, sorted_search
from .sorting import Sorted


def _no_contraction(form: Any) -> None:
    return None


def _no_rounding(form: Any, contraction: Floats) -> Floats:
    return np.zeros(len(contraction))


def _one(form: Any) -> float:
    return 1.0


def _exhaustive(form: Any, reach: float, engine: Engine) -> Search:
    return Search.exhaustive(form.n, geometry_of(form, engine))


def _search_cloud(form: Cloud, reach: float, engine: Engine) -> Search:
    def geometry(found: Sorted | None) -> Geometry:
        return geometry_of(form, engine) if found is None else geometries.Cloud(found.places)

    return sorted_search(form.points, reach, form.frame, geometry, engine)


def _search_gaussians(form: GaussianCloud, reach: float, engine: Engine) -> Search:
    def geometry(found: Sorted | None) -> Geometry:
        return geometry_of(form, engine) if found is None else gaussian.geometry(form, engine, found)

    # ‖x − y‖ ≤ d: points far apart in space are far apart in the metric
    return sorted_search(form.means, reach, form.frame, geometry, engine)


@dataclass(frozen=True)
class Kind:
    """How a type of metric is computed.

    Attributes
    ----------
    geometry : callable
        The arrays from which kernels compute single distances; made once for each form.
    cost : callable
        Cost of one distance, in steps of an inner loop.
    search : callable
        The candidates within a reach: points sorted into cells; by default all points.
    contraction : callable
        Points in some R^k whose Euclidean distances are lower bounds of the distances, for k-d trees; None if there are
        none.
    rounding : callable
        Bounds of the rounding error of each point of a contraction.
    """

    geometry: Callable[[Any, Engine], Geometry]
    cost: Callable[[Any], float] = _one
    search: Callable[[Any, float, Engine], Search] = _exhaustive
    contraction: Callable[[Any], Floats | None] = _no_contraction
    rounding: Callable[[Any, Floats], Floats] = _no_rounding


KINDS: dict[type[Form], Kind] = {
    Matrix: Kind(lambda form, engine: geometries.Table(as_writable(form.matrix))),
    Filed: Kind(
        lambda form, engine: geometries.Table(as_writable(filed.matrix(form, engine))),
        search=lambda form, reach, engine: (
            Search.exhaustive(form.n, geometries.SparseRows(*filed.balls(form, reach, engine)))
            if np.isfinite(reach)
            else _exhaustive(form, reach, engine)
        ),
    ),
    NearRows: Kind(
        lambda form, engine: geometries.SparseRows(form.indptr, form.indices, form.distances),
        lambda form: 8.0,  # a search in a short row
    ),
    Cloud: Kind(
        lambda form, engine: geometries.Cloud(form.points),
        lambda form: float(form.points.shape[1]),
        _search_cloud,
        lambda form: form.points,
    ),
    GaussianCloud: Kind(
        gaussian.geometry,
        gaussian.cost,
        _search_gaussians,
        gaussian.contraction,
        gaussian.rounding,
    ),
    Network: Kind(
        lambda form, engine: geometries.Table(paths.matrix(form, engine)),
        lambda form: 32.0,  # the cost of a search, divided among the distances it finds
        lambda form, reach, engine: (
            Search.exhaustive(form.n, geometries.SparseRows(*paths.balls(form, reach, engine)))
            if np.isfinite(reach)
            else _exhaustive(form, reach, engine)
        ),
    ),
}


def kind_of(form: Form) -> Kind:
    """The record for the type of a form."""
    return KINDS[type(form)]


def geometry_of(form: Form, engine: Engine) -> Geometry:
    """The geometry of a form, cached in it."""
    return form.kept("cpu geometry", lambda: kind_of(form).geometry(form, engine))


def cost_of(form: Form) -> float:
    """Cost of one distance of a form, in steps of an inner loop."""
    return kind_of(form).cost(form)
