"""Listed pairs: whichever way they are turned, ordered and inherited, they are the pairs of the rectangle."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.transport import of_any_total
from scipy.spatial.distance import squareform

import wasserstein_transform as wt
from wasserstein_transform.compute.exact import batches as exact
from wasserstein_transform.compute.exact.problems import parents_of_listed

Ints = NDArray[np.intp]


def measures(n: int = 60, n_points: int = 90) -> tuple[wt.Space, wt.measures.Discrete]:
    angles = np.linspace(0, 6, n_points)
    points = np.column_stack([np.cos(angles), np.sin(angles)]) + np.random.default_rng(3).normal(0, 0.03, (n_points, 2))
    space = wt.Space.from_points(points)
    return space, wt.Truncation(0.4)(space).take(np.arange(n))


LISTS = {
    "a star": np.column_stack([np.arange(60), np.full(60, 37)]),
    "a rectangle": np.column_stack([np.repeat(np.arange(9, 14), 60), np.tile(np.arange(60), 5)]),
    "few": np.array([[3, 50], [50, 3], [7, 7], [8, 59]]),
    "at random": np.random.default_rng(0).integers(0, 60, (700, 2)),
    "a bootstrap": np.random.default_rng(1).choice(12, (400, 2)) * 5,
    "one": np.array([[58, 2]]),
}


@pytest.mark.repeated(8)
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("name", LISTS)
def test_listed_pairs_are_those_of_the_square(name: str, p: float) -> None:
    space, some = measures()
    pairs = LISTS[name]
    square = squareform(np.asarray(wt.wasserstein_pairs(some, space, p)))
    found = wt.wasserstein_pairs(some, space, p, pairs=pairs)
    np.testing.assert_allclose(found, square[pairs[:, 0], pairs[:, 1]], rtol=1e-12, atol=1e-14)
    assert found.gap <= 1e-12
    distinct = {tuple(sorted(pair)) for pair in some.distinct()[1][pairs].tolist()}
    assert found.report.n_problems == len(distinct)


@pytest.mark.parametrize("name", ["a star", "at random"])
def test_lists_give_the_same_bits_for_any_threads_and_any_order_of_the_list(name: str) -> None:
    space, some = measures()
    pairs = LISTS[name]
    one = wt.wasserstein_pairs(some, space, pairs=pairs, n_jobs=1)
    np.testing.assert_array_equal(one, wt.wasserstein_pairs(some, space, pairs=pairs, n_jobs=2))
    turned = np.random.default_rng(2).permutation(len(pairs))
    np.testing.assert_array_equal(one[turned], wt.wasserstein_pairs(some, space, pairs=pairs[turned, ::-1]))


@pytest.mark.parametrize("name", ["a star", "a rectangle", "few"])
def test_long_lists_that_are_cut_into_pieces_are_those_of_the_square(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    space, some = measures()
    pairs = LISTS[name]
    square = squareform(np.asarray(wt.wasserstein_pairs(some, space)))
    monkeypatch.setattr(exact, "_MIN_PIECE_COST", 50.0)
    found = wt.wasserstein_pairs(some, space, pairs=pairs, n_jobs=2)
    np.testing.assert_allclose(found, square[pairs[:, 0], pairs[:, 1]], rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(found, wt.wasserstein_pairs(some, space, pairs=pairs, n_jobs=1))
    across = wt.wasserstein_cross(some.take(np.arange(2)), some, space)
    np.testing.assert_allclose(across, square[:2], rtol=1e-12, atol=1e-14)


def test_measures_that_are_not_listed_make_no_difference() -> None:
    space, some = measures()
    pairs = np.array([[3, 50], [3, 51], [3, 17], [17, 51], [50, 17]])
    names = np.unique(pairs)
    fewer = wt.wasserstein_pairs(some.take(names), space, pairs=np.searchsorted(names, pairs))
    np.testing.assert_array_equal(wt.wasserstein_pairs(some, space, pairs=pairs), fewer)


def test_parents_on_a_list_are_the_nearest_above_that_the_owner_has() -> None:
    rng = np.random.default_rng(4)
    n = 30
    parent = np.append(-1, [rng.integers(0, k) for k in range(1, n)])
    listed = np.argwhere(rng.random((8, n)) < 0.4)
    owners, places = listed.T
    found = parents_of_listed(parent, owners, places)
    for k, (owner, place) in enumerate(listed):
        up, expected = place, -1
        for _ in range(2):
            up = parent[up] if up >= 0 else -1
            hit = np.flatnonzero((owners == owner) & (places == up))
            if expected < 0 and len(hit):
                expected = hit[0]
        assert found[k] == expected


def test_equal_measures_are_found_by_their_rows() -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(0, 3, (50, 4)).astype(float) + np.eye(50, 4)
    table[7] = table[2]
    some = of_any_total(table)
    first = np.unique(table, axis=0, return_index=True, return_inverse=True)
    unique, which = some.distinct()
    assert unique.n == len(first[0])
    np.testing.assert_array_equal(table[np.sort(first[1])][which], table)
