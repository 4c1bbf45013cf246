"""Read pictures from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._display import listed
from ..engine import current

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".bmp", ".webp", ".pbm", ".pgm", ".ppm", ".pnm")
_TIFF = b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"
_OTHERS = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", *(b"P%d" % k for k in range(1, 7))
_MODES = {"1": "L", "P": "RGB", "PA": "RGBA", "La": "RGBA", "LA": "RGBA", "RGBa": "RGBA", "RGBX": "RGB"}
_PLAIN = ("L", "RGB", "RGBA", "I", "F", "I;16", "I;16B", "I;16L")
_CHANNELS = 4  # most channels that a TIFF may have before its rows and columns
_PIXELS = 0, 1, 2  # photometric kinds of TIFF whose numbers are gray levels, channels or colors
_HELD = 3.0  # memory for reading, as a multiple of the picture's size


def picture_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return files as they are, and for each folder the pictures in it, by name."""
    files = list[Path]()
    for path in map(Path, [paths] if isinstance(paths, str | os.PathLike) else paths):
        if not path.exists():
            raise ValueError(f"{path} does not exist; give a picture, or a folder of pictures")
        inside = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES) if path.is_dir() else [path]
        if not inside:
            raise ValueError(f"the folder {path} has no picture; pictures end in {listed(SUFFIXES)}")
        files += inside
    if not files:
        raise ValueError("give at least one picture, got an empty list")
    return files


class Picture(NamedTuple):
    """A picture from a file.

    Attributes
    ----------
    image : array of shape (h, w), or (h, w, channels)
        Gray levels or channels, with the values of the file; black and white are 0 and 255.
    is_color : bool
        Whether the channels are red, green, blue, and in a fourth opacity.
    """

    image: NDArray[Any]
    is_color: bool


def from_file(file: Path) -> Picture:
    """Read a picture from a file; see `from_bytes`."""
    current().reserve(file.stat().st_size, f"the picture {file}", "give a smaller one")
    return from_bytes(file.read_bytes(), str(file))


def from_bytes(content: bytes, name: str) -> Picture:
    """Read a picture; gray with opacity becomes color with opacity.

    Parameters
    ----------
    content : bytes
        A complete file: PNG, JPEG, TIFF, GIF, BMP, WebP or Netpbm, recognized by its first bytes. Other formats are
        rejected: some picture formats contain programs.
    name : str
        Name of the file, for messages.
    """
    is_tiff = content.startswith(_TIFF)
    if not (is_tiff or content.startswith(_OTHERS) or (content[:4] == b"RIFF" and content[8:12] == b"WEBP")):
        raise ValueError(
            f"{name} cannot be read as a picture; it is damaged, or not a PNG, JPEG, TIFF, GIF, BMP, WebP or Netpbm "
            "file"
        )
    try:
        picture, is_color = (_read_tiff if is_tiff else _read_other)(content, name)
    except ImportError as error:
        raise ImportError(
            f'reading pictures needs {error.name}, which is not installed; pip install "wasserstein-transform[image]"'
        ) from None
    except MemoryError as error:
        if type(error) is MemoryError and str(error):
            raise
        raise MemoryError(f"the picture {name} takes more memory than there is; give a smaller one") from None
    except Exception as error:  # the readers raise exceptions of any kind
        raise ValueError(
            f"{name} cannot be read as a picture; it is damaged, too large, or packed in an unknown way "
            f"({error!s:.200})"
        ) from None
    if picture.dtype.kind not in "buif" or picture.size == 0:
        raise ValueError(f"{name} holds {picture.dtype} of shape {picture.shape}, which is not a picture")
    if picture.ndim not in (2, 3):
        raise ValueError(
            f"{name} has shape {picture.shape}, which is not one picture; give one frame of it, or a volume as an "
            "array to wt.image.segment_by_radii"
        )
    if picture.dtype.kind == "b":
        picture = np.where(picture, np.uint8(255), np.uint8(0))
    return Picture(picture, is_color)


def _read_tiff(content: bytes, name: str) -> Picture:
    """Read the first series of a TIFF, channels last."""
    from tifffile import TiffFile

    with TiffFile(BytesIO(content)) as file:
        series, page = file.series[0], file.pages.first
        kind, opacity = int(page.photometric), [int(sample) for sample in page.extrasamples] in ([1], [2])
        if kind not in _PIXELS:
            return _read_other(content, name)
        _reserve(float(series.dtype.itemsize) * series.size, name)
        picture = np.squeeze(series.asarray())
    if picture.ndim == 3 and len(picture) <= _CHANNELS < picture.shape[2]:
        picture = np.moveaxis(picture, 0, -1)
    if opacity and picture.ndim == 3 and picture.shape[2] == 2:
        return Picture(picture[..., [0, 0, 0, 1]], True)
    return Picture(picture, picture.ndim == 3 and picture.shape[2] in (3, 4) and kind == _PIXELS[-1])


def _read_other(content: bytes, name: str) -> Picture:
    from PIL import Image

    with Image.open(BytesIO(content)) as file:
        if (frames := getattr(file, "n_frames", 1)) > 1:
            raise ValueError(f"it has {frames} frames; give one of them")
        mode = _MODES.get(file.mode, file.mode if file.mode in _PLAIN else "RGB")
        if "transparency" in file.info and mode in ("L", "RGB"):
            mode = "RGBA"
        _reserve(float(file.width) * file.height * len(mode.partition(";")[0]), name)
        return Picture(np.asarray(file if mode == file.mode else file.convert(mode)), mode.startswith("RGB"))


def _reserve(size: float, name: str) -> None:
    current().reserve(_HELD * size, f"the picture {name}", "give a smaller one")
