"""Laws that hold for everything in the tables of localizations and transports."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from compositions import first_of_each_kind, localizations, name, transforms, transports
from reference.backend import Plain

import wasserstein_transform as wt
from wasserstein_transform.localize.extrinsic import takes_new_points

N = 14
ALL = pytest.mark.parametrize("transform", first_of_each_kind(transforms(N)), ids=name)
LINES = pytest.mark.parametrize("transform", first_of_each_kind(transforms(N, dim=1)), ids=name)
OF_ALPHA = pytest.mark.parametrize("transform", first_of_each_kind(transforms(N, of_alpha=True)), ids=name)


@pytest.fixture(
    autouse=True,
    params=["cpu", pytest.param(Plain(), marks=pytest.mark.slow)],
    ids=lambda device: getattr(device, "name", device),
)
def computed_by(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every law holds whoever computes; `make test` takes what people use."""
    with wt.using(device=request.param):
        yield


@pytest.fixture
def points(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(N, 2)) * [1.0, 0.6]


@pytest.fixture
def weights(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(0.2, 1.0, N)


def distances(transform: wt.Transform, points: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    return transform(wt.Space.from_points(points, weights)).metric.dense()


def test_every_part_has_an_example_and_a_partner() -> None:
    for kind in wt.localize.LOCALIZATIONS.values():
        found = localizations(kind, N)
        assert found
        assert all(type(example) is kind for example in found)
        assert any(transform.localize.makes is kind.makes for transform in transforms(N))
    for kind in wt.transport.TRANSPORTS.values():
        assert any(type(transform.transport) is kind for dim in (1, 2) for transform in transforms(N, dim=dim))


@ALL
def test_result_is_a_pseudometric(transform: wt.Transform, points: np.ndarray, weights: np.ndarray) -> None:
    D = distances(transform, points, weights)
    assert (D >= 0).all()
    assert (D.diagonal() == 0).all()
    assert (D == D.T).all()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()


@ALL
def test_result_does_not_depend_on_the_number_of_threads(transform: wt.Transform, points: np.ndarray) -> None:
    space = wt.Space.from_points(points)
    one, two, five = (transform(space, wt.Engine(n_jobs=k)) for k in (1, 2, 5))
    for other in (two, five):
        assert one.points is not None
        np.testing.assert_array_equal(one.points, other.points)
        np.testing.assert_array_equal(one.metric.dense(), other.metric.dense())


@OF_ALPHA
def test_order_of_the_points_does_not_matter(
    transform: wt.Transform, points: np.ndarray, weights: np.ndarray, rng: np.random.Generator
) -> None:
    order = rng.permutation(N)
    D = distances(transform, points, weights)
    np.testing.assert_allclose(
        distances(transform, points[order], weights[order]), D[np.ix_(order, order)], rtol=0, atol=1e-12
    )


@OF_ALPHA
def test_rigid_motions_do_not_matter(transform: wt.Transform, points: np.ndarray, weights: np.ndarray) -> None:
    c, s = np.cos(0.3), np.sin(0.3)
    moved = points @ np.array([[c, -s], [s, c]]) + [3.0, -2.0]
    # squaring hides half the digits of a covariance that is singular by chance of a two-point ball
    np.testing.assert_allclose(
        distances(transform, moved, weights), distances(transform, points, weights), rtol=0, atol=1e-7
    )


@OF_ALPHA
def test_weight_k_is_k_copies(transform: wt.Transform, points: np.ndarray, rng: np.random.Generator) -> None:
    copies = rng.integers(1, 4, N)
    where = np.repeat(np.arange(N), copies)
    weighted = distances(transform, points, copies)
    np.testing.assert_allclose(distances(transform, points[where]), weighted[np.ix_(where, where)], rtol=0, atol=1e-8)


@OF_ALPHA
def test_weight_0_is_absent(transform: wt.Transform, points: np.ndarray, weights: np.ndarray) -> None:
    weights[[2, 7]] = 0
    kept = np.flatnonzero(weights)
    space = wt.Space.from_points(points, weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        D = transform(space).metric.dense()
    np.testing.assert_allclose(
        D[np.ix_(kept, kept)], distances(transform, points[kept], weights[kept]), rtol=0, atol=1e-8
    )


@OF_ALPHA
def test_duplicates_can_be_merged_before_or_after(
    transform: wt.Transform, points: np.ndarray, weights: np.ndarray
) -> None:
    points = np.concatenate([points, points[:5]])
    space = wt.Space.from_points(points, np.append(weights, weights[:5]))
    merged = wt.spaces.quotient(space)
    assert merged.space.n == N
    after = transform(space)
    before = merged.expand(transform(merged.space))
    np.testing.assert_allclose(before.metric.dense(), after.metric.dense(), rtol=0, atol=1e-8)
    np.testing.assert_array_equal(before.weights, space.weights)


@ALL
def test_type_and_layout_of_the_input_do_not_matter(transform: wt.Transform, points: np.ndarray) -> None:
    points = np.round(points, 3).astype(np.float32).astype(np.float64)
    D = distances(transform, points)
    for same in (points.astype(np.float32), np.asfortranarray(points), points[::-1][::-1], points.tolist()):
        np.testing.assert_array_equal(distances(transform, same), D)


@ALL
def test_the_lazy_metric_and_its_matrix_give_the_same(transform: wt.Transform, points: np.ndarray) -> None:
    lazy = wt.Space.from_points(points)
    dense = wt.Space.from_distances(lazy.metric.dense(), points=points, triangle=True)
    one, other = transform(lazy), transform(dense)
    np.testing.assert_allclose(one.points, other.points, rtol=0, atol=1e-12)
    # of a covariance that is singular (balls of two points), rounded entries tell the root to 1e-8 only
    tolerance = 1e-8 if transform.transport.accepts is wt.measures.Gaussians else 1e-12
    np.testing.assert_allclose(one.metric.dense(), other.metric.dense(), rtol=0, atol=tolerance)
    for rows, cols in (([3], [1, 3, 5]), ([0, 4, 4], [4])):
        expected = one.metric.dense()[np.ix_(rows, cols)]
        np.testing.assert_allclose(one.metric.block(np.array(rows), np.array(cols)), expected, rtol=0, atol=1e-15)


@ALL
def test_coupling_has_the_distance_and_the_marginals(transform: wt.Transform, points: np.ndarray) -> None:
    space = wt.Space.from_points(points)
    measures = transform.localize(space)
    D = transform.transport.metric(measures, space.metric).dense()
    coupling = transform.transport.coupling(measures, space.metric, 2, 9)
    assert coupling.value == pytest.approx(D[2, 9], abs=1e-12)
    assert coupling.status is wt.transport.Status.OPTIMAL
    assert abs(coupling.gap) <= (1e-8 if isinstance(measures, wt.measures.Gaussians) else 1e-12)
    if isinstance(measures, wt.measures.Discrete):
        weights = measures.matrix().toarray()
        np.testing.assert_allclose(coupling.plan.sum(axis=1), weights[2, coupling.sources], atol=1e-14)
        np.testing.assert_allclose(coupling.plan.sum(axis=0), weights[9, coupling.targets], atol=1e-14)


@pytest.mark.parametrize("metric", ["cityblock", "cosine", "chebyshev"])
def test_other_metrics_are_evaluated_with_their_triangle_flag(metric: str, points: np.ndarray) -> None:
    space = wt.Space.from_points(points, metric=metric)
    assert isinstance(space.metric, wt.spaces.Dense)
    assert space.metric.triangle == (metric != "cosine")
    assert wt.Transform(wt.Truncation(0.5), wt.Exact(1))(space).metric.triangle == space.metric.triangle


def check_new_points(transform: wt.Transform, X: np.ndarray, new: np.ndarray, n_iter: int) -> None:
    """New points have the distances that they would have as points of weight 0, or are refused with the reason."""
    estimator = wt.WassersteinTransform(transform.localize, transform.transport, n_iter=n_iter, output="distances")
    weights = np.repeat([1.0, 0.0], [len(X), len(new)])
    if not takes_new_points(transform.localize):
        with pytest.raises(ValueError, match=r"has no measures for new points.*fit all points together"):
            estimator.fit(X).transform(new)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.transforms.MasslessWarning)
        rows = estimator.fit(X).transform(new)
        together = estimator.fit(np.concatenate([X, new]), sample_weight=weights).distances_
    np.testing.assert_allclose(rows, together[len(X) :, : len(X)], rtol=0, atol=1e-7)


@ALL
def test_every_composition_takes_new_points_if_its_localization_does(
    transform: wt.Transform, points: np.ndarray, rng: np.random.Generator
) -> None:
    check_new_points(transform, points, rng.normal(size=(5, 2)), n_iter=2)


@LINES
def test_every_composition_takes_new_points_on_a_line_too(
    transform: wt.Transform, points: np.ndarray, rng: np.random.Generator
) -> None:
    check_new_points(transform, points[:, :1], rng.normal(size=(5, 1)), n_iter=1)


@LINES
def test_distances_to_other_measures_are_those_among_all(transform: wt.Transform, points: np.ndarray) -> None:
    space = wt.Space.from_points(points[:, :1])
    measures = transform.localize(space)
    D = transform.transport.metric(measures, space.metric).dense()
    found = transform.transport.cross(measures, measures, space.metric)
    np.testing.assert_allclose(found, D, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "transport", [example for kind in wt.transport.TRANSPORTS.values() for example in transports(kind)], ids=repr
)
def test_measures_of_another_kind_are_refused_whatever_is_asked_for(
    transport: wt.transport.Transport, points: np.ndarray
) -> None:
    space = wt.Space.from_points(points[:, :1])
    truncation = wt.Truncation(1.0)
    measures = (wt.Mean(truncation) if transport.accepts is wt.measures.Discrete else truncation)(space)
    message = f"it got {type(measures).__name__} measures, made by "
    with pytest.raises(TypeError, match=message):
        transport.metric(measures, space.metric)
    with pytest.raises(TypeError, match=message):
        transport.cross(measures, measures, space.metric)
    with pytest.raises(TypeError, match=message):
        transport.coupling(measures, space.metric, 0, 1)
