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
from .search import frame_of
from .sorting import sort_points


def leaders(form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
    """For every point, the first leader within `tol`; a point without mass never leads one with mass."""
    heavy_first = np.argsort(weights == 0, kind="stable")
    if tol == 0 and isinstance(form, Cloud):
        return _equal(form.points, heavy_first, engine)
    search = kind_of(form).search(form, tol, engine)
    position = np.empty(form.n, np.intp)
    position[search.order] = np.arange(form.n)
    leader = np.empty(form.n, np.intp)
    geometry, cells = for_thread(search.geometry), search.cells
    engine.alone(
        lambda stop: find_leaders(geometry, cells, position[heavy_first], closed(tol), leader, stop), "merging points"
    )
    return np.asarray(search.order[leader][position])


def _equal(points: Floats, heavy_first: Ints, engine: Engine) -> Ints:
    """The same for equal points: after sorting they are adjacent."""
    order, places = sort_points(points, frame_of(points, 0.0, engine), engine)
    group = np.append(0, np.cumsum((places[1:] != places[:-1]).any(axis=1)))
    rank = np.empty(len(group), np.intp)
    rank[heavy_first] = np.arange(len(group))
    first = np.minimum.reduceat(rank[order], np.flatnonzero(np.diff(group, prepend=-1)))
    leader = np.empty(len(group), np.intp)
    leader[order] = heavy_first[first][group]
    return leader
