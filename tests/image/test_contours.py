"""Segmentation without radii: contrasts, basins, joins, trees, sizes; against slow twins and on images with answers."""

from __future__ import annotations

import numpy as np
import pytest
from reference import contours as reference
from scipy.cluster.hierarchy import fcluster, is_valid_linkage

import wasserstein_transform as wt
from benchmarks.segmentations import score_segmentation
from wasserstein_transform.engine import current
from wasserstein_transform.image import sizes
from wasserstein_transform.image.joining import COLOR, GRAY, Weights, joined, weighed
from wasserstein_transform.image.regions import boundaries
from wasserstein_transform.image.seams import NAMES, Evidence, basins
from wasserstein_transform.image.sides import CONTRAST, contrasts, enlarged, on_grid
from wasserstein_transform.image.vibrations import jumps

STOP = np.zeros(1, np.uint8)


def scene(shape: tuple[int, int] = (60, 80), noise: float = 4.0) -> tuple[np.ndarray, np.ndarray]:
    """A photograph of a disc and a bar on ground of two colors, and its regions."""
    height, width = shape
    y, x = np.mgrid[:height, :width] / np.array([height, width])[:, None, None]
    truth = (x > 0.45).astype(int)
    truth[np.hypot((y - 0.5) * height / width, x - 0.25) < 0.13] = 2
    truth[(y > 0.25) & (y < 0.55) & (x > 0.6) & (x < 0.9)] = 3
    colors = np.array([[60, 90, 150], [120, 150, 70], [220, 200, 60], [190, 60, 50]])
    photo = colors[truth] + np.random.default_rng(0).normal(scale=noise, size=(height, width, 3))
    return np.clip(photo, 0, 255).astype(np.uint8), truth


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    pairs = np.unique(np.stack([one.ravel(), other.ravel()]), axis=1)
    return len(pairs[0]) == len(np.unique(one)) == len(np.unique(other))


@pytest.fixture(scope="module")
def found() -> wt.image.Segmentation:
    return wt.segment(scene()[0])


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    lab = np.random.default_rng(1).normal(50, 10, (3, 40, 30))
    return Evidence.of(on_grid(lab), True, None, current())


# contrasts


def test_contrast_is_the_wasserstein_distance_between_both_sides(rng: np.random.Generator) -> None:
    image = rng.integers(0, 9, (17, 19)).astype(np.float32)
    image[0, :2] = 0, 8  # thresholds are whole numbers
    made = contrasts(image, 8, (0,), STOP)[0] / CONTRAST
    for direction in range(8):
        for y, x in ((8, 9), (7, 8), (9, 11)):
            expected = reference.contrast(image, y, x, direction)
            assert made[direction, y, x] == pytest.approx(expected, rel=1e-4, abs=0.5 / CONTRAST)


@pytest.mark.parametrize("octave", [0, 1, 2])
def test_a_step_has_its_height_as_contrast_across_it_and_none_along(octave: int) -> None:
    image = np.zeros((64, 64), np.float32)
    image[:, 32:] = 7.0
    made = enlarged(contrasts(image, 16, (octave,), STOP)[octave], octave, (64, 64)) / CONTRAST
    assert made[0, 32, 31] == pytest.approx(7.0, rel=0.1)
    assert made[4, 32, 31] == pytest.approx(0.0, abs=1e-4)
    assert abs(made[0].argmax(axis=1)[32] - 31.5) <= 2**octave  # level between the middles of two blocks
    assert made[0, 32, 5] == pytest.approx(0.0, abs=1e-4)


def test_like_means_and_unlike_spread_have_contrast(rng: np.random.Generator) -> None:
    image = rng.normal(size=(40, 60)).astype(np.float32)
    image[:, 30:] *= 8.0
    made = contrasts(image, 16, (2,), STOP)[2]
    assert made[0, 2:8, 7].mean() > 3 * made[0, 2:8, 2].mean()


# basins


@pytest.mark.parametrize("levels", [3, 6, 1000])  # many pixels are level, few, none
def test_water_runs_where_it_runs_pixel_by_pixel(levels: int, rng: np.random.Generator) -> None:
    height = rng.integers(0, levels, (15, 13)).astype(float)
    assert same_partition(basins(height), reference.basins(height))
    assert basins(np.zeros((4, 5))).max() == 0


def test_a_pixel_between_two_basins_alike_is_its_own() -> None:
    for height, expected in (([0.0, 1, 2, 1, 0], [0, 0, 1, 2, 2]), ([0.0, 1, 2, 2, 1, 0], [0, 0, 0, 1, 1, 1])):
        assert same_partition(basins(np.array([height])), np.array([expected]))


