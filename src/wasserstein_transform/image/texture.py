"""Texture: strength of lightness changes around each pixel, by direction and scale."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

from .sides import Singles

_WIDTHS = (1.0, 2.0)  # standard deviations, in pixels
_ANGLES = (0.0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)
_SOFT = 1.5  # lightness: weaker changes are noise
_STRONG = 20.0  # lightness: stronger changes count the same

N_TEXTURES = len(_WIDTHS) * len(_ANGLES)
STRONGEST = float(np.log1p(_STRONG / _SOFT))
"""Largest texture value in histograms."""


def textures(light: Singles) -> list[Singles]:
    """Return log(1 + |slope of L*| / 1.5) along four directions at two widths, each of shape (h, w)."""
    found = []
    for width in _WIDTHS:
        across, down = (gaussian_filter(light, width, order=order) * width for order in ((0, 1), (1, 0)))
        for angle in _ANGLES:
            slope = np.abs(np.cos(angle) * across + np.sin(angle) * down)
            found.append(np.log1p(slope / _SOFT).astype(np.float32))
    return found
