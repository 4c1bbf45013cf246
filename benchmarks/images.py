"""Generated pictures whose regions are known: `python -m benchmarks images`.

Road scenes have many objects of all sizes, haze, texture, noise and JPEG artifacts: people would cut them finer than
photographs. Micrographs have 40 cells, of which some or most touch, with uneven light, blur and noise. Seeds here are
not those by which anything was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import distance_transform_edt, gaussian_filter, label
from skimage.feature import peak_local_max
from skimage.filters import threshold_otsu
from skimage.segmentation import felzenszwalb, watershed

import wasserstein_transform as wt

from .segmentations import contingency, covering
from .timing import Row

_HEIGHT, _WIDTH = 360, 480
_SEEDS = range(1000, 1020)
_CELLS = 40
_FIXED = 0.61  # the scale of most photographs


class Scene:
    """A road scene that is drawn from far to near: colors, and the object that each pixel belongs to."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.colors, self.objects = Image.new("RGB", (_WIDTH, _HEIGHT)), Image.new("I", (_WIDTH, _HEIGHT), 0)
        self.textures = list[tuple[float, float]]()  # strength and width for each object
        self.saturation = self.rng.uniform(6, 30)
        self.horizon, self.vanishing = _HEIGHT * self.rng.uniform(0.35, 0.5), _WIDTH * self.rng.uniform(0.35, 0.65)

    def color(self, level: float, share: float = 1.0) -> Any:
        return np.clip(level + share * self.saturation * self.rng.normal(size=3), 0, 255)

    def add(self, corners: list[tuple[float, float]], color: Any, texture: tuple[float, float] | None = None) -> None:
        """Draw a polygon: a new object if it has a texture, else a part of the last one."""
        if texture is not None:
            self.textures.append(texture)
        paint = tuple(int(value) for value in color)
        ImageDraw.Draw(self.colors).polygon(corners, fill=paint)
        ImageDraw.Draw(self.objects).polygon(corners, fill=len(self.textures) - 1)

    def box(self, x: float, y: float, width: float, height: float, color: Any, texture: Any = None) -> None:
        """Draw an upright box that stands at (x, y)."""
        left, right = x - width / 2, x + width / 2
        self.add([(left, y), (left, y - height), (right, y - height), (right, y)], color, texture)

    def photograph(self) -> tuple[Any, Any]:
        """The picture and its regions: connected parts of objects."""
        rng, objects, light = self.rng, np.asarray(self.objects).astype(int), np.asarray(self.colors).astype(float)
        for k, (strength, width) in enumerate(self.textures):
            noise = gaussian_filter(rng.normal(size=objects.shape), width)
            light[objects == k] += (strength * noise / noise.std())[objects == k][:, None]
        y, x = np.mgrid[:_HEIGHT, :_WIDTH] / np.array([_HEIGHT, _WIDTH])[:, None, None] - 0.5
        light *= (1 + rng.uniform(-0.25, 0.25) * x + rng.uniform(-0.25, 0.25) * y)[..., None]
        clear = rng.uniform(0.35, 1)
        light = gaussian_filter(clear * light + (1 - clear) * rng.uniform(110, 190), (*(rng.uniform(0.5, 1.1),) * 2, 0))
        light += rng.normal(scale=rng.uniform(1, 4), size=light.shape)
        stored = BytesIO()
        levels = np.clip(np.rint(light), 0, 255).astype(np.uint8)
        Image.fromarray(levels).save(stored, "JPEG", quality=int(rng.integers(70, 95)))
        regions, count = np.zeros(objects.shape, int), 0
        for k in np.unique(objects):
            parts, n = label(objects == k)
            regions[parts > 0] = parts[parts > 0] + count - 1
            count += n
        return np.asarray(Image.open(stored)), regions


