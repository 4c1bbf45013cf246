"""Orders p from 1 to infinity: monotone in p, exact beside wide measures, bottleneck transport at the end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.bottleneck import w_infinity
from reference.transport import of_any_total
from scipy.spatial.distance import cdist

import wasserstein_transform as wt
from wasserstein_transform.transport.bounds import LowerBound

MANY = [1.0, 1.5, 2.0, 3.0, 10.0, 50.0, 149.0, np.inf]


def clouds() -> dict[str, tuple[wt.Space, float]]:
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(60, 2))
    grid = np.stack(np.meshgrid(np.arange(7.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    return {
        "plane": (wt.Space.from_points(plane), 0.8),
        "grid": (wt.Space.from_points(grid), 1.5),
        "matrix": (wt.Space.from_distances(cdist(plane, plane, "cityblock"), triangle=True), 1.0),
    }


CLOUDS = clouds()


@pytest.mark.parametrize("name", CLOUDS)
def test_distances_grow_with_the_order_up_to_the_bottleneck(name: str) -> None:
    space, eps = CLOUDS[name]
    measures = wt.Truncation(eps)(space)
    rising = [wt.Exact(p).metric(measures, space.metric).matrix for p in MANY]
    for low, high in itertools.pairwise(rising):
        assert (low <= high * (1 + 1e-9)).all()
    least = min((measures.masses / np.repeat(measures.totals, np.diff(measures.indptr))).tolist())
    # W_∞ ≤ W_p / δ^(1/p) where any plan moves at least δ at the bottleneck: here a product of two shares
    assert (rising[-1] <= rising[-2] / (least * least) ** (1 / 149) * (1 + 1e-9)).all()


@pytest.mark.parametrize("width", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("p", [1.5, 2.0, 3.0, 10.0])
def test_moves_far_shorter_than_the_measures_are_wide_are_exact(width: float, p: float) -> None:
    rng = np.random.default_rng(1)
    x = np.sort(rng.random(15)) * width
    points = np.concatenate([x, x + rng.random(15)])[:, None]
    masses = np.kron(np.eye(2), np.ones(15))
    found = wt.wasserstein_pairs(of_any_total(masses), points, p)
    space = wt.Space.from_points(points)
    measures = wt.localize.Given(np.repeat(masses / 15, 15, axis=0))(space)
    line = wt.transport.Line(p).metric(measures, space.metric).matrix[0, -1]
    assert np.asarray(found)[0] == pytest.approx(line, rel=1e-12)
    assert found.gap <= 1e-12
    coupling = wt.Exact(p).coupling(measures, space.metric, 0, 29)
    assert coupling.value == pytest.approx(line, rel=1e-12)
    assert coupling.potentials is not None
    u, v = coupling.potentials
    costs = cdist(points[:15], points[15:]) ** p
    assert (u[:, None] + v <= costs * (1 + 1e-9) + 1e-12 * line**p).all()
    assert u.mean() + v.mean() == pytest.approx(line**p, rel=1e-9)


@pytest.mark.parametrize("p", [2.0, 3.0, 10.0])
@pytest.mark.parametrize("speck", [1e-3, 1e-6, 1e-9])
def test_a_speck_that_goes_far_is_paid_in_full(p: float, speck: float) -> None:
    """Most mass moves by 1, a speck by 10⁴: its cost counts, however high it is above the mean."""
    points = np.array([[0.0], [1.0], [500.0], [10_500.0]])
    masses = np.array([[1.0, 0.0, speck, 0.0], [0.0, 1.0, 0.0, speck]])
    expected = ((1 + speck * 1e4**p) / (1 + speck)) ** (1 / p)
    np.testing.assert_allclose(wt.wasserstein_pairs(of_any_total(masses), points, p), [expected], rtol=1e-9)


def test_measures_at_the_same_places_have_no_distance_whatever_the_order() -> None:
    points = np.array([[0.0], [0.0], [5.0], [5.0], [7.0]])
    masses = np.array([[1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0, 0.0]])
    for p in MANY:
        assert np.asarray(wt.wasserstein_pairs(of_any_total(masses), points, p))[0] == 0.0


def random_masses(rng: np.random.Generator, n: int, size: int) -> NDArray[np.int64]:
    masses = rng.integers(1, 7, (n, size)) * (rng.random((n, size)) < 0.4)
    masses[np.arange(n), rng.integers(0, size, n)] += 1
    return np.asarray(masses)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("kind", ["ties", "plane"])
def test_the_bottleneck_is_that_of_exact_arithmetic(kind: str) -> None:
    rng = np.random.default_rng(2)
    masses = random_masses(rng, 24, 14)
    points = rng.integers(0, 5, (14, 2)) * 1.0 if kind == "ties" else rng.normal(size=(14, 2))
    distances = cdist(points, points)
    found = wt.wasserstein_pairs(of_any_total(masses * 1.0), wt.spaces.Dense(distances), np.inf)
    for (i, j), value in zip(np.column_stack(np.triu_indices(24, 1)), np.asarray(found), strict=True):
        rows, cols = np.flatnonzero(masses[i]), np.flatnonzero(masses[j])
        exact = w_infinity(masses[i][rows], masses[j][cols], distances[np.ix_(rows, cols)])
        assert value == pytest.approx(exact, rel=1e-15)
    cross = wt.wasserstein_cross(
        of_any_total(masses[:5] * 1.0), of_any_total(masses * 1.0), wt.spaces.Dense(distances), np.inf
    )
    pairs = wt.wasserstein_pairs(
        of_any_total(masses * 1.0), wt.spaces.Dense(distances), np.inf, [[3, 9], [9, 3], [2, 2]]
    )
    np.testing.assert_array_equal(pairs, [cross.values[3, 9], cross.values[3, 9], 0.0])


@pytest.mark.parametrize("name", CLOUDS)
def test_a_bottleneck_coupling_carries_its_proof(name: str) -> None:
    space, eps = CLOUDS[name]
    measures = wt.Truncation(eps)(space)
    matrix = wt.Exact(np.inf).metric(measures, space.metric).matrix
    shares = measures.matrix().toarray()
    for i, j in [(0, 1), (3, 30), (20, 5), (7, 7)]:
        found = wt.Exact(np.inf).coupling(measures, space.metric, i, j)
        assert found.value == matrix[i, j]
        assert found.sources is not None
        assert found.targets is not None
        np.testing.assert_allclose(found.plan.sum(axis=1), shares[i][found.sources], atol=1e-13)
        np.testing.assert_allclose(found.plan.sum(axis=0), shares[j][found.targets], atol=1e-13)
        distances = space.metric.block(found.sources, found.targets)
        assert distances[found.plan > 0].max() == found.value
        if found.value > 0:
            assert found.violator is not None
            sources, targets = found.violator
            near = distances < found.value
            surplus = (
                shares[i][found.sources][sources].sum() - shares[j][found.targets][near[sources].any(axis=0)].sum()
            )
            lack = (
                shares[j][found.targets][targets].sum() - shares[i][found.sources][near[:, targets].any(axis=1)].sum()
            )
            assert max(surplus, lack) > 1e-6  # nobody can do with less


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", CLOUDS)
def test_bounds_lazy_trees_and_the_light_cone_know_the_bottleneck(name: str) -> None:
    space, eps = CLOUDS[name]
    step = wt.Transform(wt.Truncation(eps), wt.Exact(np.inf))
    full = step(space)
    matrix = full.metric.dense()
    measures = wt.Truncation(eps)(space)
    i, j = np.triu_indices(space.n, 1)
    assert (LowerBound(measures, space.metric, np.inf).of(i, j) <= matrix[i, j] * (1 + 1e-12)).all()
    np.testing.assert_allclose(
        wt.hierarchy.spanning_tree(wt.transforms.transform_lazily(step, space)).heights,
        wt.hierarchy.spanning_tree(full).heights,
        rtol=1e-14,
    )
    near = wt.transforms.iterate_locally(step, space, eps).metric.block(np.arange(space.n), np.arange(space.n))
    np.testing.assert_array_equal(near[matrix <= eps], matrix[matrix <= eps])


def test_new_points_are_followed_to_the_bottleneck() -> None:
    points = np.random.default_rng(3).normal(size=(30, 2))
    fitted = wt.LocalTruncation(eps=0.9, p=np.inf).fit(points)
    np.testing.assert_allclose(fitted.transform(points), fitted.distances_, atol=1e-12)
    far = np.array([[50.0, 50.0]])
    found = fitted.transform(far)  # sees nobody, stays a Dirac: its bottleneck to a ball is the farthest member
    ball = cdist(points, points) <= 0.9
    np.testing.assert_allclose(found[0], [cdist(far, points[inside]).max() for inside in ball])


@pytest.mark.slow
def test_a_coupling_has_the_value_of_the_batch_for_any_order() -> None:
    space, eps = CLOUDS["plane"]
    measures = wt.Truncation(eps)(space)
    for p in MANY:
        matrix = wt.Exact(p).metric(measures, space.metric).matrix
        for i, j in [(0, 1), (2, 50), (33, 12)]:
            assert wt.Exact(p).coupling(measures, space.metric, i, j).value == pytest.approx(matrix[i, j], rel=1e-11)
