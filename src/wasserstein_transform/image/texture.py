"""Texture: strength of lightness changes around each pixel, by direction and scale."""

from __future__ import annotations

import numpy as np

from .sides import GRID, Singles, bell, filtered, on_grid, slope

_WIDTHS = (1.0, 2.0)  # standard deviations, in pixels
_RADIUS, _DIAGONAL = 99, 70  # 70 / 99 is 1/√2 to within 5e-5; sums are exact, as those of contrasts
_DIRECTIONS = (_RADIUS, 0), (_DIAGONAL, _DIAGONAL), (0, _RADIUS), (-_DIAGONAL, _DIAGONAL)
_SOFT = 1.5  # lightness: weaker changes are noise
_STRONG = 20.0  # lightness: stronger changes count the same

N_TEXTURES = len(_WIDTHS) * len(_DIRECTIONS)
STRONGEST = float(np.log1p(_STRONG / _SOFT))
"""Largest texture value in histograms."""


def textures(light: Singles) -> list[Singles]:
    """Return log(1 + |slope of L*| / 1.5) along four directions at two widths, each of shape (h, w)."""
    found = []
    for width in _WIDTHS:
        even, steep = bell(width), slope(width)
        across, down = (filtered(light * GRID, *order) for order in ((even, steep), (steep, even)))
        unit = _RADIUS * GRID * even.sum() ** 2 * _SOFT
        for c, s in _DIRECTIONS:
            found.append(on_grid(np.log1p(np.abs(c * across + s * down) / unit)))
    return found
