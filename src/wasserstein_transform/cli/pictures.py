"""Pictures in files: reading one, and what was made of it as files."""

from __future__ import annotations

from io import BytesIO
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine import current
from ..plotting.images import as_rgb, outlined

if TYPE_CHECKING:
    from ..image import Segmentation

_MOST = 65536  # labels that 16 bits hold


def load(file: Path) -> NDArray[Any]:
    """A picture of shape (h, w), or (h, w, 3 or 4); gray levels are of 0 to 255, whatever the depth of the file."""
    try:
        from imageio.v3 import improps, imread
    except ImportError:
        raise ImportError(
            'reading pictures needs scikit-image, which is not installed; pip install "wasserstein-transform[image]" '
            "brings it"
        ) from None
    if not file.exists():
        raise ValueError(f"{file} is not there")
    if not file.is_file():
        raise ValueError(f"{file} is no file; give a picture")
    raw, kind = file.read_bytes(), file.suffix or ".png"
    try:
        about = improps(raw, extension=kind)  # what it unpacks to, before it is unpacked
        current().reserve(about.dtype.itemsize * prod(about.shape), f"the picture {file}", "give a smaller one")
        picture = np.asarray(imread(raw, extension=kind))
    except MemoryError:
        raise
    except Exception as error:  # readers raise what they like
        raise ValueError(
            f"{file} cannot be read as a picture; it is damaged, too large, or of a kind that imageio does not know "
            f"({error})"
        ) from None
    return _plain(picture, file)


def _plain(picture: NDArray[Any], file: Path) -> NDArray[Any]:
    if picture.dtype.kind not in "buif" or picture.size == 0:
        raise ValueError(f"{file} holds {picture.dtype} of shape {picture.shape}, which is no picture")
    if picture.ndim == 4 and len(picture) == 1:  # a film of one picture
        picture = picture[0]
    if picture.ndim == 3 and picture.shape[2] in (1, 2):  # gray, and perhaps opacity
        picture = picture[..., 0]
    if picture.ndim != 2 and not (picture.ndim == 3 and picture.shape[2] in (3, 4)):
        raise ValueError(
            f"{file} has shape {picture.shape}, which is not one gray or color picture; wt.image.segment in Python "
            "takes volumes and other channels"
        )
    if picture.dtype.kind == "b":
        return np.where(picture, np.uint8(255), np.uint8(0))
    if picture.ndim == 2 and picture.dtype.kind == "u" and picture.dtype != np.uint8:
        return np.asarray(picture * (255 / np.iinfo(picture.dtype).max))
    return picture


def encode(found: Segmentation, picture: NDArray[Any]) -> dict[str, bytes]:
    """Label map, overlay and filtered picture as files; their names."""
    filtered = found.filtered
    whole = filtered if filtered.dtype == np.uint8 else _eight_bits(filtered, picture)
    return {
        **_labels(found),
        "overlay.png": _png(outlined(_eight_bits(picture, picture), found.labels)),
        "filtered.png": _png(whole),
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
