"""Denoising scans against known truth: `python -m benchmarks scenes[=N]`, N points per scene.

Scenes are generated: hills, buildings with walls and gabled roofs, and volumes full of points, where nothing should
move. Moving least squares and a bilateral filter are short references here, and Open3D's if it is installed; each gets
the best of several radii, chosen by the truth. Settings of the library were chosen on other seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

import wasserstein_transform as wt

from .timing import Row

SIDE = 40.0  # of a scene, in meters
BUILDING = 10.0  # extent of a building: noise is relative to it
_SEEDS = (41, 42)  # not used to choose settings
_RADII = (0.6, 0.9, 1.3, 1.8, 2.5)  # of the references


class Scene(NamedTuple):
    """Points without noise, and many more of them, as the truth."""

    clean: np.ndarray
    truth: np.ndarray


def hills(n: int, rng: np.random.Generator) -> Scene:
    """A terrain with hills of up to 2 m."""
    height = _height(rng)
    return Scene(*(_on(height, SIDE * rng.random((count, 2))) for count in (n, 1_000_000)))


def buildings(n: int, rng: np.random.Generator) -> Scene:
    """Four buildings with walls and gabled roofs, on hills."""
    height, corners = _height(rng), [(4.0, 5.0), (24.0, 3.0), (6.0, 24.0), (25.0, 25.0)]
    turns, tall = rng.integers(0, 2, 4), rng.uniform(4, 7, 4)

    def draw(count: int) -> np.ndarray:
        area = np.array([SIDE**2] + [_house_area(eave) for eave in tall])
        parts = rng.multinomial(count, area / area.sum())
        flat = SIDE * rng.random((parts[0], 2))
        inside = np.zeros(len(flat), bool)
        for corner, turn in zip(corners, turns, strict=True):
            sides = (BUILDING, 0.8 * BUILDING)[:: 1 - 2 * turn]
            inside |= ((flat > corner) & (flat < np.add(corner, sides))).all(axis=1)
        found = [_on(height, flat[~inside])]
        for corner, turn, eave, k in zip(corners, turns, tall, parts[1:], strict=True):
            house = _house(k, eave, rng)
            house = house[:, [1, 0, 2]] if turn else house
            found.append(house + np.append(corner, height(np.add(corner, 4.0)[None])))
        return np.concatenate(found)

    return Scene(draw(n), draw(1_500_000))


def forest(n: int, rng: np.random.Generator, share: float = 0.75, side: float = 90.0) -> np.ndarray:
    """Crowns of trees, filled with points, over ground; `share` of the points is in the crowns."""
    trees = rng.uniform(0, side, (int(side**2 / 30), 2))
    tops, widths = rng.uniform(8, 32, len(trees)), rng.uniform(1.5, 4, len(trees))
    of = rng.choice(len(trees), int(share * n), p=widths**2 / (widths**2).sum())
    deep = rng.beta(1.5, 1.5, len(of)) * 0.7  # depth below the top, relative to the height
    turn, out = 2 * np.pi * rng.random(len(of)), widths[of] * np.sqrt(rng.random(len(of)) * deep / 0.7)
    crowns = np.column_stack(
        [trees[of] + out[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]), tops[of] * (1 - deep)]
    )
    flat = side * rng.random((n - len(of), 2))
    return np.concatenate([crowns, np.column_stack([flat, 0.1 * rng.normal(size=len(flat))])])


def _height(rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    centers, heights, widths = SIDE * rng.random((6, 2)), rng.uniform(-1, 2, 6), rng.uniform(4, 10, 6)
    return lambda flat: sum(
        h * np.exp(-((flat - c) ** 2).sum(axis=1) / (2 * w**2))
        for c, h, w in zip(centers, heights, widths, strict=True)
    )


def _on(height: Callable[[np.ndarray], np.ndarray], flat: np.ndarray) -> np.ndarray:
    return np.column_stack([flat, height(flat)])


def _house_area(eave: float) -> float:
    long, wide = BUILDING, 0.8 * BUILDING
    return 2 * (long + wide) * eave + wide**2 / 2 * 0.8 + 2 * long * np.hypot(wide / 2, 0.4 * wide)


def _house(n: int, eave: float, rng: np.random.Generator) -> np.ndarray:
    """Return points on four walls, two gables and two roofs; the ridge runs along the first axis."""
    long, wide = BUILDING, 0.8 * BUILDING
    rise = 0.4 * wide
    areas = np.array([2 * long * eave, 2 * wide * (eave + rise), 2 * long * np.hypot(wide / 2, rise)])
    part = rng.choice(3, n, p=areas / areas.sum())
    u, v, far = rng.random(n), rng.random(n), rng.integers(0, 2, n)
    slope = rise * (1 - np.abs(2 * u - 1))  # height of a gable above the eave
    walls = np.column_stack([long * u, wide * far, eave * v])
    gables = np.column_stack([long * far, wide * u, (eave + rise) * v])
    roofs = np.column_stack([long * v, wide * u, eave + slope])
    found = np.choose(part[:, None], [walls, gables, roofs])
    return found[(part != 1) | (found[:, 2] <= eave + slope)]


def moving_least_squares(points: np.ndarray, radius: float) -> np.ndarray:
    """Project each point onto the quadratic height over the plane of its neighbors, with Gaussian weights."""
    return _by_parts(points, radius, _onto_quadric)


def bilateral(points: np.ndarray, radius: float, n_iter: int = 2) -> np.ndarray:
    """Move each point along its normal by the mean height of its neighbors; far and high ones count less."""
    for _ in range(n_iter):
        points = _by_parts(points, radius, _along_normal)
    return points


def _by_parts(points: np.ndarray, radius: float, function: Callable[..., np.ndarray]) -> np.ndarray:
    tree, moved = cKDTree(points), points.copy()
    for start in range(0, len(points), 2000):
        part = slice(start, start + 2000)
        far, rows = tree.query(points[part], k=min(200, len(points)), distance_upper_bound=radius)
        weights = np.where(np.isfinite(far), np.exp(-((far / (radius / 2)) ** 2) / 2), 0.0)
        off = points[np.minimum(rows, len(points) - 1)] - points[part, None]
        enough = np.isfinite(far).sum(axis=1) >= 8
        moved[part] += np.where(enough[:, None], function(off, weights), 0.0)
    return moved


def _axes(off: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of each neighborhood and its axes, the normal first."""
    share = weights / weights.sum(axis=1, keepdims=True)
    mean = np.einsum("ij,ija->ia", share, off)
    centered = off - mean[:, None]
    return mean, np.linalg.eigh((centered * share[:, :, None]).transpose(0, 2, 1) @ centered)[1]


