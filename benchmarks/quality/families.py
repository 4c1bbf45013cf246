"""Labelled point sets, made by chance from a seed: shapes of many kinds, all drawn here, none taken from a collection.

The judge of `wt.cluster` is trained on these alone.
"""

from __future__ import annotations

from collections.abc import Callable
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
    if rng.random() < 0.2 and name not in _NO_NOISE:
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
            if min(np.linalg.norm(c - o) for o in out) >= least:
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


_NO_NOISE = (
    "islands",
    "disc_in_disc",
    "blobs_many_axes",
    "crossing",
    "densities",
    "corners",
    "one_in_space",
    "on_a_line",
    "one_on_a_line",
)
FAMILIES: dict[str, Callable[[Rng], Parts]] = {
    f.__name__: f
    for f in (
        blobs_round, blobs_of_sizes, blobs_long, blobs_overlapping, blobs_unbalanced, blobs_many_axes, heavy_tails,
        moons, arcs, rings_nested, rings_apart, spirals, stripes, waves, zigzags, crossing, beads, bridges, mazes,
        squares_touching, densities, gradients, strokes, shapes_in_noise, targets, segments, corners, linked_rings,
        shells, planes, crescents_and_blobs, one_blob, one_patch, one_curve,
        on_a_line, one_on_a_line, one_in_space, islands, ring_and_blob, disc_in_disc,
    )
}  # fmt: skip
