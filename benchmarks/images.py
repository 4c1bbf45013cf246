"""Segmentations against people's: `python -m benchmarks images=FOLDER`, a folder of NAME.jpg (or .png) and NAME.mat.

Files are as in the Berkeley benchmark. The quality of a setting is covering + adjusted Rand index. A method takes the
setting best on every other image, from the first on, and is scored with it on those between; then each image with the
setting best on all others. Settings searched are those of `_METHODS`.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import astuple, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.apps.image import Merging, Scores, read_bsds, score_segmentation
from wasserstein_transform.apps.image.color import luv
from wasserstein_transform.apps.image.regions import merge_small

from .timing import Row

_RADII = ((5.0, 3.0), (5.0, 5.0))
_SHARES = (1.5, 1.7, 2.0)


class Photo(NamedTuple):
    """An image and what people made of it; hashed by its file."""

    file: Path

    @cache  # noqa: B019 - lives as long as the run
    def image(self) -> Any:
        from skimage.io import imread  # noqa: PLC0415 - an image library is no requirement of the others

        return imread(self.file)

    @cache  # noqa: B019
    def truths(self) -> Any:
        return read_bsds(self.file.with_suffix(".mat"))


class Method(NamedTuple):
    """A way to labels, and the settings to search."""

    name: str
    labels: Callable[..., Any]
    settings: Iterable[tuple[Any, ...]]


def run(folder: str | None = None) -> list[Row]:
    photos = _photos(folder)
    if not photos:
        print("images: no folder of images and .mat files given: python -m benchmarks images=FOLDER", file=sys.stderr)
        return []
    warnings.simplefilter("ignore")  # pixels that swing
    names = [field.name.replace("_", " ") for field in fields(Scores)]
    print(f"regions … {names[-1]}: set on {len(photos[::2])} images, scored on the other {len(photos[1::2])};")
    print(f"last two: covering and adjusted rand of all {len(photos)}, each set on the others\n")
    print(f"| method | setting | regions | {' | '.join(names)} | covering | adjusted rand |")
    print("|---" * (len(names) + 5) + "|")
    for method in _METHODS:
        print(_line(method, photos), flush=True)
    print()
    return []


def _photos(folder: str | None) -> list[Photo]:
    if folder is None:
        return []
    files = itertools.chain(Path(folder).glob("*.jpg"), Path(folder).glob("*.png"))
    return [Photo(file) for file in sorted(files) if file.with_suffix(".mat").exists()]


def _line(method: Method, photos: list[Photo]) -> str:
    settings = list(method.settings)
    found = np.array([[_scored(method, setting, photo) for photo in photos] for setting in settings])
    quality = found[:, :, 1] + found[:, :, 3]
    best = int(quality[:, ::2].mean(axis=1).argmax())
    regions, *scores = found[best, 1::2].mean(axis=0)
    others = [int(np.delete(quality, k, axis=1).mean(axis=1).argmax()) for k in range(len(photos))]
    each = found[others, range(len(photos))].mean(axis=0)
    cells = [f"{x:.3f}" for x in (*scores, each[1], each[3])]
    return (
        f"| {method.name} | {', '.join(f'{part:g}' for part in settings[best])} | {regions:.0f} | {' | '.join(cells)} |"
    )


def _scored(method: Method, setting: tuple[Any, ...], photo: Photo) -> tuple[float, ...]:
    """Number of regions, then the scores."""
    labels = method.labels(photo, *setting)
    return (float(len(np.unique(labels))), *astuple(score_segmentation(labels, photo.truths())))


@cache
def _moved(photo: Photo, spatial: float, range: float, lam: float) -> wt.Segmentation:
    return wt.segment(photo.image(), spatial, range, lam, tol=0.01, min_size=Merging().min_size)


def _linked(photo: Photo, spatial: float, range: float, lam: float, min_size: int) -> Any:
    done = _moved(photo, spatial, range, lam)
    return merge_small(done.labels, done.modes[..., 2:].reshape(-1, 3), min_size)[0]


def _ours(photo: Photo, spatial: float, range: float, lam: float, share: float) -> Any:
    done = _moved(photo, spatial, range, lam)
    return _merged(photo, done.labels, done.modes[..., 2:], Merging(share), range)


def _merged(photo: Photo, labels: Any, modes: Any, merging: Merging, range: float) -> Any:
    """What `segment` does after linking; moved pixels are the same for all settings."""
    values = luv(photo.image() / 255).reshape(-1, 3)
    return merging(labels, values, modes.reshape(-1, 3), range)[0]


def _felzenszwalb(photo: Photo, scale: float, min_size: int) -> Any:
    from skimage.segmentation import felzenszwalb  # noqa: PLC0415

    return felzenszwalb(photo.image(), scale=scale, sigma=0.8, min_size=min_size)


def _felzenszwalb_merged(photo: Photo, scale: float, share: float) -> Any:
    image = photo.image()
    return _merged(photo, _felzenszwalb(photo, scale, 30), luv(image / 255), Merging(share), 3.0)


def _quickshift(photo: Photo, kernel_size: float, max_dist: float, ratio: float) -> Any:
    """At half size: regions need kernels so wide that whole images would take minutes."""
    from skimage.segmentation import quickshift  # noqa: PLC0415
    from skimage.transform import resize  # noqa: PLC0415

    height, width = photo.image().shape[:2]
    half = resize(photo.image(), ((height + 1) // 2, (width + 1) // 2), anti_aliasing=True)
    labels = quickshift(half, kernel_size=kernel_size, max_dist=max_dist, ratio=ratio, rng=0)
    return np.kron(labels, np.ones((2, 2), np.intp))[:height, :width]


def _slic(photo: Photo, n_segments: int, compactness: float) -> Any:
    from skimage.segmentation import slic  # noqa: PLC0415

    return slic(photo.image(), n_segments=n_segments, compactness=compactness, start_label=0)


def _grid(*parts: Iterable[Any]) -> list[tuple[Any, ...]]:
    return list(itertools.product(*parts))


def _with_radii(*parts: Iterable[Any]) -> list[tuple[Any, ...]]:
    return [(*radii, *rest) for radii, *rest in itertools.product(_RADII, *parts)]


_METHODS = (
    Method("mean shift: radii, λ, min_size", _linked, _with_radii([0.0], [300, 1000])),
    Method("mean shift, `Merging`: radii, λ, share", _ours, _with_radii([0.0], _SHARES)),
    Method("GT, `Merging`", _ours, _with_radii([1.0], _SHARES)),
    Method("GT, `Merging`", _ours, _with_radii([5.0], _SHARES)),
    Method("felzenszwalb: scale, min_size", _felzenszwalb, _grid([300, 400, 500, 600], [300])),
    Method("felzenszwalb, `Merging`: scale, share", _felzenszwalb_merged, _grid([50], _SHARES)),
    Method("slic: n_segments, compactness", _slic, _grid([10, 20, 40], [10])),
    Method("quickshift at half size: kernel_size, max_dist, ratio", _quickshift, _grid([4, 8], [200], [0.5, 1.0])),
)