def test_basins_outside_the_mask_are_none(rng: np.random.Generator) -> None:
    height, inside = rng.random((15, 13)), rng.random((15, 13)) < 0.6
    made, whole = basins(height, inside.ravel()), basins(height)
    np.testing.assert_array_equal(made >= 0, inside)
    assert same_partition(made[inside], whole[inside])
    assert made.max() + 1 == len(np.unique(made[inside]))


# joining


def test_evidence_is_what_its_slow_twin_counts(evidence: Evidence) -> None:
    rows = weighed(evidence)
    assert rows.shape == (len(evidence.ends), len(NAMES)) == (len(evidence.ends), len(COLOR.values))
    every = np.arange(len(evidence.sizes))
    for e in range(0, len(rows), 7):
        np.testing.assert_allclose(rows[e], reference.evidence(evidence, every, *evidence.ends[e]), rtol=1e-9)


@pytest.mark.parametrize("weights", [COLOR, GRAY], ids=["color", "gray"])
def test_regions_are_joined_as_by_their_slow_twin(evidence: Evidence, weights: Weights) -> None:
    joins, odds = joined(evidence, current(), weights)
    expected = reference.joined(evidence, *weights)
    np.testing.assert_array_equal(joins, [join[:2] for join in expected])
    np.testing.assert_allclose(odds, [join[2] for join in expected], rtol=1e-8, atol=1e-8)


# slow swings