def road(seed: int) -> tuple[Any, Any]:
    """Sky, two rows of houses and trees, pavement, road, and 5 to 21 cars, people and signs."""
    scene = Scene(seed)
    rng, horizon, vanishing = scene.rng, scene.horizon, scene.vanishing
    scene.add([(0, 0), (_WIDTH, 0), (_WIDTH, _HEIGHT), (0, _HEIGHT)], scene.color(rng.uniform(150, 240), 0.2), (1, 6))
    for edge in (0.0, float(_WIDTH)):
        ends = np.sort(rng.uniform(0.05, 1, rng.integers(3, 7)))
        for near, far in zip(ends[1:], ends[:-1], strict=True):
            _house(scene, edge, far, near)
    ground = rng.uniform(70, 150)
    low = horizon + 0.35 * (_HEIGHT - horizon)
    pavement = [(0.0, _HEIGHT), (0.0, low), (vanishing, horizon), (_WIDTH, low), (_WIDTH, _HEIGHT)]
    scene.add(pavement, scene.color(ground + rng.uniform(5, 40), 0.2), (3, 1))
    left, right = -rng.uniform(0, 0.6) * _WIDTH, _WIDTH * (1 + rng.uniform(0, 0.6))
    lane = [(left, _HEIGHT), (vanishing - 2, horizon), (vanishing + 2, horizon), (right, _HEIGHT)]
    scene.add(lane, scene.color(ground, 0.2), (4, rng.uniform(0.7, 1.5)))
    for depth in np.sort(rng.uniform(0.06, 0.9, rng.integers(5, 22))):
        y, size = horizon + (_HEIGHT - horizon) * depth, (_HEIGHT - horizon) * depth
        side = vanishing + (rng.choice([0.0, _WIDTH]) - vanishing) * depth * rng.uniform(0.8, 1.5)
        kind = rng.random()
        if kind < 0.45:
            _car(scene, vanishing + (rng.uniform(left, right) - vanishing) * depth * 0.9, y, size)
        elif kind < 0.7:
            height = size * rng.uniform(0.5, 0.8)
            scene.box(side, y, 0.3 * height, 0.5 * height, scene.color(rng.uniform(30, 120)), (3, 1))
            scene.box(side, y - 0.45 * height, 0.34 * height, 0.4 * height, scene.color(rng.uniform(40, 220)))
            scene.box(side, y - 0.84 * height, 0.15 * height, 0.16 * height, (150, 115, 95))
        else:
            height, plate = size * rng.uniform(1, 2.2), max(6.0, 0.26 * size)
            scene.box(side, y, max(3.0, 0.06 * size), height, scene.color(rng.uniform(40, 140), 0.2), (2, 1))
            scene.box(side, y - height, plate, plate, scene.color(rng.uniform(40, 220), 2.0), (2, 1))
    return scene.photograph()


def _house(scene: Scene, edge: float, far: float, near: float) -> None:
    """A wall with windows, or a hedge with coarse texture, along a line from the vanishing point to an edge."""
    rng, horizon = scene.rng, scene.horizon
    x = [scene.vanishing + (edge - scene.vanishing) * depth for depth in (far, near)]
    top = rng.uniform(0.3, 1.3)
    wall = [(x[0], horizon * (1 - top * far)), (x[1], horizon * (1 - top * near))]
    wall += [(x[1], horizon * (1 + 0.25 * near)), (x[0], horizon * (1 + 0.25 * far))]
    if rng.random() < 0.3:
        scene.add(wall, np.array([60, 85, 50]) * rng.uniform(0.6, 1.4), (rng.uniform(8, 18), rng.uniform(1, 2)))
        return
    color = scene.color(rng.uniform(60, 190))
    scene.add(wall, color, (rng.uniform(2, 8), rng.uniform(0.7, 2)))
    dark, rows, columns = color * rng.uniform(0.4, 0.8), rng.integers(2, 6), rng.integers(2, 7)
    for column in range(columns):
        depths = [far + (near - far) * (column + share) / columns for share in (0.25, 0.75)]
        places = [scene.vanishing + (edge - scene.vanishing) * depth for depth in depths]
        for row in range(rows):
            lower, upper = (top * (row + share) / rows for share in (0.3, 0.8))
            corners = [(0, lower), (1, lower), (1, upper), (0, upper)]
            scene.add([(places[k], horizon * (1 - height * depths[k])) for k, height in corners], dark)


def _car(scene: Scene, x: float, y: float, size: float) -> None:
    rng = scene.rng
    width, height, color = (
        size * rng.uniform(0.5, 0.9),
        size * rng.uniform(0.35, 0.75),
        scene.color(rng.uniform(40, 220)),
    )
    scene.box(x, y, width, 0.55 * height, color, (2, 1))
    scene.box(x, y - 0.55 * height, 0.8 * width, 0.45 * height, color)
    scene.box(x, y - 0.57 * height, 0.66 * width, 0.36 * height, 0.35 * color + 20)
    for wheel in (-0.4, 0.4):
        scene.box(x + wheel * width, y + 0.02 * size, 0.14 * width, 0.17 * height, (25, 25, 25))


