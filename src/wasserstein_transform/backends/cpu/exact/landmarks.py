"""Coordinates of measures by their mean distances to a few landmarks: similar measures have similar coordinates."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from ...._types import Floats
from ....engine import Engine
from ...forms import Form
from ...records import Rows
from ..matrices import block

N_LANDMARKS = 8


def landmark_rows(form: Form, engine: Engine, k: int = N_LANDMARKS) -> Floats:
    """Distances of all points to k landmarks, each the farthest from the previous ones; fewer if no point is left."""
    everything, engine = np.arange(form.n), engine.quiet()
    rows = [block(form, np.zeros(1, np.intp), everything, engine)[0]]
    rows[0] = block(form, rows[0].argmax()[None], everything, engine)[0]
    nearest = rows[0]
    while len(rows) < k and nearest.max() > 0:
        rows.append(block(form, nearest.argmax()[None], everything, engine)[0])
        nearest = np.minimum(nearest, rows[-1])
    return np.stack(rows)


def seen_from(measures: Rows, rows: Floats) -> Floats:
    """∫ d(·, z) dα for every measure α and landmark z; by the triangle inequality these differ by at most W1."""
    shares = measures.masses / np.repeat(measures.totals, np.diff(measures.indptr))
    matrix = csr_array((shares, measures.indices, measures.indptr), shape=(len(measures.totals), rows.shape[1]))
    return np.asarray(matrix @ rows.T)
