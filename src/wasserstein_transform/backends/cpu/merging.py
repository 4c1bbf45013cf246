"""Points that have fallen together."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ...kernels.geometry import private
from ...kernels.neighbors import find_leaders
from ..forms import Form
from ..records import closed
from .kinds import kind_of


def leaders(form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
    """For every point the earliest that leads and lies within `tol`; a point without mass leads none with mass."""
    search = kind_of(form).search(form, tol, engine)
    position = np.empty(form.n, np.intp)
    position[search.order] = np.arange(form.n)
    leader = np.empty(form.n, np.intp)
    heavy_first = np.argsort(weights == 0, kind="stable")
    geometry, cells = private(search.geometry), search.cells
    engine.alone(
        lambda stop: find_leaders(geometry, cells, position[heavy_first], closed(tol), leader, stop), "merging points"
    )
    return np.asarray(search.order[leader][position])
