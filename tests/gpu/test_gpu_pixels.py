"""Segmentation on a device: modes, regions and pictures of the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from gpu.calling import CPU, Cuda

import wasserstein_transform as wt
from wasserstein_transform.compute.metrics.distances import closed
from wasserstein_transform.compute.pixels.motion import (
    ConvergedPixels,
    Image,
    Motion,
    RegionLinks,
    mask_value,
    window_of,
)


def _blocks(rng: np.random.Generator, shape: tuple[int, ...], channels: int, noise: float = 2.0) -> np.ndarray:
    """A grid of blocks of few values, with noise; one row a channel."""
    coarse = 20.0 * rng.integers(0, 3, (channels, *(-(-side // 5) for side in shape)))
    fine = coarse
    for axis in range(1, 1 + len(shape)):
        fine = np.repeat(fine, 5, axis=axis).take(range(shape[axis - 1]), axis=axis)
    return np.asarray(fine.reshape(channels, -1) + rng.normal(0, noise, (channels, int(np.prod(shape)))))


def _agree(
    values: np.ndarray, shape: tuple[int, ...], motion: Motion, cuda: Cuda, mask: np.ndarray | None = None
) -> ConvergedPixels:
    """That of the CPU, after comparing it with that of the device."""
    depth, height, width = (1, *shape)[-3:]
    if mask is not None:
        values = np.where(mask, values, values.dtype.type(mask_value(values.dtype)))
    image, window = Image(values, mask, len(shape)), window_of((depth, height, width), motion.spatial)
    engine, expected = wt.Engine(device=cuda), CPU.shift_pixels(image, window, motion, wt.Engine())
    found = cuda.shift_pixels(image, window, motion, engine)
    scale = max(motion.spatial, float(np.abs(values if mask is None else values[:, mask]).max()))
    np.testing.assert_allclose(np.asarray(found.modes), expected.modes, rtol=0, atol=1e-12 * scale)
    np.testing.assert_array_equal(np.asarray(found.n_iter), expected.n_iter)
    assert found[2:] == expected[2:]
    links = RegionLinks(mask, len(shape), closed(motion.spatial), closed(0.5 * motion.range))
    labels, count = cuda.link_touching(found.modes, (depth, height, width), links, engine)
    wanted, n_wanted = CPU.link_touching(expected.modes, (depth, height, width), links, wt.Engine())
    np.testing.assert_array_equal(labels, wanted)
    assert count == n_wanted
    return expected


def _slow(*values: object) -> object:
    """Each is compiled for itself."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.repeated(1)
@pytest.mark.parametrize(
    ("channels", "kind", "lam"),
    [
        (1, np.float32, 0.0),
        (3, np.float32, 5.0),
        (5, np.float64, 0.0),
        _slow(1, np.float32, 5.0),
        _slow(3, np.float32, 0.0),
        _slow(5, np.float64, 5.0),
        _slow(32, np.float64, 5.0),
    ],
)
def test_images(channels: int, kind: type, lam: float, cuda: Cuda, rng: np.random.Generator) -> None:
    values = _blocks(rng, (33, 45), channels, noise=4.0).astype(kind)
    moved = _agree(values, (33, 45), Motion(4.0, 8.0 * channels**0.5, lam, 0.0, 100), cuda)
    assert moved.n_iter.max() >= 3  # there is something to agree on


@pytest.mark.parametrize("lam", [5.0, _slow(0.0)])
def test_volumes_with_a_mask(lam: float, cuda: Cuda, rng: np.random.Generator) -> None:
    shape = (7, 12, 19)
    mask = rng.random(7 * 12 * 19) < 0.8
    moved = _agree(_blocks(rng, shape, 1), shape, Motion(3.0, 6.0, lam, 0.0, 100), cuda, mask)
    assert np.isnan(moved.modes[~mask]).all()
    assert np.isfinite(moved.modes[mask]).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (300, 1), (3, 17), (129, 2)])
@pytest.mark.parametrize("lam", [0.0, 5.0])
def test_narrow_images_and_windows_wider_than_the_image(
    shape: tuple[int, int], lam: float, cuda: Cuda, rng: np.random.Generator
) -> None:
    _agree(_blocks(rng, shape, 1).astype(np.float32), shape, Motion(20.0, 6.0, lam, 0.0, 100), cuda)