def test_slow_swings_jump_where_springs_are_soft_even_around_a_gap(rng: np.random.Generator) -> None:
    n, row = 20, np.arange(400).reshape(20, 20)
    ends = np.concatenate(
        [np.stack([row[:, :-1].ravel(), row[:, 1:].ravel()], 1), np.stack([row[:-1].ravel(), row[1:].ravel()], 1)]
    )
    crosses = (ends[:, 0] % n == 9) & (ends[:, 1] % n == 10)
    stiffness = np.where(crosses & (ends[:, 0] // n < 14), 0.01, 1.0)  # a wall with a door
    made = jumps(ends, stiffness, np.ones(400))
    far = crosses & (ends[:, 0] // n < 8)
    assert made[far].min() > 5 * np.median(made[~crosses])
    order = rng.permutation(400)
    again = jumps(order[ends], stiffness, np.ones(400))
    np.testing.assert_allclose(again, made, rtol=1e-6)


def test_slow_swings_of_few_regions_and_of_parts_that_do_not_touch() -> None:
    ends = np.array([[0, 1], [1, 2], [3, 4]])
    made = jumps(ends, np.array([1.0, 0.1, 1.0]), np.ones(5))
    assert np.isfinite(made).all()
    assert made[1] > made[0] > 0
    assert len(jumps(np.empty((0, 2), int), np.empty(0), np.ones(3))) == 0


def test_all_modes_of_one_frequency_count_or_none() -> None:
    n = 12  # of a ring, modes come in pairs; the eighth has a twin
    ends = np.sort(np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1), axis=1)
    bridged = np.vstack([ends, ends + n, [[0, n]]])  # two rings: pairs of pairs
    for links, stiffness in ((ends, np.ones(n)), (bridged, np.r_[np.ones(2 * n), 1e-9])):
        made = jumps(links, stiffness, np.ones(links.max() + 1))[:n]
        np.testing.assert_allclose(made, made[0], rtol=1e-4)


# mirrored and rotated


def orientations(image: np.ndarray) -> list[np.ndarray]:
    """All eight."""
    return [np.rot90(side, turn).copy() for side in (image, image[::-1]) for turn in range(4)]


def turned_back(labels: np.ndarray, k: int) -> np.ndarray:
    back = np.rot90(labels, -(k % 4))
    return back if k < 4 else back[::-1]


def pictures() -> list[tuple[str, np.ndarray, np.ndarray | None]]:
    """Pictures of sides that octaves divide and do not; some symmetric, so that there are ties."""
    rng, made = np.random.default_rng(6), list[tuple[str, np.ndarray, np.ndarray | None]]()
    for shape in ((27, 56), (30, 33), (16, 24), (1, 41), (3, 2), (1, 1)):
        y, x = np.indices(shape)
        disc = 80.0 * (np.hypot(y - shape[0] / 2, x - shape[1] / 2) < min(shape) / 3) + 60
        gray = disc + rng.normal(scale=8.0, size=shape)
        color = np.stack([gray, 255 - gray, gray[::-1]], axis=-1).clip(0, 255)
        mask = (x - 5) ** 2 + (y - 9) ** 2 > 20
        made += [
            ("bytes", np.rint(gray).astype(np.uint8), None), ("floats", gray * 1e-3, None), ("flat", disc, None),
            ("symmetric", gray + gray[::-1] + gray[:, ::-1] + gray[::-1, ::-1], None),
            ("color", color.astype(np.uint8), None), ("masked", gray.astype(np.uint16), mask),
        ]  # fmt: skip
    return [(f"{kind} {'×'.join(map(str, image.shape[:2]))}", image, mask) for kind, image, mask in made]


@pytest.mark.repeated(1)
@pytest.mark.parametrize(("image", "mask"), [p[1:] for p in pictures()], ids=[p[0] for p in pictures()])
def test_regions_of_a_mirrored_or_rotated_picture_are_mirrored_or_rotated(
    image: np.ndarray, mask: np.ndarray | None
) -> None:
    masks = [None] * 8 if mask is None else orientations(mask)
    first, *others = (wt.segment(view, mask=inside) for view, inside in zip(orientations(image), masks, strict=True))
    for k, other in enumerate(others, 1):
        assert first.tree is not None
        assert other.tree is not None
        assert same_partition(first.labels, turned_back(other.labels, k))
        assert same_partition(first.tree.regions, turned_back(other.tree.regions, k))
        np.testing.assert_array_equal(first.tree.heights, other.tree.heights)
        numbers, at = np.unique(other.labels[other.labels >= 0], return_index=True)
        assert numbers.tolist() == np.argsort(at).tolist()  # in the order of first pixels


@pytest.mark.repeated(1)
@pytest.mark.parametrize("masked", [False, True])
def test_a_large_mirrored_picture_is_reduced_and_carried_back_alike(
    masked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sizes, "MOST", 400)
    rng = np.random.default_rng(0)
    image = rng.integers(0, 3, (7, 11)).repeat(6, 0).repeat(6, 1).astype(np.uint8) * 100
    mask = rng.random(image.shape) < 0.1 if masked else None  # few pixels: some of the finest regions have none
    masks = [None] * 8 if mask is None else orientations(mask)
    first, *others = (wt.segment(view, mask=inside) for view, inside in zip(orientations(image), masks, strict=True))
    assert first.tree is not None
    assert first.tree.regions.max() + 1 == first.tree.n_finest
    for k, other in enumerate(others, 1):
        assert other.tree is not None
        assert same_partition(first.tree.regions, turned_back(other.tree.regions, k))
        np.testing.assert_array_equal(first.tree.heights, other.tree.heights)


# what comes out


def test_regions_of_a_clear_scene_are_found() -> None:
    photo, truth = scene((120, 160))
    found = wt.segment(photo)
    scores = score_segmentation(found.labels, [truth])
    assert found.n_segments == 4
    assert scores.covering > 0.95
    assert found.filtered.dtype == np.uint8
    assert np.abs(found.filtered.astype(float) - photo).mean() < 8
    assert repr(found) == "<Segmentation of 120 × 160 pixels into 4 segments>"
    assert "finest regions of its tree" in found._repr_html_()
    assert "iterations" not in found._repr_html_()


def test_a_tree_gives_any_number_of_regions_each_level_within_the_next(found: wt.image.Segmentation) -> None:
    tree = found.tree
    assert tree is not None
    before = tree.regions
    for n in (tree.n_finest, 9, 5, 2, 1):
        labels = tree.cut(n_segments=n)
        assert np.unique(labels).tolist() == list(range(n))
        assert len(np.unique(np.stack([before.ravel(), labels.ravel()]), axis=1)[0]) == before.max() + 1
        before = labels
    assert (np.diff(tree.heights) >= 0).all()
    assert tree.heights.min() >= 0
    assert tree.heights.max() <= 1
    counts = [tree.n_segments(scale) for scale in (0, 0.2, 0.5, 0.9, 1)]
    assert counts == sorted(counts, reverse=True)
    assert [int(tree.cut(scale).max()) + 1 for scale in (0, 0.2, 0.5, 0.9, 1)] == counts
    assert counts[-1] == 1
    assert repr(tree) == f"<RegionTree of 60 × 80 pixels, {tree.n_finest} finest regions>"


def test_contours_above_a_scale_are_the_boundaries_at_that_scale(found: wt.image.Segmentation) -> None:
    tree = found.tree
    assert tree is not None
    strength = tree.contours()
    for scale in (0.0, 0.1, 0.3, 0.5, 0.8):
        np.testing.assert_array_equal(strength > scale, boundaries(tree.cut(scale)))


def test_scipy_cuts_the_linkage_as_the_tree_does(found: wt.image.Segmentation) -> None:
    tree = found.tree
    assert tree is not None
    Z = tree.linkage()
    assert is_valid_linkage(Z)
    for n in (2, 4, 9):
        flat = fcluster(Z, n, "maxclust")
        assert same_partition(flat[tree.regions], tree.cut(n_segments=n))


@pytest.mark.slow
def test_scale_and_number_reach_the_tree(found: wt.image.Segmentation) -> None:
    photo, tree = scene()[0], found.tree
    assert tree is not None
    np.testing.assert_array_equal(wt.segment(photo, scale=0.2).labels, tree.cut(0.2))
    np.testing.assert_array_equal(wt.segment(photo, n_segments=3).labels, tree.cut(n_segments=3))
    np.testing.assert_array_equal(wt.segment(photo, n_segments=3.0).labels, tree.cut(n_segments=3.0))
    fine = wt.segment(photo, scale=0.0, min_size=50)
    assert np.bincount(fine.labels.ravel()).min() >= 50


def test_contours_have_a_tree_and_radii_have_none(found: wt.image.Segmentation) -> None:
    assert found.tree is not None
    assert wt.image.segment_by_radii(scene()[0]).tree is None


# kinds of images


@pytest.mark.slow
def test_gray_pictures_of_any_type_have_regions(rng: np.random.Generator) -> None:
    truth = scene()[1]
    level = np.array([40, 90, 160, 220])[truth] + rng.normal(scale=3.0, size=truth.shape)
    shown = np.rint(level).astype(np.uint8)
    for gray in (shown, shown[..., None], shown.astype(np.uint16) * 9 + 500, shown - 1000.0, shown * 1e-6):
        made = wt.segment(gray)
        assert score_segmentation(made.labels, [truth]).covering > 0.9
        assert made.filtered.shape == gray.shape
        assert made.filtered.dtype == gray.dtype
    units = [wt.segment(level * factor).labels for factor in (1.0, 4.0)]
    np.testing.assert_array_equal(*units)


def test_opacity_counts_for_nothing_but_transparent_pixels_are_left_out(
    found: wt.image.Segmentation, rng: np.random.Generator
) -> None:
    alpha = rng.integers(1, 256, (60, 80, 1), dtype=np.uint8)
    made = wt.segment(np.concatenate([scene()[0], alpha], axis=2))
    np.testing.assert_array_equal(made.labels, found.labels)
    np.testing.assert_array_equal(made.filtered[..., 3:], alpha)
    alpha[10:20, 30:] = 0
    for kind in (np.uint8, np.uint16, np.float64):
        unit = 1 / 255 if kind is np.float64 else 257.0 if kind is np.uint16 else 1
        holes = wt.segment((np.concatenate([scene()[0], alpha], axis=2) * unit).astype(kind))
        np.testing.assert_array_equal(holes.labels < 0, alpha[..., 0] == 0)
    masked = wt.segment(scene()[0], mask=alpha[..., 0] > 0)
    np.testing.assert_array_equal(wt.segment(np.concatenate([scene()[0], alpha], axis=2)).labels, masked.labels)


def test_separate_channels_are_segmented_like_gray(rng: np.random.Generator) -> None:
    truth = scene()[1]
    gray = np.rint(np.array([40, 90, 160, 220])[truth] + rng.normal(scale=3.0, size=truth.shape)).astype(np.uint8)
    alone = wt.segment(gray).labels
    for n in (1, 2, 5):  # a channel given several times changes nothing
        np.testing.assert_array_equal(wt.segment(np.stack([gray] * n, axis=2)).labels, alone)
    half = [np.where(np.isin(truth, seen), gray, 90).astype(np.uint8) for seen in ((0, 1), (2, 3))]
    made = wt.segment(np.stack(half, axis=2))  # no channel alone shows all regions
    assert score_segmentation(made.labels, [truth]).covering > 0.9
    np.testing.assert_array_equal(wt.segment(np.stack(half[::-1], axis=2)).labels, made.labels)
    np.testing.assert_array_equal(wt.segment(np.stack(half), channel_axis=0).labels, made.labels)
    four = np.stack([*half, *half], axis=2)
    np.testing.assert_array_equal(wt.segment(four, color=False).labels, made.labels)


@pytest.mark.slow
def test_a_dull_picture_is_cut_at_a_lower_scale_and_keeps_its_regions() -> None:
    photo = pytest.importorskip("skimage.data").coffee()
    bright, dull = wt.segment(photo), wt.segment(np.rint(110 + 0.3 * (photo - 110.0)).astype(np.uint8))
    assert dull.tree is not None
    assert dull.scale == dull.tree.choose_scale() < bright.scale
    chosen, fixed = (
        score_segmentation(labels, [bright.labels]).covering for labels in (dull.labels, dull.tree.cut(bright.scale))
    )
    assert chosen > fixed + 0.1


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (2, 3), (5, 7)])
def test_an_even_image_of_any_shape_is_one_region(shape: tuple[int, int]) -> None:
    for image in (np.full(shape, 3.0), np.full((*shape, 3), 30, np.uint8)):
        made = wt.segment(image)
        assert made.n_segments == 1
        assert (made.labels == 0).all()
        assert made.tree is not None
        assert (made.tree.contours() == 0).all()


