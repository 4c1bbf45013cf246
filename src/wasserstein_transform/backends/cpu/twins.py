"""Identical points have identical neighborhoods: moments are computed for one of them and copied."""

from __future__ import annotations

import numpy as np

from ..._types import Bools, Floats, Ints
from ...engine import Engine, Flag, Record, Rows, Task, Tile
from ..forms import Form, GaussianCloud
from .passes import run, tiles_of
from .search import Search

_WORTH = 0.1  # smallest share of candidates to save for which this pays off
_BLOCK = 2**16  # results copied at a time


def twins(form: Form, places: Floats | None, search: Search, engine: Engine) -> Ints | None:
    """For every position, the first one with the same point; None without coordinates, or if few points repeat."""
    if places is None:
        return None
    sorted_by = None if search.places is not None else np.lexsort(places.T)
    ordered = places[sorted_by] if search.places is None else search.places
    points = search.order if sorted_by is None else sorted_by  # without cells, positions equal points
    same = np.empty(len(ordered), bool)
    run(Task("equal points", _compare, (ordered,), tiles_of(len(ordered)), Rows()), (same,), engine)
    if isinstance(form, GaussianCloud) and form.lam > 0:
        for block in _blocks(np.flatnonzero(same)):
            here, before = form.covs[points[block]], form.covs[points[block - 1]]
            same[block] = (here == before).all(axis=(1, 2))
    if not _is_worth(same, sorted_by, search):
        return None
    group = np.cumsum(~same) - 1
    first = np.flatnonzero(~same)[group]
    if sorted_by is None:
        return np.asarray(first)
    twin = np.empty(len(group), np.intp)
    twin[sorted_by] = sorted_by[first]
    return twin


def _compare(asked: tuple[Floats], tile: Tile, stop: Flag, record: Record) -> None:
    """Mark rows that equal the row before."""
    (ordered,), (same,) = asked, record
    start = max(tile.start, 1)
    same[: start - tile.start] = False
    rows = same[start - tile.start :]
    rows[:] = True
    for column in ordered.T:  # by columns, to save memory
        rows &= column[start : tile.stop] == column[start - 1 : tile.stop - 1]


def _is_worth(same: Bools, sorted_by: Ints | None, search: Search) -> bool:
    if not same.any():
        return False
    if sorted_by is not None:
        return bool(same.mean() > _WORTH)
    candidates = search.n_candidates()
    return bool(candidates[same].sum() > _WORTH * candidates.sum())


def repeated(twin: Ints, ordered: Floats) -> Ints:
    """Positions whose sums equal those of their twins: also the coordinates in question are the same."""
    again = np.flatnonzero(twin != np.arange(len(twin)))
    return np.asarray(again[(ordered[:, again] == ordered[:, twin[again]]).all(axis=0)])


def repeat(out: Record, to: Ints, of: Ints) -> None:
    """Copy the results of the points `of` to the points `to`."""
    for block in _blocks(np.arange(len(to))):
        for array in out:
            array[to[block]] = array[of[block]]


def _blocks(rows: Ints) -> list[Ints]:
    return [rows[start : start + _BLOCK] for start in range(0, len(rows), _BLOCK)]