@pytest.mark.parametrize("lam", [0.0, 5.0])
def test_a_constant_image(lam: float, cuda: Cuda) -> None:
    moved = _agree(np.full((1, 400), 7.0, np.float32), (20, 20), Motion(4.0, 1.0, lam, 0.0, 100), cuda)
    assert (moved.modes[:, 2] == 7.0).all()


def test_swinging_pixels_stop_where_the_cpu_stops_them(cuda: Cuda, rng: np.random.Generator) -> None:
    values = _blocks(rng, (40, 50), 1, noise=4.0).astype(np.float32)
    moved = _agree(values, (40, 50), Motion(5.0, 8.0, 5.0, 0.0, 100), cuda)
    assert moved.n_cycling > 0


@pytest.mark.parametrize(("tol", "n_iter"), [(0.5, 100), (0.0, 2)])
def test_tolerance_and_most_iterations(tol: float, n_iter: int, cuda: Cuda, rng: np.random.Generator) -> None:
    values = _blocks(rng, (33, 45), 3).astype(np.float32)
    moved = _agree(values, (33, 45), Motion(4.0, 8.0, 0.0, tol, n_iter), cuda)
    assert (moved.n_unfinished > 0) == (n_iter == 2)


def test_work_is_cut_into_launches(cuda: Cuda, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wasserstein_transform.cuda.pixels.MAX_LAUNCH_COMPARISONS", 1e4)
    stages = []
    values = _blocks(rng, (33, 45), 1).astype(np.float32)
    _agree(values, (33, 45), Motion(4.0, 8.0, 5.0, 0.0, 100), cuda)
    window, motion = window_of((1, 33, 45), 4.0), Motion(4.0, 8.0, 0.0, 0.0, 100)
    engine = wt.Engine(device=cuda, progress=lambda update: stages.append((update.stage, update.done, update.total)))
    cuda.shift_pixels(Image(values, None, 2), window, motion, engine)
    total = 3 * 5  # tiles of 16 by 8 pixels
    assert stages[: total + 1] == [("moving pixels", done, total) for done in range(total + 1)]
    assert 0 < stages[total + 1][2] < total  # pixels that do not rest after two iterations


def test_cancelling(cuda: Cuda, rng: np.random.Generator) -> None:
    engine = wt.Engine(device=cuda)
    engine.cancel()
    with pytest.raises(wt.engine.Cancelled):
        cuda.shift_pixels(
            Image(rng.normal(size=(1, 100)), None, 2), window_of((1, 10, 10), 3.0), Motion(3, 1, 0, 0, 9), engine
        )


def _snake(side: int) -> np.ndarray:
    """One corridor through the whole image, and the walls between its turns."""
    image = np.zeros((side, side))
    image[1::2] = 100.0
    image[1::4, -1] = image[3::4, 0] = 0.0
    return image


@pytest.mark.parametrize("picture", ["snake", "spiral", "noise", "checks"])
def test_regions_of_any_form(picture: str, cuda: Cuda, rng: np.random.Generator) -> None:
    side = 71
    rows, cols = np.indices((side, side))
    turns = np.hypot(rows - side / 2, cols - side / 2) / 3 + np.arctan2(rows - side / 2, cols - side / 2) / np.pi
    images = {
        "snake": _snake(side),
        "spiral": 100.0 * (turns % 2 < 1),
        "noise": 10.0 * rng.integers(0, 2, (side, side)),
        "checks": 10.0 * ((rows + cols) % 2),
    }
    modes = np.stack([rows, cols, images[picture]], axis=-1).reshape(-1, 3)
    for mask in (None, rng.random(side * side) < 0.9):
        links = RegionLinks(mask, 2, 2.0, 1.0)
        expected = CPU.link_touching(modes, (1, side, side), links, wt.Engine())
        labels, count = cuda.link_touching(modes, (1, side, side), links, wt.Engine(device=cuda))
        np.testing.assert_array_equal(labels, expected[0])
        assert count == expected[1]


@pytest.mark.parametrize("shape", [(31, 40), (5, 11, 12), (1, 1)])
def test_sums_of_regions(shape: tuple[int, ...], cuda: Cuda, rng: np.random.Generator) -> None:
    labels = np.unique(rng.integers(0, 40, shape) ** 2 // 40, return_inverse=True)[1].reshape(shape)  # one is large
    values, engine = rng.normal(size=(labels.size, 4)), wt.Engine(device=cuda)
    for regions in (labels, np.where(labels == labels.max(), -1, labels) if labels.max() else labels):
        sums, sizes = cuda.region_sums(regions, values, 1, engine)
        expected, n_expected = CPU.region_sums(regions, values, 1, engine)
        np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-12 * labels.size)
        np.testing.assert_array_equal(sizes, n_expected)


def _picture(rng: np.random.Generator, dtype: type, channels: int) -> np.ndarray:
    shares = np.clip(_blocks(rng, (30, 37), channels, 3.0).T.reshape(30, 37, channels) / 60 + 0.1, 0, 1)
    most = min(np.iinfo(dtype).max, 65535) if np.dtype(dtype).kind in "ui" else 1
    return np.asarray((shares * most).astype(dtype))


@pytest.mark.parametrize(
    ("dtype", "channels", "color"),
    [
        (np.uint8, 3, "luv"),
        _slow(np.uint8, 4, "lab"),
        _slow(np.uint16, 3, "rgb"),
        _slow(np.float64, 3, "luv"),
        _slow(np.float32, 3, "lab"),
        (np.uint8, 1, "luv"),
        (np.int32, 1, "luv"),  # not a type of the device: the host changes it, the device moves pixels
    ],
)
def test_segment_gives_what_the_cpu_gives(
    dtype: type, channels: int, color: str, cuda: Cuda, rng: np.random.Generator
) -> None:
    image = _picture(rng, dtype, channels)
    mask = rng.random(image.shape[:2]) < 0.9
    for inside in (None, mask):
        found = wt.image.segment_by_radii(image, 4, 6, color=color, mask=inside, engine=wt.Engine(device=cuda))
        expected = wt.image.segment_by_radii(image, 4, 6, color=color, mask=inside)
        np.testing.assert_array_equal(found.labels, expected.labels)
        np.testing.assert_allclose(found.modes, expected.modes, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(found.n_iter, expected.n_iter)
        assert found.filtered.dtype == expected.filtered.dtype
        np.testing.assert_allclose(found.filtered, expected.filtered, rtol=0, atol=1e-12)
        assert found.n_segments == expected.n_segments > 1


@pytest.mark.slow
@pytest.mark.parametrize(("linking", "min_size"), [("adjacent", 4), ("paper", 0)])
def test_segment_with_all_that_comes_after(linking: str, min_size: int, cuda: Cuda, rng: np.random.Generator) -> None:
    image = _picture(rng, np.uint8, 3)
    found, expected = (
        wt.image.segment_by_radii(image, 4, 3, linking=linking, min_size=min_size, engine=engine)
        for engine in (wt.Engine(device=cuda), wt.Engine())
    )
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.n_segments == expected.n_segments > 1


def test_modes_stay_on_the_device_until_they_are_read(cuda: Cuda, rng: np.random.Generator) -> None:
    fetched, fetch = [], cuda.device.fetch
    cuda.device.fetch = lambda array: fetched.append(array.shape) or fetch(array)  # type: ignore[method-assign, func-returns-value]
    try:
        found = wt.image.segment_by_radii(_picture(rng, np.uint8, 3), 4, 6, engine=wt.Engine(device=cuda))
        assert fetched == [(30 * 37,), (30 * 37, 3)]  # labels and the picture
        assert found.modes.shape == (30, 37, 5)
        assert found.modes is found.modes
        assert fetched[2:] == [(30 * 37, 5)]
    finally:
        del cuda.device.fetch


def test_bad_values_are_refused(cuda: Cuda) -> None:
    image = np.zeros((10, 10, 3))
    image[3, 4, 1] = np.nan
    with pytest.raises(ValueError, match="finite"):
        wt.image.segment(image, engine=wt.Engine(device=cuda))
    image[3, 4, 1] = 1e101
    with pytest.raises(ValueError, match="must lie within"):
        wt.image.segment_by_radii(image, color="none", engine=wt.Engine(device=cuda))
