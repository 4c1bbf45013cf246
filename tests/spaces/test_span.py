from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.spaces.span import span_of

BOX = np.random.default_rng(0).uniform(-1, 1, (40, 2))
ROUNDING = 3 * 4**2 * 2.0**-53  # three factors of order m = 4 (QR, SVD, a turn), each orthonormal to about m² roundings
TURN = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))[0]
FAR = np.vstack([BOX, [[1e140, 1e140]]])
SCALES = np.column_stack([1e8 * (np.arange(40) % 2), 1e-9 * BOX[:, 0]])


@pytest.mark.parametrize(
    "points",
    [BOX, BOX + 1e8, 1e-140 * BOX, FAR, SCALES, BOX[:, :1], np.eye(5, 4)],
    ids=["box", "shifted", "tiny", "a far point", "two scales", "a line of numbers", "as few as possible"],
)
def test_points_that_span_everything_keep_their_coordinates(points) -> None:
    """A far point, or columns of very different size, do not hide what the others span."""
    assert span_of(points) is None


@pytest.mark.parametrize("shift", [0.0, 0.3, 1e8])
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_coordinates_within_the_span_have_the_distances_of_the_points(size, shift) -> None:
    points = size * (BOX @ TURN[:2] + shift)
    span = span_of(points)
    assert span.axes.shape == (4, 2)
    assert span.axes.T @ span.axes == pytest.approx(np.eye(2), abs=ROUNDING)
    inside = span.coordinates(points)
    rounding = size * 1e-15 * (1 + shift)
    assert span.points(inside) == pytest.approx(points, abs=20 * rounding)
    far, there = (np.linalg.norm(x[:, None] - x, axis=2) for x in (size * BOX, inside))
    assert there == pytest.approx(far, abs=20 * rounding)
    across = span.normals(2)
    assert np.column_stack([span.axes, across]).T @ across == pytest.approx(np.eye(4)[:, 2:], abs=ROUNDING)


@pytest.mark.parametrize(
    ("points", "rank"),
    [
        (np.column_stack([BOX, BOX]), 2),
        (np.column_stack([BOX[:, 0], 3 * BOX[:, 0] + 1, np.full(40, 0.1)]), 1),
        (np.full((40, 3), 0.1), 1),
        (np.full((1, 3), 0.1), 1),
        (np.array([[1.0, 2.0], [3.0, 5.0]]), 1),
        (np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0 * (1 + 2**-52)]]), 1),
        (np.random.default_rng(0).normal(size=(5, 30)), 4),
    ],
    ids=["columns twice", "collinear", "one place", "one point", "two points", "rounding", "fewer points than columns"],
)
def test_the_number_of_dimensions(points, rank) -> None:
    span = span_of(points)
    assert span.axes.shape == (points.shape[1], rank)
    assert span.points(span.coordinates(points)) == pytest.approx(points, abs=1e-14)


def test_columns_without_spread_are_left_out_and_the_others_keep_their_bits() -> None:
    points = np.column_stack([np.full(40, 0.1), BOX[:, 0], np.full(40, -7.0), BOX[:, 1]])
    span = span_of(points)
    assert np.array_equal(span.coordinates(points), BOX)
    assert np.array_equal(span.points(BOX), points)


@pytest.mark.slow
def test_neither_the_order_of_points_nor_copies_matter_in_a_plane() -> None:
    X = wt.datasets.circles(0, n=90, noise=0.05).points @ TURN[:2] + 0.3
    order = np.random.default_rng(0).permutation(90)
    assert np.array_equal(wt.denoise(X[order], 1).points, wt.denoise(X, 1).points[order])
    copied = np.append(order, [5, 5, 7])
    plain, found = wt.denoise(X, 1, sample_weight=np.bincount(copied)), wt.denoise(X[copied], 1)
    assert found.points == pytest.approx(plain.points[copied], abs=1e-12)
    plain, found = wt.cluster(X, 2, sample_weight=np.bincount(copied)), wt.cluster(X[copied], 2)
    assert np.array_equal(found.labels, plain.labels[copied])


@pytest.mark.repeated(1)
@pytest.mark.parametrize("purpose", ["clusters", "modes", "curve"])
def test_suggestions_are_those_of_the_dimension_that_is_spanned(purpose) -> None:
    X = wt.datasets.circles(0, n=300, noise=0.05).points
    plain = wt.suggest(X, purpose)
    for around in (np.column_stack([X, np.zeros(len(X))]), X @ TURN[:2]):
        found = wt.suggest(around, purpose)
        assert found.eps == pytest.approx(plain.eps, rel=1e-12)
        assert found.reason == plain.reason