def test_a_mask_leaves_pixels_out_and_parts_that_do_not_touch_are_joined_last() -> None:
    photo, truth = scene()
    mask = np.ones(truth.shape, bool)
    mask[:, 34:38] = False
    hidden = photo.copy()
    hidden[~mask] = np.random.default_rng(3).integers(0, 256, (np.count_nonzero(~mask), 3))
    made, other = wt.segment(photo, mask=mask), wt.segment(hidden, mask=mask)
    np.testing.assert_array_equal(made.labels, other.labels)  # what is masked out is not looked at
    np.testing.assert_array_equal(made.labels >= 0, mask)
    tree = made.tree
    assert tree is not None
    assert tree.heights[-1] == 1.0
    left, right = tree.cut(n_segments=2)[0, 0], tree.cut(n_segments=2)[0, -1]
    assert left != right
    assert score_segmentation(made.labels, [np.where(mask, truth, -1)]).covering > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("masked", [False, True])
def test_large_images_are_cut_along_their_own_edges(masked: bool) -> None:
    photo, truth = scene((900, 1203), noise=6.0)
    mask = np.hypot(*(np.indices(truth.shape) - 500)) < 480 if masked else None
    made = wt.segment(photo, mask=mask)
    seen = truth if mask is None else np.where(mask, truth, -1)
    scores = score_segmentation(made.labels, [seen])
    assert scores.covering > 0.98
    assert made.tree is not None
    assert np.unique(made.tree.regions[made.tree.regions >= 0]).tolist() == list(range(made.tree.n_finest))
    if mask is not None:
        np.testing.assert_array_equal(made.labels >= 0, mask)


