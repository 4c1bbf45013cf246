"""The scores of the experiments, on trees and curves that know their answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wt_paper.experiments.scores import (
    absorbed,
    agreement,
    alike,
    best_rand,
    differences,
    explained,
    information_apart,
    most_alike,
    off_curve,
    on_edges,
    same_regions,
    separation,
    thickness,
    unevenness,
)


def tree(points: list[float]) -> wt.hierarchy.Tree:
    return wt.hierarchy.spanning_tree(wt.Space.from_points(np.array(points)[:, None]))


def test_separation_finds_the_range_of_heights_between_the_widest_inner_and_the_outer_gap() -> None:
    found = separation(tree([0, 1, 2, 10, 12, 14]), np.array([0, 0, 0, 1, 1, 1]), tolerance=0.0)
    assert (found.lower, found.upper, found.n_clusters, found.error) == (2, 8, 2, 0)
    assert found.gap == pytest.approx(0.75)


def test_parts_that_share_a_cluster_are_not_separated() -> None:
    found = separation(tree([0, 1, 2, 3, 4, 5]), np.array([0, 0, 0, 1, 1, 1]), tolerance=0.0)
    assert not found.found
    assert found.gap == 0
    assert str(found) == "no height"


def test_points_without_a_part_may_be_anywhere_and_strays_count_as_clusters() -> None:
    points, labels = [0, 1, 2, 6, 10, 11, 12], np.array([0, 0, 0, -1, 1, 1, 1])
    loose = separation(tree(points), labels, tolerance=0.0)
    assert (loose.lower, loose.upper, loose.n_clusters) == (1, 4, 3)
    assert not separation(tree(points), labels, tolerance=0.0, n_clusters=2).found


def test_a_tolerance_lets_that_share_of_a_part_be_elsewhere() -> None:
    points, labels = [*range(10), 9.5, 20, 21, 22], np.repeat([0, 1, 1], [10, 1, 3])
    assert not separation(tree(points), labels, tolerance=0.2).found
    found = separation(tree(points), labels, tolerance=0.25)
    assert found.found
    assert found.error == pytest.approx(0.25)


def test_of_two_ranges_the_relatively_wider_one_is_kept() -> None:
    points = [0, 0.01, 1, 100, 100.01, 101]  # pairs at 0.01, triples at 0.99, all at 99
    found = separation(tree(points), np.array([0, 0, -1, 1, 1, -1]), tolerance=0.0)
    assert found.lower == pytest.approx(0.01)
    assert found.upper == pytest.approx(99)  # with and without the third points it is the same partition


@pytest.mark.parametrize("seed", range(5))
def test_the_best_rand_index_and_cluster_are_those_of_all_cuts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    grown = wt.hierarchy.spanning_tree(wt.Space.from_points(X))
    cuts = [fcluster(grown.Z, height, "distance") for height in grown.heights]
    assert best_rand(grown, labels) == pytest.approx(max(adjusted_rand_score(labels, cut) for cut in cuts))
    members = labels == 0
    overlaps = [(members & (cut == k)).sum() / (members | (cut == k)).sum() for cut in cuts for k in np.unique(cut)]
    assert most_alike(grown, members).overlap == pytest.approx(max(overlaps))


def test_trees_are_alike_up_to_scale_and_not_when_they_join_others_first() -> None:
    one = tree([0, 1, 10, 12])
    assert alike(one, tree([0, 2, 20, 24])) == pytest.approx(1)
    assert alike(one, tree([0, 10, 1, 12])) < 0.5


def test_distances_to_a_curve_are_averaged_and_counted() -> None:
    curve = wt.datasets.Curve((np.array([[0.0, 0], [10, 0]]),))
    points = np.array([[1.0, 1], [5, -3], [12, 0]])
    assert off_curve(points, curve) == pytest.approx(2)
    assert absorbed(points, curve, 2.5) == pytest.approx(2 / 3)


def test_a_line_has_no_thickness_and_a_strip_has_that_of_its_deviation() -> None:
    line = np.column_stack([np.linspace(0, 1, 100), np.linspace(0, 2, 100)])
    assert thickness(line, 0.5) == pytest.approx(0, abs=1e-9)
    rng = np.random.default_rng(0)
    strip = np.column_stack([rng.uniform(0, 100, 4000), rng.normal(scale=0.1, size=4000)])
    assert thickness(strip, 2.0) == pytest.approx(0.1, rel=0.03)


def test_circles_of_any_radius_are_even() -> None:
    points, labels, _ = wt.datasets.circles(0, noise=0.0)
    assert unevenness(0.7 * points, labels) == pytest.approx(0, abs=1e-12)
    points, labels, _ = wt.datasets.circles(0, n=20_000, noise=0.05)
    assert unevenness(points, labels) == pytest.approx(0.05, rel=0.03)


def test_embeddings_agree_up_to_motion_and_scale(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert agreement(X, 3 * X @ turn + 5) == pytest.approx(1)
    assert agreement(X, rng.normal(size=(30, 2))) < 0.5


def test_segmentations_are_compared_by_pairs_information_and_overlap() -> None:
    quarters = np.kron([[0, 1], [2, 3]], np.ones((4, 4), int))
    halves = quarters // 2
    assert same_regions(halves, 1 - halves) == 1
    assert information_apart(halves, 1 - halves) == pytest.approx(0, abs=1e-12)
    assert information_apart(halves, quarters) == pytest.approx(1)  # a bit more in one than in the other
    np.testing.assert_allclose(differences(halves, quarters), 0.5)
    np.testing.assert_array_equal(differences(halves, 1 - halves), 0)


def test_regions_explain_the_grey_between_them() -> None:
    image = np.kron([[0.0, 2.0], [10.0, 12.0]], np.ones((4, 4)))
    halves = np.repeat([0, 1], 4)[:, None] * np.ones((1, 8), int)
    assert explained(halves, image) == pytest.approx(25 / 26)
    assert explained(0 * halves, image) == 0


def test_boundaries_lie_on_edges_or_not() -> None:
    image = np.zeros((40, 40))
    image[:, 20:] = 100.0
    upright, level = np.zeros((2, 40, 40), bool)
    upright[:, 19] = level[19] = True
    assert on_edges(upright, image, 0.05) == 1
    assert on_edges(level, image, 0.05) < 0.2
    assert on_edges(np.zeros((40, 40), bool), image) == 0
