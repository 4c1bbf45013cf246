"""Segmentation of images, against its slow twin and on images that know their regions."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from reference import images as reference
from sklearn.exceptions import ConvergenceWarning

import wasserstein_transform as wt
from wasserstein_transform.compute.pixels.colors import lab, luv
from wasserstein_transform.image.regions import merge_small, touching


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    pairs = np.unique(np.stack([one.ravel(), other.ravel()]), axis=1)
    return len(pairs[0]) == len(np.unique(one)) == len(np.unique(other))


def blocks(rng: np.random.Generator, shape: tuple[int, ...], noise: float = 2.0) -> np.ndarray:
    """Noisy blocks of gray."""
    big = rng.integers(0, 4, tuple(-(-n // 4) for n in shape)) * 20.0
    for axis in range(len(shape)):
        big = np.repeat(big, 4, axis=axis)
    return big[tuple(slice(n) for n in shape)] + rng.normal(scale=noise, size=shape)


@pytest.mark.parametrize("channels", [1, 2, 3, 5])
@pytest.mark.parametrize("shape", [(13, 11), (4, 6, 5)])
def test_pixels_move_as_their_slow_twins(shape: tuple[int, ...], channels: int, rng: np.random.Generator) -> None:
    image = np.stack([blocks(rng, shape) for _ in range(channels)], axis=-1)
    found = wt.image.segment_by_radii(image, 3.0, 9.0, color="none", channel_axis=-1)
    place, value = reference.moved(image, 3.0, 9.0, 0.0, 100)
    modes = found.modes.reshape(-1, found.modes.shape[-1])
    np.testing.assert_allclose(modes[:, : len(shape)], place, atol=1e-10)
    np.testing.assert_allclose(modes[:, len(shape) :], value, atol=1e-10)
    assert found.converged


@pytest.mark.repeated(1)
@pytest.mark.parametrize("shape", [(12, 10), (4, 6, 5)])
@pytest.mark.parametrize("n_iter", [1, 2, 5])
def test_the_gaussian_transform_moves_pixels_as_its_slow_twin(
    shape: tuple[int, ...], n_iter: int, rng: np.random.Generator
) -> None:
    image = blocks(rng, shape)
    with pytest.warns(ConvergenceWarning) if n_iter < 5 else nullcontext():  # by then all rest or swing
        found = wt.image.segment_by_radii(image, 3.0, 8.0, lam=3.0, n_iter=n_iter, channel_axis=None)
    place, value = reference.moved(image[..., None], 3.0, 8.0, 3.0, n_iter)
    modes = found.modes.reshape(image.size, -1)
    np.testing.assert_allclose(modes[:, :-1], place, atol=1e-9)
    np.testing.assert_allclose(modes[:, -1:], value, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # seven iterations are few
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shape", [(40, 31), (1, 37), (9, 11, 10)])
@pytest.mark.parametrize("radii", [(3.0, 8.0), (1.0, 0.5), (50.0, 20.0)])
def test_a_constant_channel_and_threads_change_no_bit(
    radii: tuple[float, float], shape: tuple[int, ...], masked: bool, rng: np.random.Generator
) -> None:
    image = np.rint(blocks(rng, shape, 6.0))
    mask = rng.random(shape) < 0.8 if masked else None
    gray = wt.image.segment_by_radii(image, *radii, mask=mask, channel_axis=None, tol=1e-3, n_iter=7)
    both = wt.image.segment_by_radii(
        np.stack([image, np.zeros(shape)], axis=-1),
        *radii,
        color="none",
        mask=mask,
        channel_axis=-1,
        tol=1e-3,
        n_iter=7,
    )
    np.testing.assert_array_equal(gray.modes, both.modes[..., :-1])
    np.testing.assert_array_equal(gray.n_iter, both.n_iter)
    np.testing.assert_array_equal(gray.labels, both.labels)
    alone = wt.image.segment_by_radii(image, *radii, mask=mask, channel_axis=None, tol=1e-3, n_iter=7, n_jobs=1)
    np.testing.assert_array_equal(alone.modes, gray.modes)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(16, 14), (4, 6, 5)])
@pytest.mark.parametrize("whole", [False, True])
def test_pixels_that_swing_are_stopped_where_their_slow_twins_are(
    shape: tuple[int, ...], whole: bool, rng: np.random.Generator
) -> None:
    image = np.rint(blocks(rng, shape, 6.0)) if whole else blocks(rng, shape, 6.0)
    found = wt.image.segment_by_radii(image, 3.0, 14.0, lam=6.0, channel_axis=None)
    assert found.converged
    assert found.n_cycling > 0
    place, value = reference.moved(image[..., None], 3.0, 14.0, 6.0, 100)
    modes = found.modes.reshape(image.size, -1)
    np.testing.assert_allclose(modes[:, :-1], place, atol=1e-9)
    np.testing.assert_allclose(modes[:, -1:], value, atol=1e-9)


@pytest.mark.parametrize("channels", [1, 3])
def test_where_swinging_pixels_are_stopped_depends_on_nothing_else(channels: int, rng: np.random.Generator) -> None:
    image = np.stack([blocks(rng, (40, 30), 5.0) for _ in range(channels)], axis=-1)
    few, many, alone = (
        wt.image.segment_by_radii(image, 4.0, 12.0, 5.0, color="none", channel_axis=-1, n_iter=n_iter, n_jobs=n_jobs)
        for n_iter, n_jobs in ((100, 2), (5000, 2), (100, 1))
    )
    assert few.n_cycling == many.n_cycling > 0
    assert few.converged
    for other in (many, alone):
        np.testing.assert_array_equal(few.modes, other.modes)
        np.testing.assert_array_equal(few.n_iter, other.n_iter)
    mask = np.zeros((40, 30), bool)
    mask[::9, ::9] = True
    lonely = wt.image.segment_by_radii(image, 4.0, 12.0, 5.0, color="none", channel_axis=-1, mask=mask)
    assert lonely.n_cycling == 0  # a pixel without neighbors does not cycle


def test_without_weight_the_gaussian_transform_is_mean_shift(rng: np.random.Generator) -> None:
    image = blocks(rng, (20, 20))
    tiny = wt.image.segment_by_radii(image, 3.0, 8.0, lam=1e-300)
    plain = wt.image.segment_by_radii(image, 3.0, 8.0)
    np.testing.assert_allclose(tiny.modes, plain.modes, rtol=1e-12)


@pytest.mark.parametrize("shape", [(14, 12), (4, 5, 6)])
def test_linking_joins_what_its_slow_twin_joins(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    image = blocks(rng, shape, 5.0)
    place, value = reference.moved(image[..., None], 2.5, 9.0, 0.0, 100)
    every = np.stack(np.triu_indices(image.size, 1), axis=1)
    found = wt.image.segment_by_radii(image, 2.5, 9.0, linking="paper", channel_axis=None).labels
    assert same_partition(found, reference.linked(place, value, every, 2.5, 9.0))
    grid = np.arange(image.size).reshape(shape)
    ahead = [np.moveaxis(grid, axis, 0) for axis in range(len(shape))]
    beside = np.concatenate([np.stack([a[:-1].ravel(), a[1:].ravel()], axis=1) for a in ahead])
    found = wt.image.segment_by_radii(image, 2.5, 9.0, channel_axis=None).labels
    assert same_partition(found, reference.linked(place, value, beside, 2.5, 0.5 * 9.0))


@pytest.mark.parametrize("shape", [(30, 28), (1, 30, 20), (7, 9, 8)])
@pytest.mark.parametrize("radii", [(1.0, 14.0), (2.5, 9.0), (6.0, 4.0)])
def test_the_papers_linking_of_many_channels_joins_what_its_slow_twin_joins(
    shape: tuple[int, ...], radii: tuple[float, float], rng: np.random.Generator
) -> None:
    image = np.stack([blocks(rng, shape, 5.0) for _ in range(3)], axis=-1)
    found = wt.image.segment_by_radii(image, *radii, color="none", linking="paper", channel_axis=-1)
    modes = found.modes.reshape(-1, len(shape) + 3)
    every = np.stack(np.triu_indices(len(modes), 1), axis=1)
    expected = reference.linked(modes[:, :-3], modes[:, -3:], every, *radii)
    assert same_partition(found.labels, expected)
    assert 1 < found.n_segments < len(modes)


@pytest.mark.parametrize("lam", [0.0, 4.0])
@pytest.mark.parametrize("linking", ["adjacent", "paper"])
def test_the_result_does_not_depend_on_the_number_of_threads(
    lam: float, linking: str, rng: np.random.Generator
) -> None:
    image = blocks(rng, (60, 50))
    one, two = (wt.image.segment_by_radii(image, 4.0, 6.0, lam, linking=linking, n_jobs=jobs) for jobs in (1, 3))
    np.testing.assert_array_equal(one.labels, two.labels)
    np.testing.assert_array_equal(one.modes, two.modes)


def test_regions_are_numbered_by_their_first_pixels_and_hang_together(rng: np.random.Generator) -> None:
    found = wt.image.segment_by_radii(blocks(rng, (40, 40)), 4.0, 8.0)
    first = np.unique(found.labels.ravel(), return_index=True)[1]
    assert (np.diff(first) > 0).all()
    assert found.n_segments == len(first) == found.labels.max() + 1


def test_a_step_is_found_and_its_edge_is_where_it_is() -> None:
    image = np.zeros((20, 30), np.uint8)
    image[:, 12:] = 100
    found = wt.image.segment_by_radii(image, 8, 8)
    assert found.n_segments == 2
    np.testing.assert_array_equal(found.labels, (image > 0).astype(int))
    np.testing.assert_array_equal(np.unique(np.flatnonzero(found.boundaries().any(axis=0))), [11])
    np.testing.assert_array_equal(found.filtered, image)
    np.testing.assert_array_equal(found.regions()["mean"], [0, 100])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.float32, np.float64, np.bool_])
def test_what_comes_back_has_the_type_that_came(dtype: type, rng: np.random.Generator) -> None:
    image = (rng.random((16, 16)) < 0.5).astype(dtype)
    found = wt.image.segment_by_radii(image, 2.0, 0.4)
    assert found.filtered.dtype == image.dtype
    assert found.filtered.shape == image.shape


def test_colors_are_compared_in_luv_unless_told_otherwise(rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (12, 12, 3), dtype=np.uint8)
    found = wt.image.segment_by_radii(image, 2.0, 5.0, n_iter=1, tol=1e9)
    expected = reference.moved(luv(image / 255).astype(np.float32), 2.0, 5.0, 0.0, 1)[1]
    np.testing.assert_allclose(found.modes[..., 2:].reshape(-1, 3), expected, atol=1e-9)
    with_alpha = np.concatenate([image, rng.integers(1, 256, (12, 12, 1), dtype=np.uint8)], axis=-1)
    np.testing.assert_array_equal(wt.image.segment_by_radii(with_alpha, 2.0, 5.0, n_iter=1, tol=1e9).modes, found.modes)
    plain = wt.image.segment_by_radii(image, 2.0, 5.0, color="rgb", n_iter=1, tol=1e9)
    np.testing.assert_allclose(
        plain.modes, wt.image.segment_by_radii(image.astype(float), 2.0, 5.0, color="none", n_iter=1, tol=1e9).modes
    )


def test_color_spaces_are_scikit_images(rng: np.random.Generator) -> None:
    color = pytest.importorskip("skimage.color")
    rgb = rng.random((200, 1, 3)) ** 2
    rgb[:2] = [[[0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]]
    np.testing.assert_allclose(luv(rgb), color.rgb2luv(rgb), atol=1e-3)  # constants are rounded differently
    np.testing.assert_allclose(lab(rgb), color.rgb2lab(rgb), atol=1e-3)


def test_colors_as_signed_integers_are_those_of_eight_bits(rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (10, 10, 3), dtype=np.uint8)
    bytes_, whole = (
        wt.image.segment_by_radii(image, 3.0, 20.0),
        wt.image.segment_by_radii(image.astype(np.int64), 3.0, 20.0),
    )
    np.testing.assert_array_equal(whole.modes, bytes_.modes)
    np.testing.assert_array_equal(whole.filtered, bytes_.filtered)


@pytest.mark.parametrize("space", ["luv", "lab", "rgb"])
def test_colors_come_back(space: str, rng: np.random.Generator) -> None:
    image = rng.integers(1, 256, (9, 8, 4), dtype=np.uint8)
    image[0, :, :3] = 0
    still = wt.image.segment_by_radii(image, 1.0, 1e-9, color=space)  # mask_value has neighbors: nothing moves
    np.testing.assert_array_equal(still.filtered, image)
    floats = image[..., :3] / 255
    np.testing.assert_allclose(wt.image.segment_by_radii(floats, 1.0, 1e-9, color=space).filtered, floats, atol=1e-5)


def test_a_filtered_image_has_the_values_pixels_moved_to(rng: np.random.Generator) -> None:
    image = np.clip(blocks(rng, (20, 20)) + 50, 0, 255).astype(np.uint8)
    found = wt.image.segment_by_radii(image, 3.0, 8.0)
    np.testing.assert_array_equal(found.filtered, np.rint(found.modes[..., 2]).astype(np.uint8))
    assert found.filtered.std() < image.std()


def test_pixels_outside_the_mask_are_nobodys_neighbours(rng: np.random.Generator) -> None:
    image = blocks(rng, (14, 12))
    mask = rng.random(image.shape) < 0.7
    noisy = np.where(mask, image, rng.normal(scale=50, size=image.shape))
    one, two = (wt.image.segment_by_radii(what, 3.0, 8.0, mask=mask) for what in (image, noisy))
    np.testing.assert_array_equal(one.labels, two.labels)
    assert ((one.labels == -1) == ~mask).all()
    place, _ = reference.moved(image[..., None], 3.0, 8.0, 0.0, 100, mask)
    np.testing.assert_allclose(one.modes[mask][:, :2], place.reshape(14, 12, 2)[mask], atol=1e-10)
    broken = np.where(mask, image, np.nan)
    np.testing.assert_array_equal(wt.image.segment_by_radii(broken, 3.0, 8.0, mask=mask).labels, one.labels)


def test_small_regions_go_to_the_most_similar_region_they_touch() -> None:
    labels = np.array([[0, 0, 0, 1], [0, 2, 3, 3], [0, 3, 3, 3]])
    values = np.array([0.0, 9.0, 1.0, 10.0])[labels].reshape(-1, 1)
    merged, count = merge_small(labels, values, 2)
    assert count == 2
    np.testing.assert_array_equal(merged, [[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    np.testing.assert_array_equal(touching(labels), [[0, 1], [0, 2], [0, 3], [1, 3], [2, 3]])
    alone = np.zeros((2, 2), int)
    assert merge_small(alone, np.zeros((4, 1)), 100)[1] == 1


@pytest.mark.parametrize("min_size", [5, 40])
def test_no_small_region_is_left(min_size: int, rng: np.random.Generator) -> None:
    found = wt.image.segment_by_radii(blocks(rng, (40, 40), 6.0), 2.0, 4.0, min_size=min_size)
    assert np.bincount(found.labels.ravel()).min() >= min_size
    assert len(np.unique(found.labels)) == found.n_segments


@pytest.mark.parametrize(
    ("image", "options", "count"),
    [
        (np.zeros((1, 1)), {}, 1),
        (np.full((5, 7), 3.0), {}, 1),
        (np.full((5, 7, 3), 30, np.uint8), {}, 1),
        (np.zeros((3, 4, 5)), {"channel_axis": None}, 1),
        (np.array([[0, 100, 0]]), {}, 3),
        (np.array([[0, 100, 0]]), {"linking": "paper"}, 2),
        (np.arange(20.0)[None], {"spatial_radius": 1e6, "range_radius": 1e6}, 1),
    ],
    ids=range(7),
)
def test_obvious_images_have_obvious_segments(image: np.ndarray, options: dict, count: int) -> None:
    assert wt.image.segment_by_radii(image, **options).n_segments == count


def test_radii_beyond_all_squares_are_radii_of_the_whole_image() -> None:
    image = np.random.default_rng(3).integers(0, 255, (9, 8)).astype(np.uint8)
    for lam in (0.0, 2.0):
        wide, all_of_it = (
            wt.image.segment_by_radii(image, 1e6, 40.0, lam),
            wt.image.segment_by_radii(image, 1e300, 40.0, lam),
        )
        assert np.array_equal(wide.labels, all_of_it.labels)
    for linking in ("adjacent", "paper"):
        assert wt.image.segment_by_radii(image, 5.0, 1e300, linking=linking).n_segments == 1
    assert wt.image.segment_by_radii(image, tol=1e300).n_iter.max() == 1


def test_gray_levels_are_in_their_own_unit_and_the_default_follows_it(rng: np.random.Generator) -> None:
    image = np.rint(np.clip(blocks(rng, (60, 50)) + 20, 0, 255))
    image[0, :2] = 0, 255
    levels = wt.image.segment_by_radii(image.astype(np.uint8), 4, 8)
    for unit in (1.0, 64.0, 1e-3):
        np.testing.assert_array_equal(wt.image.segment_by_radii(image * unit, 4, 8 * unit).labels, levels.labels)
    usual = wt.image.segment_by_radii(image.astype(np.uint16) * 64, 4)
    np.testing.assert_array_equal(usual.labels, wt.image.segment_by_radii(image * 1e-3, 4).labels)
    with pytest.warns(UserWarning, match="in the unit of the image, whose values spread over"):
        wt.image.segment_by_radii(image.astype(np.uint16) * 64, 4, 1.0)