def _onto_quadric(off: np.ndarray, weights: np.ndarray) -> np.ndarray:
    mean, axes = _axes(off, weights)
    local = (off - mean[:, None]) @ axes
    at = np.einsum("ia,iab->ib", -mean, axes)
    h, u, v = np.moveaxis(local, 2, 0)
    terms = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=2)
    heavy = (weights[:, :, None] * terms).transpose(0, 2, 1)
    fit = np.linalg.solve(heavy @ terms + 1e-9 * np.eye(6), heavy @ h[:, :, None])[:, :, 0]
    here = np.stack([np.ones(len(at)), at[:, 1], at[:, 2], at[:, 1] ** 2, at[:, 1] * at[:, 2], at[:, 2] ** 2], axis=1)
    return ((here * fit).sum(axis=1) - at[:, 0])[:, None] * axes[:, :, 0]


def _along_normal(off: np.ndarray, weights: np.ndarray) -> np.ndarray:
    normal = _axes(off, weights)[1][:, :, 0]
    heights = np.einsum("ija,ia->ij", off, normal)
    known = weights > 0
    width = np.sqrt((heights**2 * known).sum(axis=1) / known.sum(axis=1))[:, None] + 1e-12
    both = weights * np.exp(-((heights / width) ** 2) / 2)
    return ((both * heights).sum(axis=1) / both.sum(axis=1))[:, None] * normal


