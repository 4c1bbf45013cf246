"""Pictures from the bytes of files."""

from __future__ import annotations

from math import prod
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import current


def from_bytes(content: bytes, name: str) -> NDArray[Any]:
    """A picture of shape (h, w), or (h, w, 3 or 4); gray levels are of 0 to 255, whatever the depth of the file.

    Parameters
    ----------
    content : bytes
        A whole file: PNG, JPEG, TIFF, whatever imageio knows.
    name : str
        For errors; its ending says what kind of file it is.
    """
    try:
        from imageio.v3 import improps, imread
    except ImportError:
        raise ImportError(
            'reading pictures needs scikit-image, which is not installed; pip install "wasserstein-transform[image]" '
            "brings it"
        ) from None
    kind = PurePath(name).suffix or ".png"
    try:
        about = improps(content, extension=kind)  # what it unpacks to, before it is unpacked
        current().reserve(about.dtype.itemsize * prod(about.shape), f"the picture {name}", "give a smaller one")
        picture = np.asarray(imread(content, extension=kind))
    except MemoryError:
        raise
    except Exception as error:  # readers raise what they like
        raise ValueError(
            f"{name} cannot be read as a picture; it is damaged, too large, or of a kind that imageio does not know "
            f"({error})"
        ) from None
    return _plain(picture, name)


def _plain(picture: NDArray[Any], name: str) -> NDArray[Any]:
    if picture.dtype.kind not in "buif" or picture.size == 0:
        raise ValueError(f"{name} holds {picture.dtype} of shape {picture.shape}, which is no picture")
    if picture.ndim == 4 and len(picture) == 1:  # a film of one picture
        picture = picture[0]
    if picture.ndim == 3 and picture.shape[2] in (1, 2):  # gray, and perhaps opacity
        picture = picture[..., 0]
    if picture.ndim != 2 and not (picture.ndim == 3 and picture.shape[2] in (3, 4)):
        raise ValueError(
            f"{name} has shape {picture.shape}, which is not one gray or color picture; wt.image.segment in Python "
            "takes volumes and other channels"
        )
    if picture.dtype.kind == "b":
        return np.where(picture, np.uint8(255), np.uint8(0))
    if picture.ndim == 2 and picture.dtype.kind == "u" and picture.dtype != np.uint8:
        return np.asarray(picture * (255 / np.iinfo(picture.dtype).max))
    return picture
