"""Read pictures from files."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import current

_KINDS = {
    **dict.fromkeys((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM"), "pillow"),
    **dict.fromkeys((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), "tifffile"),
}
_HELD = 3.0  # memory for reading, as a multiple of the picture's size


def from_file(file: Path) -> NDArray[Any]:
    """Read a picture from a file; see `from_bytes`."""
    current().reserve(file.stat().st_size, f"the picture {file}", "give a smaller one")
    return from_bytes(file.read_bytes(), str(file))


def from_bytes(content: bytes, name: str) -> NDArray[Any]:
    """Read a picture of shape (h, w) or (h, w, 3 or 4); gray levels are 0 to 255, whatever the depth of the file.

    Parameters
    ----------
    content : bytes
        A complete file: PNG, JPEG, TIFF, GIF, BMP, WebP or Netpbm, recognized by its first bytes. Other formats are
        rejected: some picture formats contain programs.
    name : str
        Name of the file, for messages.
    """
    try:
        from imageio.v3 import improps, imread
    except ImportError:
        raise ImportError(
            'reading pictures needs imageio, which is not installed; pip install "wasserstein-transform[image]"'
        ) from None
    plugin = _plugin(content)
    if plugin is None:
        raise ValueError(
            f"{name} cannot be read as a picture; it is damaged, or not a PNG, JPEG, TIFF, GIF, BMP, WebP or Netpbm "
            "file"
        )
    try:
        about = improps(content, plugin=plugin)  # its size when unpacked, before it is unpacked
        current().reserve(_HELD * about.dtype.itemsize * prod(about.shape), f"the picture {name}", "give a smaller one")
        picture = np.asarray(imread(content, plugin=plugin))
    except MemoryError as error:
        if type(error) is MemoryError and str(error):
            raise
        raise MemoryError(f"the picture {name} takes more memory than there is; give a smaller one") from None
    except Exception as error:  # the readers raise exceptions of any kind
        error = error.__cause__ or error  # type: ignore[assignment]  # imageio's own message tells nothing
        raise ValueError(
            f"{name} cannot be read as a picture; it is damaged, too large, or packed in an unknown way "
            f"({error!s:.200})"
        ) from None
    return _plain(picture, name)


def _plugin(content: bytes) -> str | None:
    """Return the plugin that reads a picture, by its first bytes, not by the name of the file."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "pillow"
    if content[:1] == b"P" and content[1:2] in b"123456" and content[2:3].isspace():
        return "pillow"
    return next((plugin for magic, plugin in _KINDS.items() if content.startswith(magic)), None)


def _plain(picture: NDArray[Any], name: str) -> NDArray[Any]:
    if picture.dtype.kind not in "buif" or picture.size == 0:
        raise ValueError(f"{name} holds {picture.dtype} of shape {picture.shape}, which is not a picture")
    if picture.ndim == 4 and len(picture) == 1:  # an animation of one frame
        picture = picture[0]
    if picture.ndim == 3 and picture.shape[2] in (1, 2):  # gray, or gray with opacity
        picture = picture[..., 0]
    if picture.ndim != 2 and not (picture.ndim == 3 and picture.shape[2] in (3, 4)):
        raise ValueError(
            f"{name} has shape {picture.shape}, which is not one gray or color picture; use wt.image.segment in Python "
            "for volumes and other channels"
        )
    if picture.dtype.kind == "b":
        return np.where(picture, np.uint8(255), np.uint8(0))
    if picture.ndim == 2 and picture.dtype.kind == "u" and picture.dtype != np.uint8:
        return np.asarray(picture * (255 / np.iinfo(picture.dtype).max))
    return picture