@pytest.mark.slow
def test_long_strips_are_cut_too() -> None:
    strip = np.repeat([[20, 200]], 100_000, axis=1).astype(np.uint8)
    labels = wt.segment(strip, n_segments=2).labels
    (edge,) = np.flatnonzero(np.diff(labels[0]))
    assert abs(edge - 100_000) < 200


def test_the_result_does_not_depend_on_the_number_of_threads(found: wt.image.Segmentation) -> None:
    one = wt.segment(scene()[0], n_jobs=1)
    assert one.tree is not None
    assert found.tree is not None
    np.testing.assert_array_equal(one.tree.joins, found.tree.joins)
    np.testing.assert_array_equal(one.tree.heights, found.tree.heights)


# manners


def test_a_cut_needs_one_rule(found: wt.image.Segmentation) -> None:
    tree = found.tree
    assert tree is not None
    for options in ({}, {"scale": 0.5, "n_segments": 3}):
        with pytest.raises(ValueError, match="give one of"):
            tree.cut(**options)


def test_values_that_are_not_finite_can_be_masked_out() -> None:
    gray = scene()[0][..., 0].astype(float)
    gray[10:20, 10:20] = np.nan
    made = wt.segment(gray, mask=np.isfinite(gray))
    assert (made.labels[10:20, 10:20] == -1).all()
    assert made.n_segments > 1


def test_cancelled_work_ends() -> None:
    seen: list[str] = []
    engine = wt.Engine(progress=lambda update: (seen.append(update.stage), engine.cancel())[0])
    with pytest.raises(wt.engine.Cancelled):
        wt.segment(scene()[0], engine=engine)
    assert seen[0] == "contours"
