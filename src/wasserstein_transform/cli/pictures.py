"""Read an image, and encode the results of its segmentation."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..image.reading import from_file
from ..plotting.contours import drawn
from ..plotting.images import as_rgb, outlined

if TYPE_CHECKING:
    from ..image import Segmentation

_MOST = 65536  # the most labels in a 16-bit PNG


def load(file: Path) -> NDArray[Any]:
    """Read an image of shape (h, w), or (h, w, 3 or 4); gray levels are 0 to 255 for any bit depth of the file."""
    if not file.exists():
        raise ValueError(f"{file} is not there")
    if not file.is_file():
        raise ValueError(f"{file} is not a file; give an image")
    return from_file(file)


def encode(found: Segmentation, picture: NDArray[Any]) -> dict[str, bytes]:
    """Encode label map, overlay, filtered image and, if there is a tree, its contours; by file name."""
    filtered = found.filtered
    whole = filtered if filtered.dtype == np.uint8 else _eight_bits(filtered, picture)
    return {
        **_labels(found),
        "overlay.png": _png(outlined(_eight_bits(picture, picture), found.labels)),
        "filtered.png": _png(whole),
        **({} if found.tree is None else {"contours.png": _png(drawn(found.tree.contours()))}),
    }


def _eight_bits(values: NDArray[Any], picture: NDArray[Any]) -> NDArray[Any]:
    """Scale values like the image: from 0 to 255, from 0 to 1, or from its smallest to its largest value."""
    if values.dtype.kind != "f":
        return as_rgb(values)
    low, high = float(np.min(picture)), float(np.max(picture))
    for top in (1.0, 255.0):
        if low >= 0 and high <= top:
            low, high = 0.0, top
    return np.asarray(np.rint(255 * np.clip((values - low) / (high - low), 0, 1)).astype(np.uint8))


def _labels(found: Segmentation) -> dict[str, bytes]:
    if found.n_segments <= _MOST:
        return {"labels.png": _png(found.labels.astype(np.uint16))}
    raw = BytesIO()
    np.save(raw, found.labels.astype(np.uint32))
    return {"labels.npy": raw.getvalue()}


def _png(array: NDArray[Any]) -> bytes:
    from imageio.v3 import imwrite

    return bytes(imwrite("<bytes>", array, extension=".png"))
