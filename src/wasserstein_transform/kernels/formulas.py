"""The operations that loops use on a metric, and the record of implementations for each metric.

`squared(geometry, i, j, limit)` is the squared distance of points i and j, or infinity once it is certain to exceed
`limit`; `comparable_square` is any number on the same side of the limit, for loops that only test ball membership.
`squares`, `within` and `distances` are for a run of consecutive positions. Every kernel is written once against these
operations and compiled for each metric; without compilation Python selects the implementation from the same records.

A new metric is a named tuple in `geometry.py`, a formula for its squares, and a line in `FORMULAS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numba.core import types

from . import pairs, rows, solid_rows, space_rows
from .compile import compiled_as, jit, plain
from .geometry import (
    Bits,
    Cloud,
    GaussianLine,
    GaussianPlane,
    GaussianSolid,
    GaussianSpace,
    Geometry,
    PathTable,
    SparseRows,
    Table,
)

Answer = Callable[..., Any]


class Formulas(NamedTuple):
    """The implementations for one metric: compiled functions with the same arguments as the operations below."""

    squared: Answer
    comparable_square: Answer
    distance: Answer
    scaled_square: Answer
    squares: Answer
    within: Answer
    distances: Answer


def squared(geometry: Geometry, i: int, j: int, limit: float) -> float:
    """Squared distance of points i and j, infinity if certainly above `limit`."""
    return FORMULAS[type(geometry)].squared(geometry, i, j, limit)


def comparable_square(geometry: Geometry, i: int, j: int, limit: float) -> float:
    """A number that is ≤ `limit` exactly if the squared distance is."""
    return FORMULAS[type(geometry)].comparable_square(geometry, i, j, limit)


def distance(geometry: Geometry, i: int, j: int) -> float:
    """Distance of points i and j."""
    return FORMULAS[type(geometry)].distance(geometry, i, j)


def scaled_square(geometry: Geometry, i: int, j: int, unit: float) -> float:
    """(unit · distance)², without a square root if squares are available."""
    return FORMULAS[type(geometry)].scaled_square(geometry, i, j, unit)


def squares(geometry: Geometry, i: int, start: int, end: int, limit: float, out: np.ndarray) -> None:
    """out[k] = squared distance of i and start + k, or another number above `limit` if it is."""
    FORMULAS[type(geometry)].squares(geometry, i, start, end, limit, out)


def within(
    geometry: Geometry, i: int, start: int, end: int, limit: float, weights: np.ndarray, out: np.ndarray
) -> None:
    """out[k] = weights[start + k] if start + k is within `limit` (squared) of i, else 0."""
    FORMULAS[type(geometry)].within(geometry, i, start, end, limit, weights, out)


def distances(geometry: Geometry, i: int, start: int, end: int, out: np.ndarray) -> None:
    """out[k] = distance of i and start + k."""
    FORMULAS[type(geometry)].distances(geometry, i, start, end, out)


@jit
def _root(geometry: Any, i: int, j: int) -> float:
    return np.sqrt(squared(geometry, i, j, np.inf))


@jit
def _scaled(geometry: Any, i: int, j: int, unit: float) -> float:
    return squared(geometry, i, j, np.inf) * unit * unit


@jit
def _squares_one_by_one(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    for k in range(end - start):
        out[k] = 0.0 if start + k == i else squared(geometry, i, start + k, limit)


@jit
def _within_one_by_one(geometry: Any, i: int, start: int, end: int, limit: float, weights: Any, out: Any) -> None:
    for k in range(end - start):
        j = start + k
        out[k] = weights[j] if i == j or comparable_square(geometry, i, j, limit) <= limit else 0.0


@jit
def _distances_one_by_one(geometry: Any, i: int, start: int, end: int, out: Any) -> None:
    for k in range(end - start):
        out[k] = 0.0 if start + k == i else distance(geometry, i, start + k)


@jit
def _distances_of_squares(geometry: Any, i: int, start: int, end: int, out: Any) -> None:
    squares(geometry, i, start, end, np.inf, out)
    for k in range(end - start):
        out[k] = np.sqrt(out[k])


def formulas(
    squared: Answer,
    *,
    comparable_square: Answer | None = None,
    distance: Answer = _root,
    scaled_square: Answer = _scaled,
    squares: Answer | None = None,
    within: Answer = _within_one_by_one,
) -> Formulas:
    """A record from the formula for squares, and optional faster implementations of the other operations."""
    return Formulas(
        squared,
        comparable_square or squared,
        distance,
        scaled_square,
        squares or _squares_one_by_one,
        within,
        _distances_of_squares if squares else _distances_one_by_one,
    )


FORMULAS: dict[type, Formulas] = {
    PathTable: formulas(pairs.from_path_table, distance=pairs.looked_up, scaled_square=pairs.from_path_table_scaled),
    Table: formulas(pairs.table, distance=pairs.table_distance, scaled_square=pairs.table_scaled),
    SparseRows: formulas(pairs.sparse_rows, distance=pairs.stored, scaled_square=pairs.sparse_scaled),
    Cloud: formulas(pairs.cloud, squares=rows.squares_cloud, within=rows.within_cloud),
    GaussianLine: formulas(pairs.gaussian_line),
    GaussianPlane: formulas(pairs.gaussian_plane, squares=rows.squares_plane, within=rows.within_plane),
    GaussianSpace: formulas(
        space_rows.gaussian_space,
        comparable_square=space_rows.gaussian_space_side,
        squares=space_rows.squares_space,
        within=space_rows.within_space,
    ),
    GaussianSolid: formulas(
        pairs.gaussian_solid, comparable_square=pairs.gaussian_solid_side, squares=solid_rows.squares_solid
    ),
    Bits: formulas(pairs.unknown, squares=rows.squares_bits, within=rows.within_bits),
}


def _answer(question: str, geometry: Any) -> Any:
    """The Python function that implements an operation for a metric, given as a Numba type."""
    kind = cast(Any, geometry).instance_class if isinstance(geometry, types.BaseNamedTuple) else None
    if kind not in FORMULAS:
        return None
    return plain(getattr(FORMULAS[kind], question))


@compiled_as(squared)
def _squared(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    return _answer("squared", geometry)


@compiled_as(comparable_square)
def _sided(geometry: Any, i: Any, j: Any, limit: Any) -> Any:
    return _answer("comparable_square", geometry)


@compiled_as(distance)
def _distance(geometry: Any, i: Any, j: Any) -> Any:
    return _answer("distance", geometry)


@compiled_as(scaled_square)
def _scaled_square(geometry: Any, i: Any, j: Any, unit: Any) -> Any:
    return _answer("scaled_square", geometry)


@compiled_as(squares)
def _squares(geometry: Any, i: Any, start: Any, end: Any, limit: Any, out: Any) -> Any:
    return _answer("squares", geometry)


@compiled_as(within)
def _within(geometry: Any, i: Any, start: Any, end: Any, limit: Any, weights: Any, out: Any) -> Any:
    return _answer("within", geometry)


@compiled_as(distances)
def _distances(geometry: Any, i: Any, start: Any, end: Any, out: Any) -> Any:
    return _answer("distances", geometry)
