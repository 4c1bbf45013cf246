"""Encode the results of a segmentation as files."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..plotting.contours import drawn
from ..plotting.images import as_rgb, outlined

if TYPE_CHECKING:
    from ..image import Segmentation


def encode(found: Segmentation, masks: bool = False) -> dict[str, bytes]:
    """Encode labels in colors and as numbers, overlay, filtered image, contours, table, outlines and masks, by name."""
    numbers = BytesIO()
    np.save(numbers, found.labels.astype(np.int32), allow_pickle=False)
    opacity = found.filtered.ndim == 3 and found.filtered.shape[2] == 4 and found.filtered.dtype == np.uint8
    digits = len(str(found.n_segments - 1))
    return {
        "labels.png": _png(found.colored()),
        "labels.npy": numbers.getvalue(),
        "overlay.png": _png(outlined(found.image, found.labels)),
        "filtered.png": _png(found.filtered if opacity else as_rgb(found.filtered)),
        **({} if found.tree is None else {"contours.png": _png(drawn(found.tree.contours()))}),
        "regions.csv": found.regions().to_csv(index=False).encode(),
        "regions.geojson": json.dumps(found.polygons()).encode(),
        **{
            f"mask-{k:0{digits}}.png": _png(np.where(found.mask(k), np.uint8(255), np.uint8(0)))
            for k in range(found.n_segments if masks else 0)
        },
    }


def _png(array: NDArray[Any]) -> bytes:
    from PIL import Image

    raw = BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(raw, "PNG")
    return raw.getvalue()
