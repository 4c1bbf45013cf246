"""Pictures in files: reading one, and what was made of it as files."""

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

_MOST = 65536  # labels that 16 bits hold


def load(file: Path) -> NDArray[Any]:
    """A picture of shape (h, w), or (h, w, 3 or 4); gray levels are of 0 to 255, whatever the depth of the file."""
    if not file.exists():
        raise ValueError(f"{file} is not there")
    if not file.is_file():
        raise ValueError(f"{file} is no file; give a picture")
    return from_file(file)


def encode(found: Segmentation, picture: NDArray[Any]) -> dict[str, bytes]:
    """Label map, overlay, filtered picture and, of a tree, its contours as files; their names."""
    filtered = found.filtered
    whole = filtered if filtered.dtype == np.uint8 else _eight_bits(filtered, picture)
    return {
        **_labels(found),
        "overlay.png": _png(outlined(_eight_bits(picture, picture), found.labels)),
        "filtered.png": _png(whole),
        **({} if found.tree is None else {"contours.png": _png(drawn(found.tree.contours()))}),
    }


def _eight_bits(values: NDArray[Any], picture: NDArray[Any]) -> NDArray[Any]:
    """Shown as the picture is: levels of 0 to 255, shares, or from its least to its largest value."""
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
