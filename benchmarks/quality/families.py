"""Labelled point sets, made by chance from a seed: shapes of many kinds, all drawn here, none taken from a collection.

The judge of `wt.cluster` is trained on these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

Rng = np.random.Generator
Parts = list[np.ndarray]


def generate(seed: int, family: str | None = None) -> tuple[str, np.ndarray, np.ndarray]:
    """The family, points of shape (n, m), and labels 1, 2, …; 0 is noise that belongs to no cluster."""
    rng = np.random.default_rng(seed)
    name = family or sorted(FAMILIES)[seed % len(FAMILIES)]
    parts = FAMILIES[name](rng)
    X = np.concatenate(parts)
    y = np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts])
    if (rng.random() < 0.2 and name not in _NO_NOISE) or name in _IN_NOISE:
        X, y = _with_background(rng, X, y, rng.uniform(0.01, 0.2))
    X = X @ _rotation(rng, X.shape[1]).T * 10 ** rng.uniform(-2, 3)
    order = rng.permutation(len(X))
    return name, X[order], y[order]


def _rotation(rng: Rng, m: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(m, m)))[0]


def _with_background(rng: Rng, X: np.ndarray, y: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    low, high = X.min(0), X.max(0)
    pad = 0.1 * (high - low)
    noise = rng.uniform(low - pad, high + pad, (max(2, int(share * len(X))), X.shape[1]))
    return np.concatenate([X, noise]), np.concatenate([y, np.zeros(len(noise), int)])


def _sizes(rng: Rng, k: int, low: int = 40, high: int = 300, uneven: float = 0.5) -> list[int]:
    base = rng.integers(low, high)
    return [max(20, int(base * np.exp(uneven * rng.normal()))) for _ in range(k)]


def _apart(rng: Rng, k: int, m: int, least: float) -> np.ndarray:
    """Centers with at least this distance, in a cube that is just large enough."""
    side = least
    while True:
        side *= 1.1
        out = [rng.uniform(0, side, m)]
        for _ in range(200 * k):
            c = rng.uniform(0, side, m)
            if np.linalg.norm(np.array(out) - c, axis=1).min() >= least:
                out.append(c)
            if len(out) >= k:
                return np.array(out[:k])


def _blobs(rng: Rng, k: int, m: int, least: float, spread: float, stretch: float, uneven: float) -> Parts:
    centers = _apart(rng, k, m, least)
    parts = []
    for center, n in zip(centers, _sizes(rng, k, uneven=uneven), strict=True):
        axes = np.exp(stretch * rng.normal(size=m))
        shape = _rotation(rng, m) * (axes / np.exp(np.log(axes).mean())) * np.exp(spread * rng.normal())
        parts.append(center + rng.normal(size=(n, m)) @ shape.T)
    return parts


def blobs_round(rng: Rng) -> Parts:
    return _blobs(rng, rng.integers(2, 16), rng.choice([2, 2, 3]), rng.uniform(3.5, 7), 0.0, 0.0, rng.choice([0, 0.5]))


def blobs_of_sizes(rng: Rng) -> Parts:
    return _blobs(rng, rng.integers(2, 9), rng.choice([2, 2, 3]), rng.uniform(5, 9), 0.5, 0.1, 0.6)


def blobs_long(rng: Rng) -> Parts:
    return _blobs(rng, rng.integers(2, 9), rng.choice([2, 2, 3]), rng.uniform(4, 8), 0.2, 0.7, 0.4)


def blobs_overlapping(rng: Rng) -> Parts:
    return _blobs(rng, rng.integers(2, 16), rng.choice([2, 2, 2, 3]), rng.uniform(2.6, 3.8), 0.1, 0.3, 0.2)


def blobs_unbalanced(rng: Rng) -> Parts:
    parts = _blobs(rng, rng.integers(3, 9), 2, rng.uniform(6, 10), 0.3, 0.1, 0.0)
    return [np.repeat(p, 1, 0)[: max(15, len(p) // rng.choice([1, 1, 3, 8]))] for p in parts]


def blobs_many_axes(rng: Rng) -> Parts:
    m = int(rng.integers(4, 13))
    return _blobs(rng, rng.integers(2, 7), m, rng.uniform(4, 8) * np.sqrt(m / 3), 0.3, 0.3, 0.3)


def heavy_tails(rng: Rng) -> Parts:
    k = rng.integers(2, 7)
    centers = _apart(rng, k, 2, rng.uniform(7, 12))
    return [c + rng.standard_t(rng.uniform(2.5, 5), (n, 2)) for c, n in zip(centers, _sizes(rng, k), strict=True)]


def moons(rng: Rng) -> Parts:
    pairs, parts = rng.integers(1, 3), []
    noise = rng.uniform(0.03, 0.13)
    for p in range(pairs):
        for side in (1, -1):
            n = _sizes(rng, 1, 60, 400)[0]
            t = rng.uniform(0, np.pi, n)
            shift = np.array([1.0, rng.uniform(0.2, 0.5)]) * (side < 0)
            arc = np.column_stack([np.cos(t), side * np.sin(t)]) + shift
            parts.append(arc + [4.0 * p, 0] + noise * rng.normal(size=(n, 2)))
    return parts


def arcs(rng: Rng) -> Parts:
    """An open ring around blobs, or two arcs of other densities."""
    n1, n2 = rng.integers(80, 300), rng.integers(40, 300)
    t = rng.uniform(0, rng.uniform(1.0, 1.75) * np.pi, n1)
    noise = rng.uniform(0.04, 0.1)
    arc = np.column_stack([np.cos(t), np.sin(t)]) + noise * rng.normal(size=(n1, 2))
    if rng.random() < 0.5:
        s = rng.uniform(0.12, 0.2)
        gap = rng.uniform(2.2, 3.2) * s
        return [arc] + [s * rng.normal(size=(n2, 2)) * 0.8 + [x, 0] for x in (-gap / 1.2, gap / 1.2)]
    t = rng.uniform(0, np.pi, n2)
    return [arc, np.column_stack([np.cos(t) * 0.9, -np.sin(t) * 0.9]) * 0.55 + noise * rng.normal(size=(n2, 2))]


def _ring(rng: Rng, n: int, r: float, noise: float, even: bool = False) -> np.ndarray:
    t = np.arange(n) / n * 2 * np.pi if even else rng.uniform(0, 2 * np.pi, n)
    return r * np.column_stack([np.cos(t), np.sin(t)]) + noise * rng.normal(size=(n, 2))


def rings_nested(rng: Rng) -> Parts:
    k, noise = rng.integers(2, 5), rng.uniform(0.02, 0.11)
    parts = [_ring(rng, int(80 * (i + 1) * rng.uniform(0.6, 2)), i + 1.0, noise) for i in range(k)]
    if rng.random() < 0.5:
        parts.append(rng.normal(size=(rng.integers(40, 150), 2)) * rng.uniform(0.1, 0.25))
    return parts


def rings_apart(rng: Rng) -> Parts:
    k = rng.integers(2, 6)
    centers = _apart(rng, k, 2, rng.uniform(2.3, 3.2))
    noise = rng.uniform(0.02, 0.1)
    even = rng.random() < 0.3
    return [
        c + _ring(rng, n, rng.uniform(0.7, 1.0), 0 if even else noise, even)
        for c, n in zip(centers, _sizes(rng, k), strict=True)
    ]


def spirals(rng: Rng) -> Parts:
    k, turns, noise = rng.integers(2, 4), rng.uniform(0.8, 1.8), rng.uniform(0.0, 0.05)
    parts = []
    for i in range(k):
        n = int(rng.integers(90, 350))
        t = np.sqrt(rng.uniform(0.05, 1, n)) if rng.random() < 0.7 else np.linspace(0.15, 1, n)
        a = 2 * np.pi * (turns * t + i / k)
        parts.append(np.column_stack([t * np.cos(a), t * np.sin(a)]) + noise / turns * rng.normal(size=(n, 2)))
    return parts


def stripes(rng: Rng) -> Parts:
    k, width = rng.integers(2, 6), rng.uniform(0.02, 0.15)
    return [
        np.column_stack([rng.uniform(0, 5, n), i + width * rng.normal(size=n)])
        for i, n in enumerate(_sizes(rng, k, 60, 400))
    ]


def waves(rng: Rng) -> Parts:
    k, noise, amp, f = rng.integers(2, 5), rng.uniform(0.02, 0.12), rng.uniform(0.5, 2), rng.uniform(0.5, 2)
    parts = []
    for i, n in enumerate(_sizes(rng, k, 80, 400)):
        x = rng.uniform(0, 6, n)
        parts.append(np.column_stack([x, i + amp * np.sin(f * x) + noise * rng.normal(size=n)]))
    return parts


def zigzags(rng: Rng) -> Parts:
    k, noise, teeth = rng.integers(2, 5), rng.uniform(0.01, 0.08), rng.uniform(0.5, 1.5)
    parts = []
    for i, n in enumerate(_sizes(rng, k, 60, 200)):
        x = rng.uniform(0, 5, n)
        y = teeth * 2 * np.abs(x % 1 - 0.5) + i * rng.uniform(0.6, 1.2)
        parts.append(np.column_stack([x, y]) + noise * rng.normal(size=(n, 2)))
    return parts


def _bar(rng: Rng, n: int, a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
    t = rng.uniform(0, 1, (n, 1))
    return a + t * (b - a) + width * rng.normal(size=(n, 2))


def crossing(rng: Rng) -> Parts:
    """Arms that meet in a middle, with or without a blob there."""
    arms, width = rng.integers(3, 6), rng.uniform(0.01, 0.08)
    turn = rng.uniform(0, 2 * np.pi)
    angles = turn + (np.arange(arms) + rng.uniform(-0.1, 0.1, arms)) * 2 * np.pi / arms
    blob = rng.random() < 0.5
    start = rng.uniform(0.1, 0.25) if blob else 0.0
    parts = []
    for angle, n in zip(angles, _sizes(rng, arms, 80, 400, 0.3), strict=True):
        u = np.array([np.cos(angle), np.sin(angle)])
        parts.append(_bar(rng, n, start * u, u * rng.uniform(0.8, 1.3), width))
    if blob:
        parts.append(rng.normal(size=(rng.integers(60, 250), 2)) * start / 2)
    return parts


def beads(rng: Rng) -> Parts:
    """Blobs joined by bars: each blob and each bar is a cluster."""
    k, width, size = rng.integers(2, 5), rng.uniform(0.02, 0.06), rng.uniform(0.12, 0.25)
    centers = _apart(rng, k, 2, rng.uniform(1.5, 2.5))
    parts = [c + size * rng.normal(size=(n, 2)) for c, n in zip(centers, _sizes(rng, k, 80, 250, 0.2), strict=True)]
    for a, b in pairwise(centers):
        u = (b - a) / np.linalg.norm(b - a)
        parts.append(_bar(rng, int(rng.integers(60, 250)), a + 2 * size * u, b - 2 * size * u, width))
    return parts


def bridges(rng: Rng) -> Parts:
    """Blobs with thin chains of points between them, which belong to whatever they are nearer to."""
    k = rng.integers(2, 5)
    centers = _apart(rng, k, 2, rng.uniform(7, 10))
    parts = [c + rng.normal(size=(n, 2)) for c, n in zip(centers, _sizes(rng, k, 80, 300, 0.3), strict=True)]
    for i in range(k - 1):
        t = np.linspace(0.0, 0.5, rng.integers(4, 12))[:, None]
        a, b = centers[i], centers[i + 1]
        parts[i] = np.concatenate([parts[i], a + t * (b - a) + 0.1 * rng.normal(size=(len(t), 2))])
        parts[i + 1] = np.concatenate([parts[i + 1], b + t * (a - b) + 0.1 * rng.normal(size=(len(t), 2))])
    return parts


def mazes(rng: Rng) -> Parts:
    """Regions of a grid of squares, apart by a gap: grown at random."""
    side, k, gap = int(rng.integers(3, 7)), int(rng.integers(2, 7)), rng.uniform(0.06, 0.2)
    owner = np.full((side, side), -1)
    seeds = rng.permutation(side * side)[:k]
    owner.flat[seeds] = np.arange(k)
    for _ in range(rng.integers(side, 3 * side * side)):
        i, j = rng.integers(0, side, 2)
        a, b = rng.permutation([(1, 0), (-1, 0), (0, 1), (0, -1)])[0]
        if owner[i, j] >= 0 and 0 <= i + a < side and 0 <= j + b < side and owner[i + a, j + b] < 0:
            owner[i + a, j + b] = owner[i, j]
    density = rng.uniform(60, 250)
    parts = []
    for c in range(k):
        own = density * np.exp(0.5 * rng.normal()) if rng.random() < 0.5 else density
        points = []
        for i, j in zip(*np.nonzero(owner == c), strict=True):
            low, high = np.array([i, j], float), np.array([i + 1.0, j + 1.0])
            for axis, (a, b) in enumerate([(1, 0), (0, 1)]):
                if i + a >= side or j + b >= side or owner[i + a, j + b] != c:
                    high[axis] -= gap / 2
                if i - a < 0 or j - b < 0 or owner[i - a, j - b] != c:
                    low[axis] += gap / 2
            points.append(rng.uniform(low, high, (max(10, rng.poisson(own)), 2)))
        parts.append(np.concatenate(points))
    return parts


def squares_touching(rng: Rng) -> Parts:
    """Squares that meet at a corner or side, of other densities or nearly apart."""
    k = int(rng.integers(2, 5))
    n, parts, at = int(rng.integers(100, 500)), [], np.zeros(2)
    gap = rng.uniform(0.0, 0.12)
    for _ in range(k):
        own = max(25, int(n * rng.choice([1, 1, 0.25])))
        parts.append(rng.uniform(0, 1, (own, 2)) + at)
        at = at + ([1 + gap, rng.uniform(0.6, 1.0)] if rng.random() < 0.6 else [1 + gap, 0.0])
    return parts


def densities(rng: Rng) -> Parts:
    """A dense blob or shape inside or beside a thin cloud."""
    n = int(rng.integers(100, 500))
    thin = rng.uniform(-1, 1, (max(40, n // rng.integers(2, 6)), 2)) * 2
    dense = rng.normal(size=(n, 2)) * rng.uniform(0.15, 0.3) + rng.uniform(-1, 1, 2)
    far = np.linalg.norm(thin - dense.mean(0), axis=1) > 2.5 * dense.std()
    parts = [thin[far], dense]
    if rng.random() < 0.5:
        parts.append(rng.normal(size=(int(rng.integers(50, 200)), 2)) * 0.3 + [4.5, 0])
    return parts


def gradients(rng: Rng) -> Parts:
    """Slabs whose density rises toward the gap between them."""
    n, gap, power = int(rng.integers(150, 600)), rng.uniform(0.1, 0.3), rng.uniform(1.0, 2.5)
    out = []
    for side in (1, -1):
        x = 1 - rng.uniform(0, 1, n) ** (1 / power) if side > 0 else -(1 - rng.uniform(0, 1, n) ** (1 / power))
        out.append(np.column_stack([rng.uniform(0, 2, n) + (side > 0) * rng.uniform(0, 1), x + side * gap / 2]))
    return out


def strokes(rng: Rng) -> Parts:
    """Smooth random curves, thick or thin, apart from each other."""
    k, noise = int(rng.integers(2, 6)), rng.uniform(0.02, 0.1)
    parts: Parts = []
    tries = 0
    while len(parts) < k and tries < 400:
        tries += 1
        steps = rng.normal(scale=0.25, size=60)
        angle = np.cumsum(steps) * rng.uniform(0.1, 1.0) + rng.uniform(0, 2 * np.pi)
        line = np.cumsum(np.column_stack([np.cos(angle), np.sin(angle)]) * 0.07, axis=0) + rng.uniform(-2, 2, 2)
        n = int(rng.integers(80, 300))
        at = rng.uniform(0, len(line) - 1, n)
        i = at.astype(int)
        points = line[i] + (at - i)[:, None] * (line[i + 1] - line[i]) + noise * rng.normal(size=(n, 2))
        if all(np.min(np.linalg.norm(points[::3, None] - p[None, ::3], axis=2)) > 0.15 for p in parts):
            parts.append(points)
    return parts if len(parts) > 1 else strokes(rng)


def shapes_in_noise(rng: Rng) -> Parts:
    return (strokes if rng.random() < 0.6 else mazes)(rng)


def targets(rng: Rng) -> Parts:
    disc = rng.normal(size=(rng.integers(80, 300), 2)) * 0.3
    ring = _ring(rng, int(rng.integers(150, 400)), rng.uniform(1.5, 2.5), 0.08)
    far = np.array([(-5, -5), (5, 5), (-5, 5), (5, -5)])[: rng.integers(0, 5)]
    return [disc, ring, *(corner + 0.2 * rng.normal(size=(rng.integers(20, 60), 2)) for corner in far)]


def segments(rng: Rng) -> Parts:
    """Pieces of one line, or clusters in one row."""
    k = int(rng.integers(2, 6))
    width, at, parts = rng.uniform(0.0, 0.1), 0.0, []
    for n in _sizes(rng, k, 40, 200):
        long = rng.uniform(0.5, 2)
        parts.append(np.column_stack([at + rng.uniform(0, long, n), width * rng.normal(size=n)]))
        at += long + rng.uniform(0.2, 0.6)
    return parts


def corners(rng: Rng) -> Parts:
    """Bars that end on each other: T and L."""
    width, n = rng.uniform(0.01, 0.06), int(rng.integers(80, 300))
    a = _bar(rng, n, np.array([-1.0, 0]), np.array([1.0, 0]), width)
    at = rng.choice([0.0, 1.0, 0.5])
    b = _bar(rng, n, np.array([at, 3 * width]), np.array([at + rng.uniform(-0.5, 0.5), rng.uniform(1, 2)]), width)
    return [a, b]


def linked_rings(rng: Rng) -> Parts:
    noise = rng.uniform(0.02, 0.12)
    n1, n2 = rng.integers(150, 500, 2)
    flat = _ring(rng, int(n1), 1.0, 0.0)
    up = _ring(rng, int(n2), 1.0, 0.0)
    a = np.column_stack([flat, np.zeros(len(flat))])
    b = np.column_stack([up[:, 0] + 1, np.zeros(len(up)), up[:, 1]])
    return [p + noise * rng.normal(size=p.shape) for p in (a, b)]


def shells(rng: Rng) -> Parts:
    """A ball inside a sphere, in space."""
    u = rng.normal(size=(int(rng.integers(200, 600)), 3))
    shell = u / np.linalg.norm(u, axis=1, keepdims=True) * rng.uniform(2, 4) + rng.uniform(0.02, 0.15) * rng.normal(
        size=u.shape
    )
    return [shell, rng.normal(size=(int(rng.integers(100, 400)), 3)) * rng.uniform(0.2, 0.5)]


def planes(rng: Rng) -> Parts:
    k, noise = int(rng.integers(2, 4)), rng.uniform(0.02, 0.08)
    return [
        np.column_stack([rng.uniform(0, 2, (n, 2)), noise * rng.normal(size=n) + 0.5 * i])
        for i, n in enumerate(_sizes(rng, k, 150, 500, 0.2))
    ]


def crescents_and_blobs(rng: Rng) -> Parts:
    """Parts of several kinds in one picture."""
    makers = [moons, rings_apart, stripes, blobs_long, spirals, rings_nested]
    parts: Parts = []
    for i in range(int(rng.integers(2, 4))):
        some = makers[rng.integers(len(makers))](rng)
        if some[0].shape[1] != 2:
            continue
        whole = np.concatenate(some)
        size = np.abs(whole - whole.mean(0)).max()
        parts += [(p - whole.mean(0)) / size + [2.4 * i, 0] for p in some]
    return parts or moons(rng)


def one_blob(rng: Rng) -> Parts:
    return _blobs(rng, 1, int(rng.choice([2, 2, 3, 5])), 1.0, 0.0, 0.6, 0.5)


def one_patch(rng: Rng) -> Parts:
    """One square, disc, triangle or heavy-tailed cloud."""
    n, kind = int(rng.integers(60, 900)), rng.integers(4)
    square = rng.uniform(-1, 1, (n, 2)) * [1, rng.uniform(0.3, 1)]
    if kind == 0:
        return [square]
    if kind == 1:
        return [square[np.linalg.norm(square, axis=1) < 1]]
    if kind == 2:
        return [square[square.sum(axis=1) < 0]]
    return [rng.standard_t(rng.uniform(3, 8), (n, 2))]


def one_curve(rng: Rng) -> Parts:
    """One ring, arc, wave or line."""
    n, kind, noise = int(rng.integers(60, 600)), rng.integers(3), rng.uniform(0.0, 0.1)
    if kind == 0:
        return [_ring(rng, n, 1.0, noise, bool(rng.random() < 0.3))]
    t = rng.uniform(0, rng.uniform(2, 5), n)
    bend = np.sin(t) if kind == 1 else 0 * t
    return [np.column_stack([t, bend]) + noise * rng.normal(size=(n, 2))]


def on_a_line(rng: Rng) -> Parts:
    """Clusters of single numbers."""
    k, at, parts = int(rng.integers(2, 7)), 0.0, []
    for n in _sizes(rng, k, 30, 250):
        wide = np.exp(0.4 * rng.normal())
        at += wide * rng.uniform(2.5, 5)
        parts.append(at + wide * (rng.normal(size=(n, 1)) if rng.random() < 0.6 else rng.uniform(-1.7, 1.7, (n, 1))))
        at += wide * 2.5
    return parts


def one_on_a_line(rng: Rng) -> Parts:
    n = int(rng.integers(40, 600))
    kinds = [rng.normal(size=(n, 1)), rng.uniform(0, 1, (n, 1)), rng.exponential(size=(n, 1))]
    return [kinds[rng.integers(3)]]


def one_in_space(rng: Rng) -> Parts:
    """One cloud with more axes, or one surface."""
    n, m = int(rng.integers(60, 700)), int(rng.integers(3, 13))
    kind = rng.integers(3)
    if kind == 0:
        return [rng.normal(size=(n, m)) * np.exp(0.4 * rng.normal(size=m))]
    if kind == 1:
        return [rng.uniform(0, 1, (n, min(m, 5)))]
    u = rng.normal(size=(n, 3))
    return [u / np.linalg.norm(u, axis=1, keepdims=True) + 0.03 * rng.normal(size=(n, 3))]


def islands(rng: Rng) -> Parts:
    """Few points in groups far apart."""
    k, m = int(rng.integers(2, 8)), int(rng.choice([1, 2, 2, 3]))
    centers = _apart(rng, k, m, rng.uniform(8, 20))
    sizes = rng.integers(4, 16, k) if k > 3 else rng.integers(10, 30, k)
    return [c + rng.normal(size=(n, m)) * np.exp(0.4 * rng.normal()) for c, n in zip(centers, sizes, strict=True)]


def ring_and_blob(rng: Rng) -> Parts:
    """A ring that touches a blob, or two."""
    radius, noise = rng.uniform(0.8, 1.5), rng.uniform(0.03, 0.1)
    ring = _ring(rng, int(rng.integers(100, 500)), radius, noise)
    parts = [ring]
    for turn in rng.permutation(4)[: rng.integers(1, 3)] * np.pi / 2:
        size = rng.uniform(0.15, 0.4)
        at = (radius + size * rng.uniform(1.2, 2.2)) * np.array([np.cos(turn), np.sin(turn)])
        parts.append(at + size * rng.normal(size=(int(rng.integers(60, 300)), 2)) * 0.7)
    return parts


def disc_in_disc(rng: Rng) -> Parts:
    """A dense disc or ball in a thin one, or beside its middle."""
    m = int(rng.choice([2, 2, 3]))
    u = rng.normal(size=(int(rng.integers(100, 600)), m))
    thin = u / np.linalg.norm(u, axis=1, keepdims=True) * rng.uniform(0, 1, (len(u), 1)) ** (1 / m)
    size, at = rng.uniform(0.15, 0.4), rng.uniform(-0.3, 0.3, m)
    n = int(len(u) * size**m * rng.uniform(4, 20)) + 20
    v = rng.normal(size=(min(n, 800), m))
    dense = at + size * v / np.linalg.norm(v, axis=1, keepdims=True) * rng.uniform(0, 1, (len(v), 1)) ** (1 / m)
    return [thin[np.linalg.norm(thin - at, axis=1) > size], dense]


def _ball(rng: Rng, n: int, m: int) -> np.ndarray:
    return _sphere(rng, n, m) * rng.uniform(0, 1, (n, 1)) ** (1 / m)


def _sphere(rng: Rng, n: int, m: int) -> np.ndarray:
    u = rng.normal(size=(n, m))
    return np.asarray(u / np.linalg.norm(u, axis=1, keepdims=True))


def _log_uniform(rng: Rng, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _placed(rng: Rng, radii: np.ndarray, m: int, factor: float) -> np.ndarray:
    """Centers of balls that keep apart: distances are at least the factor times the sum of both radii."""
    side = factor * float(((2 * radii) ** m).sum() ** (1 / m)) * rng.uniform(0.9, 1.4)
    out = rng.uniform(-side / 2, side / 2, (1, m))
    while len(out) < len(radii):
        i = len(out)
        tries = rng.uniform(-side / 2, side / 2, (60, m))
        clear = np.linalg.norm(tries[:, None] - out, axis=2) >= factor * (radii[:i] + radii[i])
        good = np.flatnonzero(clear.all(axis=1))
        side *= 1.0 if len(good) else 1.05
        out = np.concatenate([out, tries[good[:1]]])
    return out


def _cut(rng: Rng, owner: Callable[[np.ndarray], np.ndarray], n: int, m: int = 2) -> Parts:
    """About n points of even density in the cube from -1 to 1, by owners 0, 1, …; where that is -1 there are none."""
    share = max(0.01, (owner(rng.uniform(-1, 1, (4000, m))) >= 0).mean())
    if rng.random() < 0.3:
        side = round((n / share) ** (1 / m))
        grid = np.stack(np.meshgrid(*[np.arange(side)] * m), axis=-1).reshape(-1, m)
        X = (grid + 0.5 + rng.uniform(-0.4, 0.4, grid.shape)) * 2 / side - 1
    else:
        X = rng.uniform(-1, 1, (int(n / share), m))
    own = owner(X)
    return [X[own == i] for i in range(own.max() + 1) if (own == i).sum() >= 10]


def _length(line: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def _along(rng: Rng, line: np.ndarray, n: int, width: float, even: bool) -> np.ndarray:
    """Points along a line of many places, at equal or random steps, in a band."""
    at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    t = (np.arange(n) + 0.5) / n if even else rng.uniform(0, 1, n)
    points = np.column_stack([np.interp(t * at[-1], at, column) for column in line.T])
    return points + width / 2 * _ball(rng, n, line.shape[1])


def _drawn(rng: Rng, lines: Parts, gap: float) -> Parts:
    """Lines of one density and thickness, whose points are nearer to each other than to lines a gap away."""
    even = bool(rng.random() < 0.4)
    width = gap * rng.choice([0.0, rng.uniform(0, 0.6)])
    step = (gap - width) * (rng.uniform(0.12, 0.6) if even else rng.uniform(0.05, 0.18))
    step = max(step, sum(map(_length, lines)) / 2500)
    return [_along(rng, line, max(20, int(_length(line) / step)), width, even) for line in lines]


def _circle(start: float = 0.0, turn: float = 2 * np.pi) -> np.ndarray:
    t = start + np.linspace(0, turn, 200)
    return np.column_stack([np.cos(t), np.sin(t)])


def _on_grid(rng: Rng, shapes: Parts, gap: float) -> Parts:
    """Shapes in the cells of a grid, side by side; the gap is a share of the largest extent."""
    spans, side = (
        np.array([np.ptp(s, axis=0) for s in shapes]).max(axis=0) * (1 + gap),
        int(np.ceil(len(shapes) ** 0.5)),
    )
    cells = np.column_stack(np.divmod(rng.permutation(side**2)[: len(shapes)], side))
    return [s - (s.min(0) + s.max(0)) / 2 + spans * cell for s, cell in zip(shapes, cells, strict=True)]


def rings_even(rng: Rng) -> Parts:
    """Rings and ellipses apart, of one density; in space each lies its own way."""
    k, m, flat = int(rng.integers(2, 9)), int(rng.choice([2, 2, 3])), rng.uniform(0.5, 1.0)
    radii, factor = rng.uniform(rng.uniform(0.4, 1.0), 1.0, k), rng.uniform(1.15, 1.8)
    lines = [
        c + r * (_circle() * rng.uniform([flat, flat], 1.0)) @ _rotation(rng, m)[:2]
        for c, r in zip(_placed(rng, radii, m, factor), radii, strict=True)
    ]
    return _drawn(rng, lines, 2 * radii.min() * min(0.4, factor - 1))


def rings_even_nested(rng: Rng) -> Parts:
    """Rings or ellipses around one center, of one density, or as many points on each."""
    k, start, flat = int(rng.integers(2, 7)), rng.uniform(0.5, 2.0), rng.uniform(0.5, 1.0)
    lines = [_circle() * [1, flat] * (start + i) for i in range(k)]
    parts = _drawn(rng, lines, flat)
    if rng.random() < 0.3:
        parts = [part[rng.permutation(len(part))[: max(40, len(parts[0]))]] for part in parts]
    if rng.random() < 0.3:
        parts.append(_ball(rng, int(rng.integers(20, 100)), 2) * rng.uniform(0.05, 0.3) * start * flat)
    return parts


def arcs_concentric(rng: Rng) -> Parts:
    lines = [
        _circle(rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1.8) * np.pi) * (i + rng.uniform(0.9, 1.1))
        for i in range(1, int(rng.integers(3, 8)))
    ]
    return _drawn(rng, lines, 0.8)


def spirals_even(rng: Rng) -> Parts:
    """Arms of one density from a middle."""
    k, turns, start = int(rng.integers(2, 5)), rng.uniform(0.6, 2.2), rng.uniform(0.15, 0.4)
    t = np.linspace(start, 1, 300)
    angles = [2 * np.pi * (turns * t + i / k) for i in range(k)]
    return _drawn(rng, [np.column_stack([t * np.cos(a), t * np.sin(a)]) for a in angles], min(start, 0.7 / turns / k))


def helices(rng: Rng) -> Parts:
    k, turns, pitch = int(rng.integers(2, 4)), rng.uniform(0.8, 3), rng.uniform(1.5, 5)
    t = np.linspace(0, turns, 300)
    angles = [2 * np.pi * (t + i / k) for i in range(k)]
    return _drawn(rng, [np.column_stack([np.cos(a), np.sin(a), pitch * t]) for a in angles], 0.6 * min(2, pitch / k))


def annuli(rng: Rng) -> Parts:
    """Thick rings of one uniform density around each other, or a disc in the middle of them."""
    k = int(rng.integers(2, 5))
    widths, gaps = rng.uniform(0.3, 1.0, k), rng.uniform(0.2, 0.7, k)
    closest = gaps[1:].min() * rng.uniform(0.3, 0.8)
    gaps[0] *= rng.choice([0.0, 1.0, 3.0])
    inner = np.cumsum(gaps + widths) - widths
    edges = np.column_stack([inner, inner + widths]).ravel()
    n = int(np.clip(np.pi * (edges[1::2] ** 2 - edges[::2] ** 2).sum() / closest**2, 100 * k, 2600))

    def owner(X: np.ndarray) -> np.ndarray:
        at = np.searchsorted(edges, edges[-1] * np.linalg.norm(X, axis=1))
        return np.where(at % 2 == 1, at // 2, -1)

    return _cut(rng, owner, n)


def discs_in_rings(rng: Rng) -> Parts:
    """Discs or balls, each in a ring or sphere of its own."""
    m, parts = int(rng.choice([2, 2, 3])), []
    k, n, wide = int(rng.integers(1, 5)), int(_log_uniform(rng, 80, 400)), rng.uniform(0.03, 0.4)
    disc = rng.uniform(0.15, 0.75) * (1 - wide)
    for c in _placed(rng, np.ones(k), m, rng.uniform(1.1, 1.5)):
        u = _sphere(rng, n, m) * rng.uniform((1 - wide) ** m, 1, (n, 1)) ** (1 / m)
        parts += [c + u, c + disc * _ball(rng, max(25, int(n * rng.uniform(0.15, 0.9))), m)]
    return parts


def discs_in_discs(rng: Rng) -> Parts:
    """Dense discs or balls in a thin one, each of uniform density, which end where the other begins."""
    m, k, ratio = int(rng.choice([2, 2, 3])), int(rng.integers(1, 5)), _log_uniform(rng, 3, 20)
    radii = rng.uniform(0.1, 0.45 if k == 1 else 0.5 / np.sqrt(k) + 0.02, k)
    centers = _placed(rng, radii, m, rng.uniform(1.1, 1.5))
    centers = centers - centers.mean(axis=0) + rng.uniform(-0.4, 0.4, m) / k
    reach = (np.linalg.norm(centers, axis=1) + radii).max()
    size = max(0.9, reach) * rng.uniform(1.05, 1.5)
    thin = size * _ball(rng, int(rng.integers(200, 800)), m)
    away = np.linalg.norm(thin[:, None] - centers, axis=2)
    counts = np.clip(len(thin) * (radii / size) ** m * ratio, 40, 700).astype(int)
    dense = [c + r * _ball(rng, n, m) for c, r, n in zip(centers, radii, counts, strict=True)]
    return [thin[(away > radii).all(axis=1)], *dense]


def groups_at_scales(rng: Rng) -> Parts:
    """Groups from narrow to up to a hundred times as wide, all apart by their own measure."""
    k, m, widest = int(rng.integers(2, 9)), int(rng.choice([2, 2, 3])), _log_uniform(rng, 4, 100)
    radii = np.exp(rng.uniform(0, np.log(widest), k))
    radii[:2] = 1, widest
    centers, n = _placed(rng, radii[::-1], m, rng.uniform(1.2, 2.5))[::-1], _sizes(rng, k, 30, 300)
    normal = rng.random() < 0.5
    return [
        c + r * (rng.normal(size=(size, m)) / 3 if normal else _ball(rng, size, m))
        for c, r, size in zip(centers, radii, n, strict=True)
    ]


def groups_of_groups(rng: Rng) -> Parts:
    """Groups of groups: where all inner ones are apart, each is a cluster; where they overlap, the outer ones are."""
    k, m, fine = int(rng.integers(2, 6)), int(rng.choice([2, 2, 3])), rng.random() < 0.6
    groups: list[Parts] = []
    for inner in rng.integers(2, 6, k):
        spread = rng.uniform(0.4 if fine else 0.8, 1.0, inner)
        places = _placed(rng, 3 * spread, m, rng.uniform(1.3, 1.9)) if fine else 1.2 * _ball(rng, inner, m)
        groups.append(_normals(rng, places - places.mean(axis=0), spread, _sizes(rng, int(inner), 20, 80, 0.3)))
    radii = np.array([np.linalg.norm(np.concatenate(group), axis=1).max() for group in groups])
    centers = _placed(rng, radii, m, rng.uniform(1.1, 1.8))
    moved = [[part + c for part in group] for group, c in zip(groups, centers, strict=True)]
    return [part for group in moved for part in (group if fine else [np.concatenate(group)])]


def _normals(rng: Rng, centers: np.ndarray, spread: np.ndarray, sizes: Iterable[int]) -> Parts:
    """Round groups."""
    m = centers.shape[1]
    return [c + s * rng.normal(size=(n, m)) for c, s, n in zip(centers, spread, sizes, strict=True)]


def islands_and_large(rng: Rng) -> Parts:
    """Small groups of few points beside large ones."""
    large, small, m = int(rng.integers(1, 4)), int(rng.integers(3, 13)), int(rng.choice([2, 2, 3]))
    sizes = [*rng.integers(150, 700, large), *rng.integers(6, 26, small)]
    spread = np.concatenate([rng.uniform(0.7, 1.5, large), rng.uniform(0.05, 0.5, small)])
    return _normals(rng, _placed(rng, 3 * spread, m, rng.uniform(1.2, 2.2)), spread, sizes)


def groups_unequal(rng: Rng) -> Parts:
    """Large dense groups and small thin ones, with up to fifty times fewer points."""
    large, small, m = int(rng.integers(1, 5)), int(rng.integers(2, 8)), int(rng.choice([2, 2, 2, 3]))
    n, ratio = int(_log_uniform(rng, 250, 800)), _log_uniform(rng, 8, 50)
    sizes = [n] * large + [max(12, int(n / ratio * rng.uniform(0.7, 1.4)))] * small
    spread = np.concatenate([rng.uniform(0.6, 1.0, large), rng.uniform(0.6, 1.6, small)])
    return _normals(rng, _placed(rng, 3 * spread, m, rng.uniform(1.0, 2.0)), spread, sizes)


def _solids(rng: Rng, centers: np.ndarray, radii: np.ndarray) -> Parts:
    """Balls of one uniform density or of equal numbers, all stretched alike."""
    k, m = centers.shape
    share = radii ** (m if rng.random() < 0.7 else 0)
    counts = np.maximum(40, _log_uniform(rng, 100 * k, min(500 * k, 2500)) * share / share.sum()).astype(int)
    axes = np.exp(rng.choice([0.0, 0.3]) * rng.normal(size=m))
    return [(c + r * _ball(rng, n, m)) * axes for c, r, n in zip(centers, radii, counts, strict=True)]


def balls_touching(rng: Rng) -> Parts:
    """Discs or balls, each beside one that was there: they touch, or nearly, or overlap a little."""
    k, m, gap = int(rng.integers(2, 13)), int(rng.choice([2, 2, 3])), rng.uniform(-0.07, 0.15)
    radii = rng.uniform(rng.uniform(0.5, 1.0), 1.0, k)
    centers = np.zeros((1, m))
    while len(centers) < k:
        i, base = len(centers), rng.integers(len(centers))
        new = centers[base] + (radii[base] + radii[i]) * (1 + gap) * _sphere(rng, 1, m)
        if (np.linalg.norm(new - centers, axis=1) > (radii[:i] + radii[i]) * (1 + gap) - 1e-9).all():
            centers = np.concatenate([centers, new])
    return _solids(rng, centers, radii)


def balls_packed(rng: Rng) -> Parts:
    """Discs of a hexagonal packing, or balls of a cubic one."""
    k, m = int(rng.integers(3, 13)), int(rng.choice([2, 2, 3]))
    steps = np.array([[1, 0], [0.5, np.sqrt(0.75)]]) if m == 2 else np.eye(3)
    knots = np.stack(np.meshgrid(*[np.arange(-3, 4)] * m), axis=-1).reshape(-1, m) @ steps
    near = np.argsort(np.linalg.norm((knots - rng.uniform(0, 1, m)) * rng.uniform(0.5, 1, m), axis=1))[:k]
    return _solids(rng, knots[near] * 2 * rng.uniform(0.95, 1.25), np.ones(k))


def _dip(sizes: tuple[int, int], centers: np.ndarray, shapes: np.ndarray) -> float:
    """The lowest density on the ridge between two normals, as a share of the lower peak; 1 if there is one peak."""
    P, t = np.linalg.inv(shapes @ shapes.transpose(0, 2, 1)), np.linspace(0, 1, 101)[:, None, None]
    pull = P @ centers[:, :, None]
    x = np.linalg.solve((1 - t) * P[0] + t * P[1], (1 - t) * pull[0] + t * pull[1])[:, :, 0]
    away = x[:, None] - centers
    heights = np.exp(-0.5 * np.einsum("tki,kij,tkj->tk", away, P, away)) * np.sqrt(np.linalg.det(P))
    f = heights @ np.array(sizes)
    return float((f / np.minimum(np.maximum.accumulate(f), np.maximum.accumulate(f[::-1])[::-1])).min())


def normals_close(rng: Rng) -> Parts:
    """Normals that overlap: those with hardly a dip of density between them are one cluster."""
    k, m = int(rng.choice([1, 2, 2, 2, 3, 4, 6])), int(rng.choice([2, 2, 3]))
    centers = np.cumsum(rng.uniform(1.2, 4.8, (k, 1)) * _sphere(rng, k, m), axis=0)
    shapes = np.array([_rotation(rng, m) * np.exp(0.25 * rng.normal(size=m)) for _ in range(k)])
    sizes, owner = _sizes(rng, k, 80, 400, 0.4), np.arange(k)
    for i in range(k):
        for j in range(i):
            if _dip((sizes[i], sizes[j]), centers[[i, j]], shapes[[i, j]]) > 0.9:
                owner[owner == owner[i]] = owner[j]
    parts = [c + rng.normal(size=(n, m)) @ s.T for c, n, s in zip(centers, sizes, shapes, strict=True)]
    return [np.concatenate([parts[i] for i in np.flatnonzero(owner == o)]) for o in np.unique(owner)]


def curves_crossing(rng: Rng) -> Parts:
    """Lines, bows, waves, and circles that cross; each is a cluster all the way."""
    k, kind, turn = int(rng.integers(2, 5)), rng.integers(4), rng.uniform(0, np.pi)
    t, lines = np.linspace(-1, 1, 200), []
    bend, jitter = (rng.uniform(0, 0.3), 0.0) if kind == 1 and k < 4 else (0.0, np.pi / 2 / k - np.pi / 18)
    for i in range(k):
        a = turn + i * np.pi / k + rng.uniform(-jitter, jitter)
        u, v = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
        bow = bend * rng.choice([-1, 1]) * (t**2 - 0.3 if rng.random() < 0.5 else 0.5 * np.sin(3 * t))
        lines.append(np.outer(t * rng.uniform(0.7, 1.2), u) + np.outer(bow + rng.uniform(-0.3, 0.3), v))
    if kind == 2:
        angles, off = 2 * np.pi * np.arange(k)[:, None] / k, rng.uniform(0.45, 0.85)
        lines = [_circle() + off * c for c in np.column_stack([np.cos(angles), np.sin(angles)])]
    elif kind == 3:
        lines[0] = _circle() * rng.uniform(0.45, 0.65)
    noise, even = rng.uniform(0, 0.04), bool(rng.random() < 0.3)
    density = _log_uniform(rng, 40, min(200, 2800 / sum(map(_length, lines))))
    parts = [_along(rng, line, int(density * _length(line)), 0, even) for line in lines]
    return [part + noise * rng.normal(size=part.shape) for part in parts]


def planes_crossing(rng: Rng) -> Parts:
    """Planes, bent sheets and lines in space that cross at 25 to 90 degrees."""
    k, noise = int(rng.integers(2, 4)), rng.uniform(0, 0.05)
    frames = [_rotation(rng, 3)[: rng.choice([1, 2, 2])] for _ in range(k)]
    while any(np.linalg.svd(a @ b.T)[1].min() > 0.9 for i, a in enumerate(frames) for b in frames[:i]):
        frames = [_rotation(rng, 3)[: len(frame)] for frame in frames]
    bend, parts = rng.choice([0.0, 0.2]), []
    for frame, n in zip(frames, _sizes(rng, k, 150, 600, 0.2), strict=True):
        t = rng.uniform(-1, 1, (n, len(frame)))
        across = _sphere(rng, 1, 3)
        parts.append(
            t @ frame + bend * t[:, :1] ** 2 * across + rng.uniform(-0.2, 0.2, 3) + noise * rng.normal(size=(n, 3))
        )
    return parts


def blobs_many(rng: Rng) -> Parts:
    """Twenty to a hundred round groups, from a slight overlap to wide gaps."""
    k, m = int(_log_uniform(rng, 20, 101)), int(rng.choice([2, 2, 3]))
    spread, uneven = np.exp(rng.choice([0.0, 0.15, 0.3]) * rng.normal(size=k)), rng.choice([0.0, 0.0, 0.4])
    sizes = _log_uniform(rng, 14, min(100, 2600 / k)) * np.exp(uneven * rng.normal(size=k))
    return _normals(rng, _placed(rng, spread, m, rng.uniform(1.7, 3.2)), spread, np.maximum(8, sizes).astype(int))


def blobs_on_grid(rng: Rng) -> Parts:
    """Groups near the knots of a grid, some of which may lack."""
    m = int(rng.choice([2, 2, 3]))
    grid = np.stack(np.meshgrid(*[np.arange(side) for side in rng.integers(3, 10 if m == 2 else 5, m)]), -1)
    knots = grid.reshape(-1, m) * rng.uniform(4, 8) + rng.choice([0.0, 0.4]) * rng.normal(size=(grid.size // m, m))
    knots = knots[rng.random(len(knots)) < rng.choice([1.0, 0.8])]
    n = int(_log_uniform(rng, 14, min(120, 2600 / len(knots))))
    even = rng.random() < 0.2
    return [c + (2 * _ball(rng, n, m) if even else rng.normal(size=(n, m))) for c in knots]


def _glyph(rng: Rng) -> Parts:
    """Strokes between the knots of a small grid, each begun on one before: a letter of no alphabet."""
    knots = [np.array([rng.integers(3), rng.integers(4)])]
    strokes: Parts = []
    for _ in range(int(rng.integers(3, 8))):
        start = knots[-1] if rng.random() < 0.7 else knots[rng.integers(len(knots))]
        end = np.clip(start + rng.integers(-1, 2, 2), 0, [2, 3])
        if (end != start).any():
            strokes.append(np.array([start, end], float))
            knots.append(end)
    return strokes or _glyph(rng)


def _tree(rng: Rng) -> Parts:
    """A trunk with branches that branch."""
    lines, ends = [], [(np.zeros(2), np.pi / 2, 1.0)]
    for _ in range(int(rng.integers(2, 5))):
        grown = []
        for start, angle, long in ends:
            end = start + long * np.array([np.cos(angle), np.sin(angle)])
            lines.append(np.array([start, end]))
            grown += [(end, angle + turn * rng.uniform(0.4, 0.9), long * rng.uniform(0.55, 0.8)) for turn in (-1, 1)]
        ends = grown
    return lines


def _ragged(rng: Rng, figures: list[Parts], width: float) -> Parts:
    """Figures of straight strokes, side by side, each stroke with a density of its own."""
    density, uneven = _log_uniform(rng, 25, 100), rng.choice([0.0, 0.3])
    drawn = [
        [
            _along(rng, s, max(6, int(density * np.exp(uneven * rng.normal()) * _length(s))), width, False)
            for s in figure
        ]
        for figure in figures
    ]
    return _on_grid(rng, [np.concatenate(strokes_of) for strokes_of in drawn], rng.uniform(0.15, 0.5))


def glyphs(rng: Rng) -> Parts:
    return _ragged(rng, [_glyph(rng) for _ in range(int(rng.integers(2, 7)))], rng.uniform(0.02, 0.3))


def trees(rng: Rng) -> Parts:
    return _ragged(rng, [_tree(rng) for _ in range(int(rng.integers(2, 5)))], rng.uniform(0.01, 0.12))


def blocks_with_holes(rng: Rng) -> Parts:
    """Squares with round holes, in some of which there is a disc."""
    n, apart, shapes = int(_log_uniform(rng, 250, 600)), rng.uniform(2.2, 3), []
    for corner in apart * rng.permutation([(0, 0), (0, 1), (1, 0), (1, 1)])[: rng.integers(1, 5)]:
        radii = rng.uniform(0.2, 0.35, int(rng.integers(1, 4)))
        holes = _placed(rng, radii, 2, 1.1)
        holes *= min(1.0, 0.65 / np.abs(holes).max()) if len(holes) == 1 else 0.55 / np.abs(holes).max()
        X = rng.uniform(-1, 1, (n, 2))
        shapes.append(X[(np.linalg.norm(X[:, None] - holes, axis=2) > radii).all(axis=1)] + corner)
        if rng.random() < 0.4:
            shapes.append(
                _ball(rng, int(rng.integers(20, 60)), 2) * rng.uniform(0.2, 0.5) * radii[0] + holes[0] + corner
            )
    return shapes


def checkerboards(rng: Rng) -> Parts:
    """Squares of a board: those that share a side are one cluster, those that meet at a corner are not."""
    side = int(rng.integers(3, 6))
    held = np.indices((side, side)).sum(axis=0) % 2 == 0 if rng.random() < 0.5 else rng.random((side, side)) < 0.5
    held[0, 0] = held[-1, -1] = True
    owner = np.where(held, np.arange(side * side).reshape(side, side), -1)
    for _ in range(side * side):
        for a, b in ((owner[1:], owner[:-1]), (owner[:, 1:], owner[:, :-1])):
            both = (a >= 0) & (b >= 0)
            a[both] = b[both] = np.maximum(a, b)[both]
    owner = np.where(held, np.unique(owner, return_inverse=True)[1].reshape(side, side) - (~held).any(), -1)
    inset = rng.choice([0.0, rng.uniform(0, 0.1)])

    def at(X: np.ndarray) -> np.ndarray:
        return np.asarray(owner[tuple(np.minimum((X + 1) / 2 * side, side - 1e-9).astype(int).T)])

    shifts = inset * np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)]) / side
    return _cut(
        rng, lambda X: np.where(np.all([at(np.clip(X + s, -1, 1)) == at(X) for s in shifts], axis=0), at(X), -1),
        int(held.sum() * _log_uniform(rng, 40, 150)),
    )  # fmt: skip


def combs(rng: Rng) -> Parts:
    """Two combs, the teeth of one between those of the other."""
    teeth = int(rng.integers(3, 8))
    gap = rng.uniform(0.2, 0.45) * 2 / teeth

    def owner(X: np.ndarray) -> np.ndarray:
        tooth, part = np.divmod((X[:, 0] + 1) / 2 * teeth, 1)
        side, clear = np.where(tooth % 2 == 0, 1, -1), np.minimum(part, 1 - part) * 2 / teeth > gap / 2
        own = np.where(side * X[:, 1] > -0.75 + gap, side, 0) * clear
        own = np.where(np.abs(X[:, 1]) > 0.75, np.sign(X[:, 1]), own)
        return np.where(own == 0, -1, own > 0).astype(int)

    return _cut(rng, owner, int(np.clip(3 / (gap * rng.uniform(0.3, 0.75)) ** 2, 200, 2600)))


def tori_linked(rng: Rng) -> Parts:
    """Links of a chain in space: filled tubes."""
    tube, off, n = rng.uniform(0.04, 0.44), rng.uniform(1.2, 1.4), int(rng.integers(150, 600))
    links = [_circle() @ np.eye(3)[[0, 1 + i % 2]] + off * i * np.eye(3)[0] for i in range(int(rng.integers(2, 4)))]
    return [_along(rng, link, int(n * rng.uniform(0.6, 1)), tube, False) for link in links]


def sheets(rng: Rng) -> Parts:
    """Parallel sheets in space, bent alike."""
    k, noise, amp, f = int(rng.integers(2, 4)), rng.uniform(0.0, 0.06), rng.uniform(0, 0.5), rng.uniform(1, 3)
    parts = []
    for i, n in enumerate(_sizes(rng, k, 200, 700, 0.2)):
        p = rng.uniform(-1, 1, (n, 2)) * 1.5
        parts.append(np.column_stack([p, amp * np.sin(f * p[:, 0]) + 0.45 * i + noise * rng.normal(size=n)]))
    return parts


def roll_and_ball(rng: Rng) -> Parts:
    """A rolled sheet in space, and a ball beside it."""
    n, noise, size = int(rng.integers(400, 1200)), rng.uniform(0, 0.05), rng.uniform(0.2, 0.8)
    t = np.sqrt(rng.uniform(0.1, 1, n)) * rng.uniform(1.4, 2.5)
    roll = np.column_stack([t * np.cos(2 * np.pi * t), rng.uniform(-1.5, 1.5, n), t * np.sin(2 * np.pi * t)])
    ball = size * _ball(rng, int(rng.integers(60, 400)), 3) + [0, 1.8 + size + rng.uniform(0, 0.6), 0]
    return [roll + noise * rng.normal(size=(n, 3)), ball]


_SHAPES: tuple[Callable[[np.ndarray, np.ndarray, float], np.ndarray], ...] = (
    lambda x, y, a: np.abs(y) < 1.5 * a,
    lambda x, y, a: x**2 + (y / (0.4 + a)) ** 2 < 1,
    lambda x, y, a: (x < a - 0.8) | (y < a - 0.8),
    lambda x, y, a: np.abs(np.hypot(x, y) - 0.8) < a / 3,
    lambda x, y, a: (np.abs(x) < 0.2 + a / 3) | (np.abs(y) < 0.2 + a / 3),
    lambda x, y, a: np.abs(y - 1.4 * x**2 + 0.6) < a / 2,
    lambda x, y, a: np.abs(y - 0.6 * np.sin(4 * x)) < 0.6 * a,
    lambda x, y, a: np.hypot(x, y) < 0.7 + 0.5 * (a - 0.2) * np.cos(5 * np.arctan2(y, x)),
    lambda x, y, a: (np.hypot(x, y) > 0.5 - a / 4) & (np.hypot(x, y) < 1) & (y > -0.3),
)


def one_figure(rng: Rng) -> Parts:
    """One figure of uniform density, or of a density that falls off along it."""
    shape, a, n = _SHAPES[rng.integers(len(_SHAPES))], rng.uniform(0.2, 0.6), int(_log_uniform(rng, 150, 1500))
    [X] = _cut(rng, lambda X: np.where(shape(X[:, 0], X[:, 1], a), 0, -1), n)
    if rng.random() < 0.3:
        X = X[rng.random(len(X)) < 0.25 + 0.75 * (X[:, 0] + 1) / 2]
    return [X]


def one_solid(rng: Rng) -> Parts:
    """One ball, cube, thick shell, rod, bent plate or helix in space."""
    n, a, kind = int(_log_uniform(rng, 100, 1500)), rng.uniform(0.2, 0.6), rng.integers(5)
    axes = np.exp(0.4 * rng.normal(size=3))
    if kind == 0:
        return [_ball(rng, n, 3) * axes]
    if kind == 1:
        return [rng.uniform(-1, 1, (n, 3)) * axes]
    if kind == 2:
        return [_sphere(rng, n, 3) * rng.uniform(1 - a, 1, (n, 1))]
    if kind == 3:
        t = rng.uniform(-1, 1, (n, 2))
        return [np.column_stack([t, a * np.sin(3 * t[:, 0]) + rng.uniform(0, 0.1) * rng.normal(size=n)])]
    t = np.linspace(0, rng.uniform(5, 12), 300)
    return [_along(rng, np.column_stack([np.cos(t), np.sin(t), a * t / 2]), n, a / 2, bool(rng.random() < 0.3))]


def one_cloud(rng: Rng) -> Parts:
    """One cloud of normal, heavy, skewed or bent kind, in the plane or space."""
    n, m, kind = int(_log_uniform(rng, 60, 1500)), int(rng.choice([2, 2, 3])), rng.integers(7)
    X = rng.normal(size=(n, m))
    if kind == 0:
        X *= np.where(rng.random((n, 1)) < rng.uniform(0.05, 0.2), rng.uniform(2, 4), 1)
    elif kind == 1:
        X /= np.sqrt(rng.chisquare(rng.uniform(2.5, 6), (n, 1)))
    elif kind == 2:
        X = rng.exponential(size=(n, m))
    elif kind == 3:
        X = np.exp(rng.uniform(0.2, 0.7) * X)
    elif kind == 4:
        X[:, 1] = rng.uniform(0.3, 0.6) * X[:, 1] + rng.uniform(0.2, 0.5) * X[:, 0] ** 2
    elif kind == 5:
        X = rng.laplace(size=(n, m))
    return [X * np.exp(rng.choice([0.0, 0.6]) * rng.normal(size=m))]


def one_in_background(rng: Rng) -> Parts:
    """One normal, figure or ring in a uniform background, which is noise."""
    n = int(_log_uniform(rng, 100, 1000))
    kinds = (lambda: [rng.normal(size=(n, 2))], lambda: one_figure(rng), lambda: [_ring(rng, n, 1.0, 0.05)])
    return kinds[rng.integers(3)]()


def _lattice(rng: Rng, m: int, n: int) -> np.ndarray:
    """Places of a rectangular or hexagonal grid at distance 1, exactly or nearly, in a box or a ball."""
    sides = np.maximum(3, (n ** (1 / m) * np.exp(0.3 * rng.normal(size=m))).astype(int))
    X = np.stack(np.meshgrid(*map(np.arange, sides), indexing="ij"), axis=-1).reshape(-1, m).astype(float)
    if m == 2 and rng.random() < 0.3:
        X[:, 0] += 0.5 * (X[:, 1] % 2)
        X[:, 1] *= np.sqrt(0.75)
    X -= X.mean(axis=0)
    if rng.random() < 0.3:
        X = X[np.linalg.norm(X / (np.abs(X).max(axis=0) + 0.1), axis=1) <= 1]
    X = X[rng.random(len(X)) > rng.choice([0.0, 0.0, 0.05, 0.2])]
    return X + rng.choice([0.0, 0.0, 0.05, 0.15, 0.3]) * rng.normal(size=X.shape)


def one_lattice(rng: Rng) -> Parts:
    """One even grid; its columns may have other units."""
    m = int(rng.choice([1, 2, 2, 2, 3]))
    return [
        _lattice(rng, m, int(_log_uniform(rng, 40, 1000))) * np.exp(rng.choice([0.0, 0.0, 0.25]) * rng.normal(size=m))
    ]


def lattices(rng: Rng) -> Parts:
    """Even grids side by side, of other spacings or far enough apart."""
    m, at, parts = int(rng.choice([1, 2, 2, 3])), 0.0, []
    for _ in range(int(rng.integers(2, 6))):
        X = _lattice(rng, m, int(_log_uniform(rng, 30, 400))) * np.exp(rng.choice([0.0, 0.4]) * rng.normal())
        parts.append(X + (at - X[:, 0].min()) * np.eye(m)[0])
        at = parts[-1][:, 0].max() + np.ptp(X[:, 0]) / len(np.unique(X[:, 0].round())) + rng.uniform(2.5, 6)
    return parts


def blobs_rounded(rng: Rng) -> Parts:
    """Groups in coordinates of few digits: many points share a place or a line."""
    per_unit = rng.uniform(1.5, 6)
    parts = _blobs(rng, rng.integers(1, 8), int(rng.choice([1, 2, 2, 3])), rng.uniform(4, 8), 0.2, 0.2, 0.4)
    return [np.round(part * per_unit) for part in parts]


_NO_NOISE = (
    "islands", "disc_in_disc", "blobs_many_axes", "crossing", "densities", "corners", "one_in_space", "on_a_line",
    "one_on_a_line", "discs_in_discs", "groups_at_scales", "groups_of_groups", "islands_and_large", "groups_unequal",
    "curves_crossing", "planes_crossing", "combs", "one_figure", "one_solid", "one_cloud", "lattices",
    "one_lattice", "blobs_rounded",
)  # fmt: skip
_IN_NOISE = ("one_in_background",)
FAMILIES: dict[str, Callable[[Rng], Parts]] = {
    f.__name__: f
    for f in (
        blobs_round, blobs_of_sizes, blobs_long, blobs_overlapping, blobs_unbalanced, blobs_many_axes, heavy_tails,
        moons, arcs, rings_nested, rings_apart, spirals, stripes, waves, zigzags, crossing, beads, bridges, mazes,
        squares_touching, densities, gradients, strokes, shapes_in_noise, targets, segments, corners, linked_rings,
        shells, planes, crescents_and_blobs, one_blob, one_patch, one_curve,
        on_a_line, one_on_a_line, one_in_space, islands, ring_and_blob, disc_in_disc,
        rings_even, rings_even_nested, arcs_concentric, spirals_even, helices, annuli, discs_in_rings, discs_in_discs,
        groups_at_scales, groups_of_groups, islands_and_large, groups_unequal, balls_touching, balls_packed,
        normals_close, curves_crossing, planes_crossing, blobs_many, blobs_on_grid, glyphs, trees, blocks_with_holes,
        checkerboards, combs, tori_linked, sheets, roll_and_ball, one_figure, one_solid, one_cloud, one_in_background,
        one_lattice, lattices, blobs_rounded,
    )
}  # fmt: skip
