"""Segmentations against human ones: `python -m benchmarks images=FOLDER`, a folder of NAME.jpg (or .png) and NAME.mat.

Files are as in the Berkeley benchmark. The quality of a setting is covering + adjusted Rand index. For each method, the
best setting on the images 1, 3, 5, … is scored on the images 2, 4, 6, …, and the other way round.
The settings tried are those of `_METHODS`.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.compute.colors import luv
from wasserstein_transform.image import Merging
from wasserstein_transform.image.merging import Graph
from wasserstein_transform.image.regions import merge_small
from wt_paper.experiments.scores import adjusted_rand

from .segmentations import Scores, contingency, covering, read_bsds, score_segmentation
from .timing import Row

_MIN_SIZE = 30  # pixels; smaller regions are merged
_MERGINGS = tuple(
    Merging(share, growth, edge, _MIN_SIZE)
    for share, growth, edge in itertools.product((0.7, 1.0, 1.4, 2.0, 2.8), (0.25, 0.35, 0.5), (0.0, 1 / 3, 2 / 3))
)


class Photo(NamedTuple):
    """An image and its human segmentations; hashed by its file."""

    file: Path

    @cache  # noqa: B019 - the cache may live as long as the run
    def image(self) -> Any:
        from skimage.io import imread  # noqa: PLC0415 - the other benchmarks need no image library

        return imread(self.file)

    @cache  # noqa: B019
    def truths(self) -> Any:
        return read_bsds(self.file.with_suffix(".mat"))


class Start(NamedTuple):
    """Regions, and the features by which they may be merged."""

    labels: Any
    modes: Any
    range: float


class Method(NamedTuple):
    """A segmentation method, its settings to try, and ways to merge its regions."""

    name: str
    start: Callable[..., Start]
    settings: Iterable[tuple[Any, ...]]
    mergings: tuple[Merging | None, ...] = (None,)


class Found(NamedTuple):
    """The setting of a method chosen on some images, and its regions and scores on the others."""

    setting: str
    scores: Any


def run(folder: str | None = None) -> list[Row]:
    photos = photos_in(folder)
    if not photos:
        print("images: no folder of images and .mat files given: python -m benchmarks images=FOLDER", file=sys.stderr)
        return []
    warnings.simplefilter("ignore")  # pixels that oscillate do not converge
    names = [field.name.replace("_", " ") for field in fields(Scores)]
    print(f"| method | setting | chosen on | scored on | regions | {' | '.join(names)} |")
    print("|---" * (len(names) + 5) + "|")
    quality = {}
    for method in _METHODS:
        halves = _both_ways(method, photos)
        for found, way in zip(halves, ("A | B", "B | A"), strict=True):
            print(_line(method.name, found.setting, way, found.scores.mean(axis=0)), flush=True)
        every = np.concatenate([found.scores for found in halves])
        print(_line(method.name, "", "other half | all", every.mean(axis=0)), flush=True)
        quality[method.name] = every[:, 1] + every[:, 3]
    _print_gains(quality)
    return []


def photos_in(folder: str | None) -> list[Photo]:
    if folder is None:
        return []
    files = itertools.chain(Path(folder).glob("*.jpg"), Path(folder).glob("*.png"))
    return [Photo(file) for file in sorted(files) if file.with_suffix(".mat").exists()]


def _both_ways(method: Method, photos: list[Photo]) -> tuple[Found, Found]:
    first, second = photos[::2], photos[1::2]
    return _chosen(method, first, second), _chosen(method, second, first)


def _chosen(method: Method, known: Sequence[Photo], others: Sequence[Photo]) -> Found:
    settings = list(method.settings)
    found = np.array([[_qualities(photo, method.start, one, method.mergings) for photo in known] for one in settings])
    at, by = np.unravel_index(found.mean(axis=1).argmax(), (len(settings), len(method.mergings)))
    setting, merging = settings[at], method.mergings[by]
    words = ", ".join(f"{part:.2g}" if isinstance(part, float) else str(part) for part in setting)
    if merging is not None:
        words += f"; {merging.share:g}, {merging.growth:g}, {merging.edge:.2g}"
    return Found(words, np.array([_scored(photo, method.start(photo, *setting), merging) for photo in others]))


def _line(name: str, setting: str, way: str, scores: Any) -> str:
    regions, *rest = scores
    return f"| {name} | {setting} | {way} | {regions:.0f} | {' | '.join(f'{x:.3f}' for x in rest)} |"


def _print_gains(quality: dict[str, Any]) -> None:
    """Print by how much each method is ahead of the reference method, image by image."""
    print(
        f"\n| ahead of {_YARDSTICK}, covering + adjusted rand | mean | standard error | on images |\n|---|---|---|---|"
    )
    for name, each in quality.items():
        gain = each - quality[_YARDSTICK]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        print(f"| {name} | {gain.mean():+.3f} | {error:.3f} | {np.count_nonzero(gain > 0)} of {len(gain)} |")
    print()


@cache
def _qualities(
    photo: Photo, start: Callable[..., Start], setting: tuple[Any, ...], mergings: tuple[Merging | None, ...]
) -> list[float]:
    """Covering + adjusted Rand index of each way to merge; pixels are counted once for all of them."""
    labels, modes, radius = start(photo, *setting)
    tables = [contingency(labels.ravel(), truth.ravel()) for truth in photo.truths()]
    if mergings == (None,):
        return [_quality(tables)]
    graph = Graph.of(labels, _values(photo), modes.reshape(-1, 3))
    return [_quality(_pooled(tables, *merging.merged(graph, radius))) for merging in mergings if merging is not None]


def _pooled(tables: Sequence[Any], new: Any, count: int) -> list[Any]:
    """Merge the rows of a table of regions."""
    pooled = [np.zeros((count, table.shape[1])) for table in tables]
    for whole, table in zip(pooled, tables, strict=True):
        np.add.at(whole, new, table)
    return pooled


def _quality(tables: Sequence[Any]) -> float:
    return float(np.mean([covering(table) + adjusted_rand(table) for table in tables]))


def _scored(photo: Photo, start: Start, merging: Merging | None) -> tuple[float, ...]:
    """The number of regions and the scores."""
    labels, modes, radius = start
    if merging is not None:
        labels = merging(labels, _values(photo), modes.reshape(-1, 3), radius)[0]
    return (float(len(np.unique(labels))), *astuple(score_segmentation(labels, photo.truths())))


@cache
def _values(photo: Photo) -> Any:
    return luv(photo.image() / 255).reshape(-1, 3)


@cache
def _moved(photo: Photo, spatial: float, range: float, lam: float) -> Start:
    """Link the moved pixels; the regions are the same for all ways to merge."""
    done = wt.image.segment_by_radii(photo.image(), spatial, range, lam, tol=0.01, min_size=_MIN_SIZE)
    return Start(done.labels, done.modes[..., 2:], range)


def _linked(photo: Photo, spatial: float, range: float, lam: float, min_size: int) -> Start:
    labels, modes, _ = _moved(photo, spatial, range, lam)
    return Start(merge_small(labels, modes.reshape(-1, 3), min_size)[0], modes, range)


def _felzenszwalb(photo: Photo, scale: float, sigma: float, min_size: int) -> Start:
    from skimage.segmentation import felzenszwalb  # noqa: PLC0415

    return Start(felzenszwalb(photo.image(), scale=scale, sigma=sigma, min_size=min_size), _values(photo), 0.0)


def _felzenszwalb_fine(photo: Photo, scale: float, sigma: float, range: float) -> Start:
    return _felzenszwalb(photo, scale, sigma, _MIN_SIZE)._replace(range=range)


def _quickshift(photo: Photo, kernel_size: float, max_dist: float, ratio: float) -> Start:
    """Run at half size: the kernels needed are so wide that full-size images would take minutes."""
    from skimage.segmentation import quickshift  # noqa: PLC0415
    from skimage.transform import resize  # noqa: PLC0415

    height, width = photo.image().shape[:2]
    half = resize(photo.image(), ((height + 1) // 2, (width + 1) // 2), anti_aliasing=True)
    labels = quickshift(half, kernel_size=kernel_size, max_dist=max_dist, ratio=ratio, rng=0)
    return Start(np.kron(labels, np.ones((2, 2), np.intp))[:height, :width], None, 0.0)


def _slic(photo: Photo, n_segments: int, compactness: float, sigma: float) -> Start:
    from skimage.segmentation import slic  # noqa: PLC0415

    labels = slic(photo.image(), n_segments=n_segments, compactness=compactness, sigma=sigma, start_label=0)
    return Start(labels, None, 0.0)


def _grid(*parts: Iterable[Any]) -> list[tuple[Any, ...]]:
    return list(itertools.product(*parts))


def _radii(*parts: Iterable[Any]) -> list[tuple[Any, ...]]:
    return _grid((5.0, 8.0), (3.0, 5.0), *parts)


_YARDSTICK = "felzenszwalb"
_METHODS = (
    Method(_YARDSTICK, _felzenszwalb, _grid((100, 200, 400, 600, 800, 1200), (0.5, 0.8, 1.2), (100, 300, 1000))),
    Method("felzenszwalb, `Merging`", _felzenszwalb_fine, _grid((25, 50, 100, 200), (0.5, 0.8), (3.0, 5.0)), _MERGINGS),
    Method("slic", _slic, _grid((5, 10, 20, 40), (3.0, 10.0, 30.0), (0, 2))),
    Method("quickshift at half size", _quickshift, _grid((4, 8), (10, 30, 200), (0.5, 1.0))),
    Method("mean shift or GT", _linked, _radii((0.0, 1.0, 5.0), (100, 300, 1000, 3000))),
    Method("mean shift, `Merging`", _moved, _radii((0.0,)), _MERGINGS),
    Method("GT λ = 1, `Merging`", _moved, _radii((1.0,)), _MERGINGS),
    Method("GT λ = 5, `Merging`", _moved, _radii((5.0,)), _MERGINGS),
    Method("mean shift or GT, `Merging`", _moved, _radii((0.0, 1.0, 5.0)), _MERGINGS),
)
