"""Results of a segmentation: colors, masks, tables and polygons."""

from __future__ import annotations

import json

import numpy as np
import pytest
from skimage.measure import regionprops

import wasserstein_transform as wt
from wasserstein_transform.image.outlines import outlines
from wasserstein_transform.image.regions import touching


def segmentation(labels: np.ndarray, image: np.ndarray | None = None) -> wt.image.Segmentation:
    image = labels.astype(np.uint8) if image is None else image
    return wt.image.Segmentation(labels, image, image, int(labels.max()) + 1)


def shoelace(ring: np.ndarray) -> float:
    x, y = np.asarray(ring).T
    return float(x[:-1] @ y[1:] - x[1:] @ y[:-1]) / 2


@pytest.fixture
def labels(rng: np.random.Generator) -> np.ndarray:
    """Ragged regions with holes, parts that touch at corners only, and pixels without a region."""
    made = rng.integers(-1, 4, (23, 31))
    made[5:15, 8:20] = 2
    made[8:11, 10:14] = 1
    made[9, 11] = 3
    return made


def test_polygons_enclose_exactly_the_pixels_of_their_region(labels: np.ndarray) -> None:
    from matplotlib.path import Path  # noqa: PLC0415

    y, x = np.mgrid[:23, :31] + 0.5
    centers = np.stack([x.ravel(), y.ravel()], axis=1)
    for region, polygons in enumerate(outlines(labels)):
        covered = np.zeros(labels.shape, int)
        for outer, *holes in polygons:
            assert shoelace(outer) > 0
            assert all(shoelace(hole) < 0 for hole in holes)
            for ring in (outer, *holes):
                np.testing.assert_array_equal(ring[0], ring[-1])
                assert len(np.unique(ring[:-1], axis=0)) == len(ring) - 1  # no ring meets itself
                turns = np.diff(ring, axis=0)
                assert ((turns == 0).sum(axis=1) == 1).all()  # along sides of pixels
                assert (np.sign(turns[1:]) != np.sign(turns[:-1])).any(axis=1).all()  # every point is a corner
                covered += np.sign(shoelace(ring)).astype(int) * Path(ring).contains_points(centers).reshape(23, 31)
        np.testing.assert_array_equal(covered, labels == region)
        assert sum(shoelace(ring) for polygon in polygons for ring in polygon) == np.count_nonzero(labels == region)


def test_a_hole_at_a_corner_of_the_outline_is_its_own_ring() -> None:
    labels = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
    (ring, hole), (one,), (other,) = *outlines(labels)[0], *outlines(labels)[1]
    assert (shoelace(ring), shoelace(hole), shoelace(one), shoelace(other)) == (12, -1, 1, 4)


def test_geojson_holds_the_table(labels: np.ndarray) -> None:
    found = segmentation(labels)
    shapes = json.loads(json.dumps(found.polygons()))
    assert shapes["type"] == "FeatureCollection"
    assert [feature["properties"]["area"] for feature in shapes["features"]] == found.regions()["area"].tolist()
    assert {feature["geometry"]["type"] for feature in shapes["features"]} == {"MultiPolygon"}
    square = segmentation(np.zeros((2, 3), int)).polygons()["features"][0]["geometry"]
    assert square == {"type": "Polygon", "coordinates": [[[0, 0], [3, 0], [3, 2], [0, 2], [0, 0]]]}


def test_the_table_of_regions_is_that_of_scikit_image(labels: np.ndarray, rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (*labels.shape, 3), dtype=np.uint8)
    table = segmentation(labels, image).regions()
    for row, expected in zip(table.itertuples(), regionprops(labels + 1, image), strict=True):
        assert (row.label + 1, row.area) == (expected.label, expected.area)
        assert (row.top, row.left, row.bottom, row.right) == expected.bbox
        np.testing.assert_allclose((row.y - 0.5, row.x - 0.5), expected.centroid)
        np.testing.assert_allclose((row.red, row.green, row.blue), expected.intensity_mean)
    rings = [sum(np.abs(np.diff(ring, axis=0)).sum() for part in parts for ring in part) for parts in outlines(labels)]
    np.testing.assert_array_equal(table["perimeter"], rings)


def test_columns_tell_what_the_channels_are() -> None:
    labels = np.zeros((4, 5), int)
    for n, names in ((1, ["mean"]), (2, ["channel_1", "channel_2"]), (4, ["red", "green", "blue", "opacity"])):
        table = segmentation(labels, np.zeros((4, 5, n))).regions()
        assert list(table)[-n:] == names
    cube = segmentation(np.zeros((2, 3, 4), int)).regions().iloc[0]
    assert (cube.area, cube.perimeter, cube.z, cube.back) == (24, 52, 1, 2)


def test_touching_regions_differ_in_color(rng: np.random.Generator) -> None:
    labels = np.kron(rng.permutation(300).reshape(15, 20), np.ones((3, 3), int))
    labels[0] = -1
    shown = segmentation(labels).colored()
    assert shown.shape == (*labels.shape, 3)
    assert (shown[0] == 0).all()
    color = np.zeros((300, 3), int)
    color[labels[labels >= 0]] = shown[labels >= 0]
    a, b = touching(labels).T
    assert np.abs(color[a] - color[b]).sum(axis=1).min() > 50


def test_masks_are_the_pixels_of_one_region(labels: np.ndarray) -> None:
    found = segmentation(labels)
    np.testing.assert_array_equal(sum((k + 1) * found.mask(k) for k in range(4)), labels + 1)


def test_a_segmentation_draws_itself(labels: np.ndarray) -> None:
    (ax,) = segmentation(labels).plot().axes
    assert len(ax.images) == 1
    assert len(ax.collections) == 1
