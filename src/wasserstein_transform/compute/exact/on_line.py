"""Transport on the real line: sorted measures, and distances between them."""

from __future__ import annotations

import numpy as np

from ..._types import Floats
from ...engine import N_MATRICES, Engine, Flag, Tile, cut_by_cost
from ..records import CsrMeasures
from .line_jit import Pieces, Sorted, add_up, cut_pieces, fill_line_block, fill_line_square, line_distance

_STEPS_PER_MASS = 8.0  # approximate inner-loop steps


def line_among(coordinates: Floats, p: float, measures: CsrMeasures, engine: Engine) -> Floats:
    """The full matrix of distances; each pair is computed once."""
    n = len(measures.totals)
    out = engine.allocate((n, n), f"distances of {n} measures on a line", "use fewer points", n_held=N_MATRICES)
    sizes = np.diff(measures.indptr).astype(np.float64)
    met = sizes * np.arange(n - 1, -1, -1) + sizes.sum() - np.cumsum(sizes)
    line = sort_on_line(measures, coordinates)

    def fill(tile: Tile, stop: Flag) -> None:
        start, end = tile
        fill_line_square(line, p, start, end, out[start:end, start:], out[start:, start:end], _pieces(line, line), stop)

    engine.for_tiles(_name(p), cut_by_cost(_STEPS_PER_MASS * met), fill)
    return out


def line_between(coordinates: Floats, p: float, A: CsrMeasures, B: CsrMeasures, engine: Engine) -> Floats:
    """The rectangle of distances from the measures A to the measures B."""
    out = np.empty((len(A.totals), len(B.totals)))
    met = np.diff(A.indptr) * float(len(B.totals)) + len(B.masses)
    lines = sort_on_line(A, coordinates), sort_on_line(B, coordinates)

    def fill(tile: Tile, stop: Flag) -> None:
        fill_line_block(*lines, p, tile.start, tile.stop, out[slice(*tile)], _pieces(*lines), stop)

    engine.for_tiles(_name(p), cut_by_cost(_STEPS_PER_MASS * met), fill)
    return out


def distance_on_line(measures: Sorted, p: float) -> tuple[float, Pieces]:
    """The distance between the first two measures, and the pieces of the monotone plan."""
    pieces = _pieces(measures, measures)
    value = line_distance(measures, 0, measures, 1, p, pieces)
    count = cut_pieces(measures, 0, measures, 1, pieces)
    return float(value), Pieces(*(array[:count] for array in pieces))


def _pieces(A: Sorted, B: Sorted) -> Pieces:
    size = int(np.diff(A.indptr).max() + np.diff(B.indptr).max())
    return Pieces(np.zeros(size, np.intp), np.zeros(size, np.intp), np.zeros(size))


def sort_on_line(measures: CsrMeasures, coordinates: Floats) -> Sorted:
    """The measures, each in ascending order."""
    points, owner = coordinates[measures.indices], np.repeat(np.arange(len(measures.totals)), np.diff(measures.indptr))
    order = np.lexsort((points, owner))
    masses, totals = measures.masses[order], np.zeros((len(measures.totals), 2))
    add_up(measures.indptr, masses, totals)
    return Sorted(measures.indptr, points[order], masses, totals)


def _name(p: float) -> str:
    return f"transport on a line, p = {p:g}"
