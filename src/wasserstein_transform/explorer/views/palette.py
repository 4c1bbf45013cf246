"""Colors of the page: color numbers, and the mapper that gives their color on light or dark pages."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._types import Ints
from ...plotting.style import N_COLORS, color

ABOVE, SMALL = -2, -1  # color numbers of branches above the cut, and of noise and small clusters
LIGHT = ("#8A8A8A", "#A6A6A6", *(color(k) for k in range(N_COLORS)))
_LATER = (*range(4, 7), *range(14, N_COLORS), *range(7, 14))
DARK = ("#8F8F8F", "#6E6E6E", "#3D9BDC", color(1), color(2), "#BFE6FF", *(color(k) for k in _LATER))
"""Colors for dark pages: blue is lighter than on light pages, and sky blue lighter still to differ from it."""


def mapper() -> Any:
    """The mapper from color numbers −2 … 20 to colors."""
    from bokeh.models import LinearColorMapper

    return LinearColorMapper(
        palette=list(LIGHT), low=ABOVE - 0.5, high=N_COLORS - 0.5, nan_color="rgba(0, 0, 0, 0)", name="colors"
    )


def look(labels: Ints) -> NDArray[np.float32]:
    """The color number of each label; large labels repeat the colors."""
    return np.where(labels < 0, SMALL, labels % N_COLORS).astype(np.float32)