def cells(seed: int, touching: float, side: int = 400) -> tuple[Any, Any]:
    """A micrograph of 16 bits with 40 cells, and the cell of each pixel, −1 for none.

    `touching` is the probability that a cell is put beside another one.
    """
    rng, truth = np.random.default_rng(seed), np.full((side, side), -1)
    y, x = np.mgrid[:side, :side]
    light, placed = np.zeros((side, side)), list[tuple[float, float, float]]()
    while len(placed) < _CELLS:
        long, short, turn = rng.uniform(14, 22), rng.uniform(11, 16), rng.uniform(0, np.pi)
        down, right = rng.uniform(20, side - 20, 2)
        if placed and rng.random() < touching:
            down, right, radius = placed[rng.integers(len(placed))]
            angle, apart = rng.uniform(0, 2 * np.pi), 0.95 * (radius + short)
            down, right = down + apart * np.sin(angle), right + apart * np.cos(angle)
        along = (x - right) * np.cos(turn) + (y - down) * np.sin(turn)
        across = (y - down) * np.cos(turn) - (x - right) * np.sin(turn)
        away = (along / long) ** 2 + (across / short) ** 2
        inside = away < 1
        if not (15 < down < side - 15 and 15 < right < side - 15) or (truth[inside] >= 0).mean() > 0.08:
            continue
        inside &= truth < 0
        truth[inside] = len(placed)
        light[inside] = (rng.uniform(0.5, 1) * (1 - 0.35 * away))[inside]
        placed.append((down, right, (long + short) / 2))
    light = gaussian_filter(light, 1.5) * (1 + 0.5 * (x / side - 0.5) + 0.3 * (y / side - 0.5)) + 0.1
    light += rng.normal(scale=0.06, size=light.shape) * np.sqrt(np.maximum(light, 0.05) / 0.5)
    return (3000 * np.clip(light, 0, None) + 200).astype(np.uint16), truth


def run() -> list[Row]:
    _print_scenes()
    _print_cells()
    return []


def _print_scenes() -> None:
    scenes = [road(seed) for seed in _SEEDS]
    tables = [[contingency(labels.ravel(), truth.ravel()) for labels in _cuts(image)] for image, truth in scenes]
    scores = np.array([[covering(table) for table in row] for row in tables])
    counts = np.array([[len(table) for table in row] for row in tables])
    print("\nroad scenes\n\n| method | regions | covering |\n|---|---|---|")
    names = (f"`wt.segment`, scale {_FIXED}", "**`wt.segment`**, scale of each picture")
    for name, n, score in zip(names, counts.mean(axis=0), scores.mean(axis=0), strict=False):
        print(f"| {name} | {n:.0f} | {score:.3f} |")
    best = scores[:, 2:].mean(axis=0).argmax() + 2
    print(f"| felzenszwalb (scikit-image), best of 6 settings here | {counts[:, best].mean():.0f} | "
          f"{scores[:, best].mean():.3f} |", flush=True)  # fmt: skip


def _cuts(image: Any) -> list[Any]:
    tree = wt.segment(image).tree
    peers = [
        felzenszwalb(image, scale=scale, sigma=0.8, min_size=size) for scale in (100, 200, 400) for size in (100, 300)
    ]
    return [tree.cut(_FIXED), tree.cut(tree.choose_scale()), *peers]


def _print_cells() -> None:
    shares = (0.0, 0.5, 0.9)
    print(f"\ncells\n\n| method | {' | '.join(f'{share:.0%} beside another' for share in shares)} |\n|---|---|---|---|")
    methods: dict[str, Callable[[Any], Any]] = {
        "`wt.segment(picture)`": lambda picture: wt.segment(picture).labels,
        "`wt.segment(picture, scale=0.08)`, bright regions": _bright_regions,
        "threshold, distance, watershed (scikit-image)": _watershed,
        "threshold, connected parts": lambda picture: label(_smooth(picture) > _threshold(picture))[0] - 1,
    }
    for name, method in methods.items():
        row = []
        for share in shares:
            found = [_matched(method(picture), truth) for picture, truth in (cells(seed, share) for seed in _SEEDS[:8])]
            right, count = np.mean(found, axis=0)
            row.append(f"{right:.1f} of {_CELLS}; {count:.0f} regions")
        print(f"| {name} | {' | '.join(row)} |", flush=True)


def _smooth(picture: Any) -> Any:
    return gaussian_filter(picture.astype(float), 1)


def _threshold(picture: Any) -> float:
    return float(threshold_otsu(_smooth(picture)))


def _bright_regions(picture: Any) -> Any:
    """Regions at a fine scale whose mean is above the threshold of the picture."""
    found = wt.segment(picture, scale=0.08)
    bright = (found.regions()["mean"] > _threshold(picture)).to_numpy()
    return np.where(bright[found.labels], found.labels, -1)


def _watershed(picture: Any) -> Any:
    inside = _smooth(picture) > _threshold(picture)
    depth = gaussian_filter(distance_transform_edt(inside), 2)
    peaks = peak_local_max(depth, min_distance=8, labels=label(inside)[0])
    markers = np.zeros(picture.shape, int)
    markers[tuple(peaks.T)] = np.arange(1, len(peaks) + 1)
    return watershed(-depth, markers, mask=inside) - 1


def _matched(labels: Any, truth: Any) -> tuple[int, int]:
    """How many cells have a region with more than half of their union in common, and the number of regions."""
    right = 0
    for cell in range(_CELLS):
        inside = truth == cell
        seen = labels[inside & (labels >= 0)]
        if len(seen):
            region = labels == np.bincount(seen).argmax()
            right += np.count_nonzero(inside & region) > 0.5 * np.count_nonzero(inside | region)
    return right, len(np.unique(labels[labels >= 0]))
