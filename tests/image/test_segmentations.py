"""Scores of segmentations: known cases, and slow twins that look at every pair of pixels."""

import itertools

import numpy as np
import pytest
from scipy.io import savemat
from sklearn.metrics import adjusted_rand_score, mutual_info_score, rand_score

from benchmarks.segmentations import read_bsds, score_segmentation

_ROOMS = np.repeat(np.repeat(np.arange(12).reshape(3, 4), 10, axis=0), 10, axis=1)


@pytest.fixture
def two():
    rng = np.random.default_rng(0)
    return rng.integers(0, 5, (9, 7)), rng.integers(0, 3, (9, 7))


def test_identical_regions_are_perfect_whatever_their_numbers():
    scores = score_segmentation(100 - _ROOMS, [_ROOMS, _ROOMS])
    assert (scores.covering, scores.rand, scores.adjusted_rand, scores.boundary) == (1, 1, 1, 1)
    assert scores.variation == pytest.approx(0, abs=1e-12)


def test_one_region_covers_the_largest_share_and_is_no_better_than_chance():
    scores = score_segmentation(np.zeros_like(_ROOMS), [_ROOMS])
    assert scores.covering == pytest.approx(1 / 12)
    assert scores.adjusted_rand == 0
    assert scores.variation == pytest.approx(np.log2(12))
    assert scores.boundary == 0


def test_one_region_in_both_is_perfect():
    nothing = np.zeros((4, 5), int)
    scores = score_segmentation(nothing, [nothing])
    assert (scores.covering, scores.rand, scores.adjusted_rand, scores.variation, scores.boundary) == (1, 1, 1, 0, 1)


def test_one_pixel_is_perfect():
    assert score_segmentation([[3]], [[[0]]]).adjusted_rand == 1


@pytest.mark.parametrize(("moved", "found"), [(1, 1.0), (3, 1.0), (4, 0.0), (9, 0.0)])
def test_a_boundary_may_be_off_by_a_share_of_the_diagonal(moved, found):
    truth = np.zeros((300, 400), int)  # diagonal 500: 3.75 pixels
    truth[:, 200:] = 1
    assert score_segmentation(np.roll(truth, moved, axis=1)[:, 10:390], [truth[:, 10:390]]).boundary == found


def test_rand_indices_and_variation_are_those_of_sklearn(two):
    a, b = two
    scores = score_segmentation(a, [b])
    flat = a.ravel(), b.ravel()
    assert scores.rand == pytest.approx(rand_score(*flat), rel=1e-12)
    assert scores.adjusted_rand == pytest.approx(adjusted_rand_score(*flat), rel=1e-12)
    own = mutual_info_score(flat[0], flat[0]) + mutual_info_score(flat[1], flat[1])
    assert scores.variation == pytest.approx((own - 2 * mutual_info_score(*flat)) / np.log(2), rel=1e-12)


def test_rand_index_counts_pairs_of_pixels(two):
    a, b = (part.ravel() for part in two)
    agree = [(a[i] == a[j]) == (b[i] == b[j]) for i, j in itertools.combinations(range(len(a)), 2)]
    assert score_segmentation(*(two[0], [two[1]])).rand == pytest.approx(np.mean(agree))


def test_covering_asks_every_pair_of_regions(two):
    a, b = two
    total = 0.0
    for region in np.unique(b):
        theirs = b == region
        total += theirs.sum() * max(((a == r) & theirs).sum() / ((a == r) | theirs).sum() for r in np.unique(a))
    assert score_segmentation(a, [b]).covering == pytest.approx(total / a.size)


def test_scores_are_means_over_people(two):
    a, b = two
    both, first, second = score_segmentation(a, [a, b]), score_segmentation(a, [a]), score_segmentation(a, [b])
    for name in ("covering", "rand", "adjusted_rand", "variation", "boundary"):
        assert getattr(both, name) == pytest.approx((getattr(first, name) + getattr(second, name)) / 2)


def test_pixels_outside_the_mask_do_not_count(two):
    a, b = two
    masked = np.where(np.arange(7) < 4, a, -1)
    part, whole = score_segmentation(a[:, :4], [b[:, :4]]), score_segmentation(masked, [b])
    assert (whole.covering, whole.rand, whole.variation) == (part.covering, part.rand, part.variation)


def test_files_of_the_berkeley_benchmark_are_read(tmp_path):
    people = np.empty((1, 2), object)
    for i, labels in enumerate((_ROOMS + 1, np.ones_like(_ROOMS))):
        people[0, i] = {"Segmentation": labels.astype(np.uint16), "Boundaries": np.zeros_like(labels)}
    savemat(tmp_path / "image.mat", {"groundTruth": people})
    first, second = read_bsds(tmp_path / "image.mat")
    assert np.array_equal(first, _ROOMS)
    assert not second.any()


def test_other_files_are_refused(tmp_path):
    savemat(tmp_path / "other.mat", {"x": np.ones(3)})
    with pytest.raises(ValueError, match="must hold groundTruth"):
        read_bsds(tmp_path / "other.mat")


@pytest.mark.parametrize(
    ("labels", "truths", "match"),
    [
        (np.zeros((2, 2)), [np.zeros((2, 2), int)], "labels must be integers"),
        (np.zeros((2, 2), int), [], "at least one segmentation"),
        (np.zeros((2, 2), int), [np.zeros((2, 3), int)], "of the shape of labels"),
        (np.zeros((2, 2), int), np.zeros((2, 2), int), "must be a list of arrays"),
        (np.full((2, 2), -1), [np.zeros((2, 2), int)], "pixels in common"),
        (np.zeros((0, 2), int), [np.zeros((0, 2), int)], "at least one pixel"),
    ],
)
def test_input_is_checked(labels, truths, match):
    with pytest.raises(ValueError, match=match):
        score_segmentation(labels, truths)