def run(n: str = "20000") -> list[Row]:
    peers = _peers()
    print("\nRMS distance to the truth / Chamfer distance, in meters; peers at their best radius")
    print(f"\n| scene | noise | before | wt.denoise | {' | '.join(peers)} | dim |")
    print(f"|---|---|---|---|{'---|' * len(peers)}---|")
    for name, draw in {"hills": hills, "buildings": buildings}.items():
        for noise in (0.01, 0.02, 0.03):
            print(_line(name, draw, noise, int(n), peers), flush=True)
    print("\n| points | moved, of how many clouds | largest movement | why |")
    print("|---|---|---|---|")
    for name, fill in volumes().items():
        found = [wt.denoise(fill(np.random.default_rng(seed))) for seed in _SEEDS]
        moved = [float(one.moved.max()) for one in found]
        why = found[0].reason.removeprefix("the points fill a volume: ").split(";")[0]
        print(f"| {name} | {np.count_nonzero(moved)} of {len(moved)} | {max(moved):.3g} | {why} |", flush=True)
    return []


def volumes() -> dict[str, Callable[[np.random.Generator], np.ndarray]]:
    """Return how to draw points that fill a volume."""
    return {
        "forest, 90 m": lambda rng: forest(20_000, rng),
        "forest, dense": lambda rng: forest(60_000, rng, side=60.0),
        "forest, 300 m": lambda rng: forest(100_000, rng, side=300.0),
        "room": lambda rng: rng.random((10_000, 3)) * [8, 6, 2.5],
        "hall": lambda rng: rng.random((10_000, 3)) * [30, 20, 2.5],
        "cube": lambda rng: rng.random((5000, 3)),
        "ball": lambda rng: _ball(5000, rng),
        "Gaussian": lambda rng: rng.normal(size=(5000, 3)),
        "flat Gaussian": lambda rng: rng.normal(size=(5000, 3)) * [3, 3, 1],
    }


def _ball(n: int, rng: np.random.Generator) -> np.ndarray:
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / 3)


def _peers() -> dict[str, Callable[[np.ndarray, float], np.ndarray]]:
    peers = {"moving least squares": moving_least_squares, "bilateral": bilateral}
    try:
        import open3d  # noqa: PLC0415  # version 0.20 or newer, if installed
    except ImportError:
        return peers

    def cloud(points: np.ndarray) -> Any:
        return open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))

    def mls(points: np.ndarray, radius: float) -> np.ndarray:
        search = open3d.geometry.KDTreeSearchParamHybrid(radius=radius, max_nn=200)
        return np.asarray(cloud(points).smooth_mls(search).points)

    def smooth_bilateral(points: np.ndarray, radius: float) -> np.ndarray:
        search = open3d.geometry.KDTreeSearchParamHybrid(radius=radius, max_nn=200)
        made = cloud(points)
        made.estimate_normals(search)
        return np.asarray(made.smooth_bilateral(search, radius / 2, radius / 2).points)

    return peers | {"Open3D MLS": mls, "Open3D bilateral": smooth_bilateral}


def _line(
    name: str, draw: Callable[[int, np.random.Generator], Scene], noise: float, n: int,
    peers: dict[str, Callable[[np.ndarray, float], np.ndarray]],
) -> str:  # fmt: skip
    found, dims = [], []
    for seed in _SEEDS:
        rng = np.random.default_rng(seed)
        scene = draw(n, rng)
        X = scene.clean + rng.normal(scale=noise * BUILDING, size=scene.clean.shape)
        ours, truth = wt.denoise(X), cKDTree(scene.truth)
        best = [min(_errors(smooth(X, radius), scene, truth) for radius in _RADII) for smooth in peers.values()]
        found.append([_errors(X, scene, truth), _errors(ours.points, scene, truth), *best])
        dims.append(str(ours.dim))
    cells = [f"{rms:.3f} / {chamfer:.3f}" for rms, chamfer in np.mean(found, axis=0)]
    return f"| {name} | {noise:.0%} | {' | '.join(cells)} | {'/'.join(dims)} |"


def _errors(points: np.ndarray, scene: Scene, truth: cKDTree) -> tuple[float, float]:
    """Return the root mean square distance to the truth, and the mean of both mean distances (Chamfer)."""
    near = scene.truth[truth.query(points, k=6)[1]]  # the plane of six samples: the distance to one is never below 0.02
    center, normals = near.mean(axis=1), np.linalg.svd(near - near.mean(axis=1, keepdims=True))[2][:, 2]
    far = np.abs(((points - center) * normals).sum(axis=1))
    back = cKDTree(points).query(scene.truth[::20])[0]
    return float(np.sqrt((far**2).mean())), float((far.mean() + back.mean()) / 2)
