"""Encode the results of a segmentation as files."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from ..plotting import as_rgb, outlined
from .results import encode_array

if TYPE_CHECKING:
    from .._types import Floats
    from ..image import Segmentation

MIN_DRAWN_STRENGTH = 0.05  # boundaries weaker than this are not drawn


def encode(result: Segmentation, masks: bool = False) -> dict[str, bytes]:
    """Encode labels in colors and as numbers, overlay, filtered image, contours, table, outlines and masks, by name."""
    opacity = result.filtered.ndim == 3 and result.filtered.shape[2] == 4 and result.filtered.dtype == np.uint8
    digits = len(str(result.n_segments - 1))
    return {
        "labels.png": _png(result.colored()),
        "labels.npy": encode_array(result.labels.astype(np.int32)),
        "overlay.png": _png(outlined(result.image, result.labels)),
        "filtered.png": _png(result.filtered if opacity else as_rgb(result.filtered)),
        **({} if result.tree is None else {"contours.png": _png(_darkened(result.tree.contours()))}),
        "regions.csv": result.regions().to_csv(index=False).encode(),
        "regions.geojson": json.dumps(result.polygons()).encode(),
        **{
            f"mask-{k:0{digits}}.png": _png(np.where(result.mask(k), np.uint8(255), np.uint8(0)))
            for k in range(result.n_segments if masks else 0)
        },
    }


def _darkened(strength: Floats) -> NDArray[np.uint8]:
    """Boundaries as gray levels, 255 for none to 0 for the strongest; thicker in large images, to survive shrinking."""
    strong = np.where(strength < MIN_DRAWN_STRENGTH, 0.0, strength)
    return np.asarray(np.rint(255 * (1 - maximum_filter(strong, max(1, round(max(strength.shape) / 1000))))), np.uint8)


def _png(array: NDArray[Any]) -> bytes:
    from PIL import Image

    raw = BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(raw, "PNG")
    return raw.getvalue()
