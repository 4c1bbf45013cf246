"""Points sorted into cells by NumPy, one obvious step after the other, and roots of determinants by its formulas."""

from __future__ import annotations

import numpy as np

from wasserstein_transform.compute.records import Frame


def frame_of(points: np.ndarray, reach: float, per_reach: int) -> Frame:
    """How a cloud is cut, given how many cells a ball reaches across."""
    axes = np.argsort(-np.ptp(points, axis=0), kind="stable")[:3]
    origin = points[:, axes].min(axis=0)
    rounding = 2e-15 * np.abs(points[:, axes]).max()
    side = (reach * (1 + 1e-9) + (rounding if reach > 0 else 0.0)) / per_reach
    if 0 < reach < 16 * rounding:  # powers of two, which divide without rounding
        fine, side = (2.0 ** np.ceil(np.log2(reach * (1 + 1e-9) / k)) for k in (8, per_reach))
        m = points.shape[1]
        filled = cells_of(points, Frame(tuple(range(m)), (0.0,) * m, fine, 1)).max(axis=0)
        axes = np.argsort(-filled, kind="stable")[:3]
        origin = np.zeros(len(axes))
    frame = Frame(tuple(map(int, axes)), tuple(origin.tolist()), side, per_reach, by_cells=len(points) > 1000)
    while np.prod(cells_of(points, frame).max(axis=0) + per_reach + 1.0) > 2.0**62:
        frame = frame._replace(axes=frame.axes[:-1], origin=frame.origin[:-1])
    return frame


def cells_of(points: np.ndarray, frame: Frame) -> np.ndarray:
    """The cell of each point along each axis; empty stretches count as just out of reach."""
    return np.stack([_along(points[:, a], at, frame) for a, at in zip(frame.axes, frame.origin, strict=True)], axis=1)


def _along(x: np.ndarray, origin: float, frame: Frame) -> np.ndarray:
    steps = np.floor((x - origin) / frame.side) if frame.side > 0 else x
    occupied, which = np.unique(steps, return_inverse=True)
    width = frame.per_reach + 1
    gaps = np.minimum(np.diff(occupied), width) if frame.side > 0 else np.full(len(occupied) - 1, width)
    return (np.append(0, np.cumsum(gaps)).astype(np.int64) + frame.per_reach)[which]


def keys_of(points: np.ndarray, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """The key of each point's cell, and the strides of keys along the axes."""
    where = cells_of(points, frame)
    shape = where.max(axis=0) + frame.per_reach + 1
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    return where @ strides, strides


def order_of(points: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Points by key, then by coordinates, then by number."""
    return np.lexsort((np.arange(len(points)), *points.T[::-1], keys))


def root_determinants(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """√(a·c − b²), each matrix brought near 1, products with what rounding them lost (Dekker)."""
    exponents = np.frexp(a + c)[1]
    a, b, c = (np.ldexp(entry, -exponents) for entry in (a, b, c))
    (ac, ac_rest), (bb, bb_rest) = _exact_product(a, c), _exact_product(b, b)
    det = (ac - bb) + (ac_rest - bb_rest)
    return np.ldexp(np.sqrt(np.maximum(det, 0.0)), exponents)


def _exact_product(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    (x_high, x_low), (y_high, y_low) = _halve(x), _halve(y)
    product = x * y
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _halve(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high
