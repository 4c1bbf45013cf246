"""Labelled tables of 4 to 60 columns, made by chance from a seed: groups in few of many directions, all drawn here.

A set has clusters of one kind in a few latent directions, which are mixed into columns; then columns that say nothing,
rounding, skewness and outliers as tables have them. All columns are scaled to a standard deviation of 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rng = np.random.Generator
Parts = list[np.ndarray]


def generate_wide(seed: int, family: str | None = None) -> tuple[str, np.ndarray, np.ndarray]:
    """The family, a table of shape (n, m), and labels from 1 on."""
    rng = np.random.default_rng([seed, 4])
    name = family or sorted(WIDE_FAMILIES)[seed % len(WIDE_FAMILIES)]
    parts = [part for part in WIDE_FAMILIES[name](rng) if len(part)]
    X = np.concatenate(parts)
    y = np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts])
    if name not in _PLAIN:
        X = _as_table(rng, X)
    X = X - X.mean(axis=0)
    X = X / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    order = rng.permutation(len(X))
    return name, X[order], y[order]


def _sizes(rng: Rng, k: int) -> list[int]:
    n = int(np.exp(rng.uniform(np.log(60), np.log(1500))))
    part = rng.dirichlet(np.full(k, rng.choice([1.0, 3.0, 10.0, 100.0])))
    return [max(8, int(n * p)) for p in part]


def _count(rng: Rng) -> int:
    return int(rng.choice([2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 10]))


def _columns(rng: Rng) -> int:
    return int(np.exp(rng.uniform(np.log(4), np.log(60))))


def _rotation(rng: Rng, m: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(m, m)))[0]


def _as_table(rng: Rng, X: np.ndarray) -> np.ndarray:
    """Latent directions mixed into columns, with common factors, columns that say nothing, skewness, rounding."""
    n, q = X.shape
    X = X / X.std(axis=0).mean()
    wanted = max(4, _columns(rng))
    if rng.random() < 0.75:  # several columns measure each direction, each with its own error
        told = max(q, int(wanted * rng.uniform(0.4, 1.0)))
        loads = rng.normal(size=(q, told)) * (rng.random((q, told)) < rng.uniform(0.3, 1.0))
        loads[np.arange(q), np.arange(q)] += 1.0
        X = X @ loads + rng.uniform(0.05, 0.6) * rng.normal(size=(n, told))
    if rng.random() < 0.3:  # size: a factor that all columns share, unrelated to the groups
        X = X + rng.uniform(0.5, 2.5) * rng.normal(size=(n, 1)) * rng.uniform(0.5, 1.5, X.shape[1])
    for _ in range(max(0, wanted - X.shape[1])):
        kind = rng.integers(5)
        column = (
            rng.normal(size=n), rng.uniform(-1, 1, n), rng.exponential(size=n), rng.integers(0, 4, n).astype(float),
            X[:, rng.integers(X.shape[1])] * 0.5 + rng.normal(size=n),
        )[kind]  # fmt: skip
        X = np.column_stack([X, column])
    for j in np.flatnonzero(rng.random(X.shape[1]) < rng.choice([0.0, 0.0, 0.3])):
        unit = (X[:, j] - X[:, j].mean()) / (X[:, j].std() + 1e-12)
        kind = rng.integers(3)
        if kind == 0:
            X[:, j] = np.exp(rng.uniform(0.3, 1.0) * unit)
        elif kind == 1:
            X[:, j] = np.round(unit * rng.uniform(1, 4))
        else:
            X[:, j] = np.maximum(unit, rng.uniform(-1, 0))
    if rng.random() < 0.15:  # a few wild cells
        cells = rng.random(X.shape) < 0.002
        X[cells] += rng.normal(size=int(cells.sum())) * 10 * X.std()
    return X[:, rng.permutation(X.shape[1])]


def _centers(rng: Rng, k: int, q: int, least: float) -> np.ndarray:
    side = least * 0.5
    while True:
        side *= 1.1
        out = [rng.uniform(0, side, q)]
        for _ in range(100 * k):
            c = rng.uniform(0, side, q)
            if min(np.linalg.norm(c - o) for o in out) >= least:
                out.append(c)
            if len(out) >= k:
                return np.array(out[:k])


def _gaussians(rng: Rng, least: float, stretch: float, spread: float, shared: bool) -> Parts:
    k, q = _count(rng), int(rng.integers(2, 11))
    centers = _centers(rng, k, q, least * (1 + 0.15 * np.sqrt(q)))
    one = _rotation(rng, q) * np.exp(stretch * rng.normal(size=q))
    parts = []
    for center, n in zip(centers, _sizes(rng, k), strict=True):
        shape = one if shared else _rotation(rng, q) * np.exp(stretch * rng.normal(size=q))
        parts.append(center + rng.normal(size=(n, q)) @ (shape * np.exp(spread * rng.normal())).T)
    return parts


def gaussians_alike(rng: Rng) -> Parts:
    return _gaussians(rng, rng.uniform(2.0, 5.0), 0.4, 0.0, True)


def gaussians_of_shapes(rng: Rng) -> Parts:
    return _gaussians(rng, rng.uniform(2.5, 6.0), 0.5, 0.3, False)


def gaussians_of_sizes(rng: Rng) -> Parts:
    return _gaussians(rng, rng.uniform(2.0, 5.0), 0.2, 0.6, False)


def gaussians_tilted(rng: Rng) -> Parts:
    """Long parallel groups, close together across: as crabs, which differ by form and vary by size."""
    return _gaussians(rng, rng.uniform(2.5, 5.0), 0.9, 0.1, True)


def nested(rng: Rng) -> Parts:
    """Groups of one center and other scales, in all columns."""
    m, k = _columns(rng), int(rng.choice([2, 2, 2, 3]))
    scales = np.cumprod(rng.uniform(1.7, 4.0, k))
    return [
        scale * rng.normal(size=(n, m)) + rng.normal(size=m) for scale, n in zip(scales, _sizes(rng, k), strict=True)
    ]


def subspaces(rng: Rng) -> Parts:
    """Groups on low-dimensional planes through a common region."""
    k, m, r = int(rng.integers(2, 5)), max(5, _columns(rng) // 2), int(rng.integers(1, 4))
    noise, off = rng.uniform(0.03, 0.25), rng.uniform(0, 3)
    return [
        rng.normal(size=(n, r)) @ rng.normal(size=(r, m)) + off * rng.normal(size=m) + noise * rng.normal(size=(n, m))
        for n in _sizes(rng, k)
    ]


def heavy(rng: Rng) -> Parts:
    k, q = _count(rng), int(rng.integers(2, 9))
    centers = _centers(rng, k, q, rng.uniform(4, 8) * (1 + 0.15 * np.sqrt(q)))
    return [c + rng.standard_t(rng.uniform(2.5, 6), (n, q)) for c, n in zip(centers, _sizes(rng, k), strict=True)]


def skewed(rng: Rng) -> Parts:
    """Groups of positive numbers, spread as their means are."""
    k, q = _count(rng), int(rng.integers(2, 9))
    centers = _centers(rng, k, q, rng.uniform(2.5, 5) * (1 + 0.15 * np.sqrt(q)))
    log = [c + rng.normal(size=(n, q)) for c, n in zip(centers, _sizes(rng, k), strict=True)]
    strength = rng.uniform(0.2, 0.6)
    return [np.exp(strength * (part - centers.mean(axis=0))) for part in log]


def curved(rng: Rng) -> Parts:
    """Groups along smooth curves or sheets in a few directions."""
    k, q = int(rng.integers(2, 5)), int(rng.integers(3, 8))
    noise, parts = rng.uniform(0.03, 0.2), []
    for n in _sizes(rng, k):
        r = int(rng.integers(1, 3))
        t = rng.uniform(-1, 1, (n, r))
        waves = [np.sin(t @ rng.normal(size=(r, q)) * rng.uniform(1, 3) + rng.uniform(0, 6, q)) for _ in range(2)]
        parts.append(
            waves[0] + 0.5 * waves[1] + rng.uniform(0.2, 1.2) * rng.normal(size=q) + noise * rng.normal(size=(n, q))
        )
    return parts


def moons_lifted(rng: Rng) -> Parts:
    """Two or three arcs in the plane of two directions, among directions that say nothing."""
    k, noise, q = int(rng.integers(2, 4)), rng.uniform(0.05, 0.2), int(rng.integers(0, 5))
    parts = []
    for i, n in enumerate(_sizes(rng, k)):
        t = rng.uniform(0, np.pi, n)
        side = 1 if i % 2 == 0 else -1
        arc = np.column_stack([np.cos(t) + i, side * np.sin(t) + (side < 0) * rng.uniform(0.2, 0.6)])
        parts.append(
            np.column_stack([arc + noise * rng.normal(size=(n, 2)), rng.uniform(0.1, 0.6) * rng.normal(size=(n, q))])
        )
    return parts


def of_pieces(rng: Rng) -> Parts:
    """Groups that are unions of two or three blobs close to each other: classes, not blobs."""
    k, q = int(rng.integers(2, 5)), int(rng.integers(2, 8))
    centers = _centers(rng, k, q, rng.uniform(6, 10) * (1 + 0.1 * np.sqrt(q)))
    parts = []
    for c, n in zip(centers, _sizes(rng, k), strict=True):
        pieces = int(rng.integers(1, 4))
        inner = c + rng.uniform(0.8, 2.2) * rng.normal(size=(pieces, q)) / np.sqrt(q) * 1.5
        parts.append(np.concatenate([i + rng.normal(size=(max(6, n // pieces), q)) for i in inner]))
    return parts


def cells(rng: Rng) -> Parts:
    """Populations of cells: each is high or low in each marker; some are rare."""
    k, m = int(rng.integers(3, 11)), int(rng.integers(6, 31))
    part = rng.dirichlet(np.full(k, 0.8)) * 0.9 + 0.1 / k
    n = int(rng.integers(500, 1800))
    high = rng.random((k, m)) < rng.uniform(0.2, 0.5)
    return [
        rng.uniform(2.0, 5.0, m) * marks
        + rng.normal(size=(max(10, int(n * p)), m)) * np.where(marks, 0.8, rng.uniform(0.3, 0.8))
        for p, marks in zip(part, high, strict=True)
    ]


def switches(rng: Rng) -> Parts:
    """Groups that differ in the rates of coded answers (0 … 4) and in some numbers."""
    k, q = int(rng.integers(2, 5)), int(rng.integers(5, 16))
    level = rng.uniform(0, 4, (k, q))
    return [
        np.clip(np.round(level[c] + rng.normal(size=(n, q)) * rng.uniform(0.5, 1.0)), 0, 4)
        for c, n in enumerate(_sizes(rng, k))
    ]


def one_gaussian(rng: Rng) -> Parts:
    q = int(rng.integers(2, 11))
    return [rng.normal(size=(_sizes(rng, 1)[0], q)) @ (_rotation(rng, q) * np.exp(0.5 * rng.normal(size=q)))]


def one_cloud(rng: Rng) -> Parts:
    """One cloud: heavy tails, skewness, a cube, a curved sheet."""
    n, q, kind = _sizes(rng, 1)[0], int(rng.integers(2, 9)), rng.integers(4)
    if kind == 0:
        return [rng.standard_t(rng.uniform(3, 8), (n, q))]
    if kind == 1:
        return [np.exp(rng.uniform(0.3, 0.9) * rng.normal(size=(n, q)))]
    if kind == 2:
        return [rng.uniform(0, 1, (n, q))]
    t = rng.uniform(-1, 1, (n, 2))
    return [np.sin(t @ rng.normal(size=(2, q)) * 2 + rng.uniform(0, 6, q)) + 0.1 * rng.normal(size=(n, q))]


def _log_uniform(rng: Rng, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _scattered(rng: Rng, k: int, q: int, least: float) -> np.ndarray:
    """Centers, each far from those before; the closest two are at this distance."""
    out = rng.normal(size=(1, q))
    while len(out) < k:
        tries = rng.normal(size=(8, q))
        apart = np.linalg.norm(tries[:, None] - out, axis=2).min(axis=1)
        out = np.concatenate([out, tries[[apart.argmax()]]])
    gaps = np.linalg.norm(out[:, None] - out, axis=2) + np.where(np.eye(k) > 0, np.inf, 0.0)
    return out * least / gaps.min() if k > 1 else out


def _around(rng: Rng, centers: np.ndarray, sizes: np.ndarray, spread: float, stretch: float) -> Parts:
    q = centers.shape[1]
    shapes = [_rotation(rng, q) * np.exp(stretch * rng.normal(size=q) + spread * rng.normal()) for _ in centers]
    return [c + rng.normal(size=(n, q)) @ s.T for c, n, s in zip(centers, sizes, shapes, strict=True)]


def blob_in_blob(rng: Rng) -> Parts:
    """One to three narrow groups within a wide one, in all columns: the fewer these are, the wider it is."""
    m, k = _columns(rng), int(rng.choice([1, 1, 1, 2, 3]))
    least = max(1.6, (np.sqrt(m) + 1.0) / max(0.6, np.sqrt(m) - 1.0))
    wide = least * rng.uniform(1.0, 2.5)
    n = int(_log_uniform(rng, 60, 900))
    centers = _scattered(rng, k, m, rng.uniform(1.5, 2.5) * np.sqrt(m)) if k > 1 else np.zeros((1, m))
    centers = (centers - centers.mean(axis=0)) + rng.choice([0.0, 0.7]) * rng.normal(size=m)
    inner = [c + rng.normal(size=(max(15, int(n * _log_uniform(rng, 0.2, 3) / k)), m)) for c in centers]
    return [wide * rng.normal(size=(n, m)) + rng.choice([0.0, 1.0]) * rng.normal(size=m), *inner]


def binary_nuisance(rng: Rng) -> Parts:
    """Groups in some columns, which may be rounded to grades, beside such of 0 and 1 and of grades that say nothing."""
    k, q = _count(rng), int(rng.integers(3, 13))
    sizes = np.array(_sizes(rng, k))
    parts = _around(rng, _scattered(rng, k, q, rng.uniform(4, 8)), sizes, 0.2, 0.2)
    X, n = np.concatenate(parts), int(sizes.sum())
    for j in np.flatnonzero(rng.random(q) < rng.choice([0.0, 0.3, 0.8])):
        grade = X[:, j].std() * 4 / rng.integers(3, 11)
        X[:, j] = np.round(X[:, j] / grade)
    wide = int(rng.integers(1, 2 + q))
    bits = rng.random((n, wide)) < rng.uniform(0.1, 0.9, wide)
    grades = rng.binomial(rng.integers(2, 7), rng.uniform(0.2, 0.8), (n, int(rng.integers(0, 1 + q // 2))))
    return np.split(
        np.column_stack([X, bits, grades])[:, rng.permutation(q + bits.shape[1] + grades.shape[1])],
        np.cumsum(sizes)[:-1],
    )


def many_groups(rng: Rng) -> Parts:
    """Twenty to a hundred groups in few directions, of equal sizes or not."""
    k, q = int(_log_uniform(rng, 20, 101)), int(rng.integers(4, 16))
    each = _log_uniform(rng, 12, min(80, 2400 / k))
    sizes = np.maximum(8, each * np.exp(rng.choice([0.0, 0.5]) * rng.normal(size=k))).astype(int)
    centers = _scattered(rng, k, q, rng.uniform(3.5, 9.0) * (1 + 0.1 * np.sqrt(q)))
    return _around(rng, centers, sizes, rng.choice([0.0, 0.2]), rng.choice([0.0, 0.3]))


def many_groups_plain(rng: Rng) -> Parts:
    """Twenty to a hundred groups in 6 to 60 columns, all of which tell."""
    k, m = int(_log_uniform(rng, 20, 101)), int(_log_uniform(rng, 6, 61))
    sizes = np.full(k, int(_log_uniform(rng, 12, min(80, 2400 / k))))
    return _around(
        rng, _scattered(rng, k, m, rng.uniform(2.8, 6.0) * (m / 6) ** 0.25), sizes, rng.choice([0.0, 0.3]), 0.1
    )


def groups_unequal(rng: Rng) -> Parts:
    """Large groups and small ones, with up to fifty times fewer rows."""
    large, small, q = int(rng.integers(1, 4)), int(rng.integers(1, 6)), int(rng.integers(2, 9))
    n, ratio = int(_log_uniform(rng, 200, 800)), _log_uniform(rng, 5, 50)
    sizes = np.array([n] * large + [max(10, int(n / ratio))] * small)
    return _around(rng, _scattered(rng, large + small, q, rng.uniform(5, 9) * (1 + 0.1 * np.sqrt(q))), sizes, 0.2, 0.2)


def few_rows(rng: Rng) -> Parts:
    """Groups of few rows, fewer than columns perhaps."""
    k, m = int(rng.integers(2, 8)), _columns(rng)
    centers = _scattered(rng, k, m, rng.uniform(2.8, 6) * (m / 4) ** 0.25)
    return _around(rng, centers, rng.integers(max(5, 20 // k + 1), 26, k), 0.2, 0.2)


def one_elongated(rng: Rng) -> Parts:
    """Round groups that overlap slightly, and one that is long."""
    k, q = int(rng.integers(2, 6)), int(_log_uniform(rng, 4, 21))
    parts = _around(
        rng, _scattered(rng, k, q, rng.uniform(2.6, 4.8) * (1 + 0.1 * np.sqrt(q))), np.array(_sizes(rng, k)), 0.1, 0.1
    )
    others = np.array([part.mean(axis=0) for part in parts[1:]]) - parts[0].mean(axis=0)
    along = np.linalg.svd(others)[2][-1] if k <= q else rng.normal(size=q)
    long = rng.uniform(4, 12) * rng.normal(size=(len(parts[0]), 1)) * along / np.linalg.norm(along)
    return [parts[0] + long, *parts[1:]]


def one_table(rng: Rng) -> Parts:
    """One cloud: a turned box, few directions with noise, t, skewness, a mixture too close to have two peaks."""
    n, q, kind = int(_log_uniform(rng, 60, 1500)), int(rng.integers(3, 13)), rng.integers(5)
    X = rng.normal(size=(n, q))
    if kind == 0:
        X = rng.uniform(-1, 1, (n, q)) * np.exp(0.5 * rng.normal(size=q))
    elif kind == 1:
        X = X[:, :2] @ rng.normal(size=(2, q)) + rng.uniform(0.05, 0.5) * X
    elif kind == 2:
        X = X / np.sqrt(rng.chisquare(rng.uniform(3, 8), (n, 1)))
    elif kind == 3:
        X = rng.gamma(rng.uniform(1, 4), size=(n, q))
    else:
        X[: n // 2] += rng.uniform(0.3, 1.6) * np.eye(q)[0]
    return [X @ _rotation(rng, q)]


_PLAIN = ("nested", "cells", "blob_in_blob", "binary_nuisance", "many_groups_plain", "few_rows", "one_elongated")
WIDE_FAMILIES: dict[str, Callable[[Rng], Parts]] = {
    f.__name__: f
    for f in (
        gaussians_alike, gaussians_of_shapes, gaussians_of_sizes, gaussians_tilted, nested, subspaces, heavy, skewed,
        curved, moons_lifted, of_pieces, cells, switches, one_gaussian, one_cloud,
        blob_in_blob, binary_nuisance, many_groups, many_groups_plain, groups_unequal, few_rows, one_elongated,
        one_table,
    )
}  # fmt: skip
