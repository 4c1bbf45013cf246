"""Merging of points that coincide."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ...kernels.geometry import for_thread
from ...kernels.neighbors import find_leaders
from ..forms import Cloud, Form
from ..records import closed
from .kinds import kind_of
from .search import Search


def leaders(form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
    """For every point, the first leader within `tol`; a point without mass never leads one with mass."""
    search = kind_of(form).search(form, tol, engine)
    heavy_first = np.argsort(weights == 0, kind="stable")
    if tol == 0 and isinstance(form, Cloud):
        return _equal(search, heavy_first)
    position = np.empty(form.n, np.intp)
    position[search.order] = np.arange(form.n)
    leader = np.empty(form.n, np.intp)
    geometry, cells = for_thread(search.geometry), search.cells
    engine.alone(
        lambda stop: find_leaders(geometry, cells, position[heavy_first], closed(tol), leader, stop), "merging points"
    )
    return np.asarray(search.order[leader][position])


def _equal(search: Search, heavy_first: Ints) -> Ints:
    """The same for equal points: after sorting they are adjacent, however many there are in a cell."""
    assert search.places is not None
    group = np.append(0, np.cumsum((search.places[1:] != search.places[:-1]).any(axis=1)))
    rank = np.empty(len(group), np.intp)
    rank[heavy_first] = np.arange(len(group))
    first = np.minimum.reduceat(rank[search.order], np.flatnonzero(np.diff(group, prepend=-1)))
    leader = np.empty(len(group), np.intp)
    leader[search.order] = heavy_first[first][group]
    return leader
