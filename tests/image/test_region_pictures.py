"""Pictures of regions, and progress."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform import plotting
from wasserstein_transform.plotting.images import EDGE, as_rgb, outlined

mpl.use("Agg")


@pytest.fixture
def image() -> np.ndarray:
    """Three upright stripes of gray, 5, 7 and 8 wide."""
    return np.repeat([[10.0] * 5 + [50.0] * 7 + [200.0] * 8], 20, axis=0)


def test_boundaries_are_lines_between_regions(image: np.ndarray) -> None:
    ax = plotting.panels()[1]
    assert plotting.segmentation(image, wt.image.segment_by_radii(image, 3).labels, ax) is ax
    lines = np.array(ax.collections[0].get_segments())
    np.testing.assert_array_equal(lines, [[[4.5, -0.5], [4.5, 19.5]], [[11.5, -0.5], [11.5, 19.5]]])
    assert ax.get_xlim() == (-0.5, 19.5)


def test_lines_go_around_a_region_and_along_the_rows() -> None:
    labels = np.zeros((6, 8), int)
    labels[1:3, 2:6] = 1
    ax = plotting.segmentation(labels, labels, plotting.panels()[1])
    lines = {tuple(map(tuple, line)) for line in np.array(ax.collections[0].get_segments())}
    assert lines == {
        ((1.5, 0.5), (1.5, 2.5)), ((5.5, 0.5), (5.5, 2.5)), ((1.5, 0.5), (5.5, 0.5)), ((1.5, 2.5), (5.5, 2.5))
    }  # fmt: skip


def test_one_region_has_no_boundary(image: np.ndarray) -> None:
    ax = plotting.segmentation(image, np.zeros(image.shape, int), plotting.panels()[1])
    assert len(ax.collections) == 0


@pytest.mark.parametrize(
    ("image", "level"),
    [
        (np.full((2, 3), 7, np.uint8), 7),
        (np.full((2, 3), 65535, np.uint16), 255),
        (np.full((2, 3, 4), 0.2), 51),
        (np.array([[True]]), 255),
        (np.full((2, 3, 2), 9, np.uint8), 9),
        (np.array([[-3.0, np.nan, 7.0]]), 0),
        (np.array([[300, 200, 400]], np.uint16), 128),  # a few of 16 bits are stretched
    ],
)
def test_images_are_shown_in_eight_bits(image: np.ndarray, level: int) -> None:
    shown = as_rgb(image)
    assert shown.shape == (*image.shape[:2], 3)
    assert shown.dtype == np.uint8
    assert shown[0, 0].tolist() == [level] * 3


def test_outlines_are_painted_into_pixels(image: np.ndarray) -> None:
    shown = outlined(image.astype(np.uint8), wt.image.segment_by_radii(image, 3).labels)
    red = (shown == np.array([int(EDGE[k : k + 2], 16) for k in (1, 3, 5)])).all(axis=2)
    assert np.flatnonzero(red.all(axis=0)).tolist() == [4, 11]
    assert red.sum() == 40


def test_segments_are_found_on_the_current_engine(image: np.ndarray) -> None:
    seen: list[wt.engine.Update] = []
    with wt.using(progress=seen.append) as engine:
        wt.image.segment_by_radii(image, 4.0, 8.0, lam=1.0, min_size=2)
        stages = list(dict.fromkeys(update.stage for update in seen))
        assert stages == ["shapes of neighborhoods", "moving pixels", "linking pixels", "merging small regions", ""]
        assert [update.finished for update in seen].count(True) == 1
        engine.cancel()
        with pytest.raises(wt.engine.Cancelled):
            wt.image.segment_by_radii(image, 4.0)
    asked = wt.Engine(progress=seen.append)
    seen.clear()
    wt.image.segment_by_radii(image, 4.0, 8.0, engine=asked)
    assert seen
