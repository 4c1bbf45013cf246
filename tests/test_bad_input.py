"""Bad input gets one clear error; odd but legal input works."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

import wasserstein_transform as wt

GOOD = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("eps", [0, -1, np.nan, np.inf, "big", None, True])
def test_eps_is_checked(eps: object) -> None:
    makers = (
        wt.Truncation,
        wt.transforms.mean_shift,
        wt.transforms.local_truncation,
        wt.transforms.gaussian_transform,
        lambda e: wt.Kernel(e, "gaussian"),
        lambda e: wt.MeanShift(eps=e).fit(GOOD),
        lambda e: wt.LocalTruncation(eps=e).fit(GOOD),
    )
    for make in makers:
        with pytest.raises(ValueError, match="eps must be"):
            make(eps)


@pytest.mark.parametrize("lam", [-1, np.nan, np.inf, "x"])
def test_lam_is_checked(lam: object) -> None:
    with pytest.raises(ValueError, match="lam"):
        wt.Gaussian(wt.Truncation(1.0), lam=lam)
    with pytest.raises(ValueError, match="lam"):
        wt.GaussianTransform(eps=1.0, lam=lam).fit(GOOD)


@pytest.mark.parametrize("p", [0.5, 0, -1, np.nan, -np.inf, "1"])
def test_p_is_checked(p: object) -> None:
    with pytest.raises(ValueError, match="p must"):
        wt.Exact(p)
    with pytest.raises(ValueError, match="p must"):
        wt.LocalTruncation(eps=1.0, p=p).fit(GOOD)


@pytest.mark.parametrize("n_iter", [-1, 1.5, "2", None])
def test_n_iter_is_checked(n_iter: object) -> None:
    with pytest.raises(ValueError, match="n_iter"):
        wt.iterate(wt.transforms.mean_shift(1.0), wt.Space.from_points(GOOD), n_iter=n_iter)
    with pytest.raises(ValueError, match="n_iter"):
        wt.GaussianTransform(eps=1.0, n_iter=n_iter).fit(GOOD)


def test_a_row_without_mass_is_an_error_for_a_point_with_mass() -> None:
    hollow = wt.Kernel(1.0, lambda t: 1.0 * ((t > 0) & (t < 1)))
    space = wt.Space.from_points([[0.0], [0.5], [9.0]])
    for localize in (hollow, wt.Mean(hollow)):
        with pytest.raises(ValueError, match="no mass, the first is point 2"):
            localize(space)
    massless = wt.Space.from_points([[0.0], [0.5], [9.0]], weights=[1, 1, 0])
    assert hollow(massless).massless.tolist() == [False, False, True]


def test_a_profile_must_give_weights() -> None:
    space = wt.Space.from_points(GOOD)
    for profile in (lambda t: -np.ones_like(t), lambda t: np.full_like(t, np.nan), lambda t: 1.0):
        with pytest.raises(ValueError, match="profile"):
            wt.Kernel(1.0, profile)(space)


def test_extrinsic_localizations_need_coordinates() -> None:
    space = wt.Space.from_distances(np.ones(3))
    for localize in (wt.Mean(wt.Truncation(1.0)), wt.Gaussian(wt.Truncation(1.0), 1.0)):
        with pytest.raises(ValueError, match="points=X"):
            localize(space)


ODD = {
    "one point": np.zeros((1, 2)),
    "duplicates": np.repeat(GOOD, 4, axis=0),
    "constant": np.ones((6, 2)),
    "one coordinate": np.arange(5.0)[:, None],
    "many coordinates": np.random.default_rng(0).normal(size=(6, 40)),
    "collinear": np.column_stack([np.arange(9.0), np.zeros(9), np.zeros(9)]),
    "far and near": np.array([[0.0, 0.0], [1e-9, 0.0], [1e9, 0.0], [1e9, 1.0]]),
}


@pytest.mark.repeated(12)
@pytest.mark.parametrize("X", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize(
    "estimator",
    [
        wt.MeanShift(),
        wt.GaussianTransform(n_iter=2),
        wt.LocalTruncation(n_iter=2),
        wt.KernelTransform(p=2),
        wt.MeanShift(eps=1.0, merge=0.1),
        wt.GaussianTransform(eps=1.0, lam=5.0, merge=0.0),
    ],
    ids=str,
)
def test_odd_data_work(estimator, X: np.ndarray) -> None:
    out = estimator.fit_transform(X)
    assert np.isfinite(out).all()
    assert np.isfinite(estimator.distances_).all()
    assert estimator.linkage().shape == (len(X) - 1, 4)
    np.testing.assert_allclose(estimator.transform(X), out, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_huge_weights_and_orders_are_fine() -> None:
    assert wt.Space.from_points(GOOD, [1e308] * 3).weights.tolist() == [1 / 3] * 3
    space = wt.Space.from_points(GOOD * 1e8)
    coupling = wt.Exact(50).coupling(wt.Truncation(1.0)(space), space.metric, 0, 1)
    assert coupling.value == pytest.approx(np.sqrt(8) * 1e8)
    assert coupling.potentials is None


def test_arrays_in_place_of_spaces_and_metrics_are_refused() -> None:
    space = wt.Space.from_points(GOOD)
    for call in (
        wt.Truncation(1.0),
        wt.localize.Given(np.eye(3)),
        wt.localize.Whole(),
        wt.localize.Identity(),
        wt.Mean(wt.localize.Identity()),
        wt.spaces.quotient,
    ):
        with pytest.raises(TypeError, match="a Space is needed"):
            call(GOOD)
    for localize, transport in (
        (wt.Truncation(9.0), wt.Exact(1)),
        (wt.Mean(wt.Truncation(9.0)), wt.transport.DiracDistance()),
        (wt.Gaussian(wt.Truncation(9.0), 1.0), wt.Bures()),
    ):
        measures = localize(space)
        with pytest.raises(TypeError, match="base_metric"):
            transport.coupling(measures, space, 0, 1)
        for i in (-1, 3):
            with pytest.raises(IndexError, match="indices"):
                transport.coupling(measures, space.metric, i, 1)


HIDDEN = {
    "masked": (np.ma.masked_array(GOOD, np.eye(*GOOD.shape) > 0), "must not be masked; drop or fill"),
    "dates": (np.full((3, 2), "NaT", "M8[s]"), "must be numbers, got dates or times; drop them, or convert"),
    "text": ([["1", "2"], ["3", "4"]], "must be numbers, got text; drop them, or convert"),
    "bytes": (np.full((3, 2), b"1"), "must be numbers, got text"),
    "column of NaN": (pd.DataFrame({"a": GOOD[:, 0], "b": [1, np.nan, np.inf]}), r"column 'b' of .* got nan at \[1\]"),
    "column of NA": (pd.DataFrame({"b": pd.array([1, 2, None], dtype="Int64")}), r"column 'b' of .* got nan at \[2\]"),
    "column of text": (pd.DataFrame({"a": GOOD[:, 0], "city": list("xyz")}), "column 'city' of .* numbers, got text"),
    "column of dates": (pd.DataFrame({"when": pd.to_datetime(["2020", "2021"])}), "column 'when' of .* got dates"),
    "beyond floats": ([[10**400, 1], [1, 2], [2, 3]], "numbers"),
}


@pytest.mark.parametrize(("X", "message"), HIDDEN.values(), ids=HIDDEN.keys())
@pytest.mark.parametrize(
    "call",
    [
        wt.Space.from_points,
        wt.localize.suggest_eps,
        wt.SingleLinkage().fit,
        wt.GaussianTransform().fit,
        wt.MeanShift().fit,
    ],
)
def test_what_only_looks_like_numbers_is_refused_everywhere(call, X: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(X)


def test_sparse_matrices_are_refused_with_a_way_out() -> None:
    graph = csr_array(GOOD @ GOOD.T)
    for call in (wt.Space.from_points, wt.Space.from_distances, lambda D: wt.cluster(D, metric="precomputed")):
        with pytest.raises(ValueError, match=r"dense array, got csr_array; give its .toarray\(\)"):
            call(graph)


def test_new_points_and_weights_are_looked_at_like_points() -> None:
    fitted, clusters = wt.GaussianTransform(1.0).fit(GOOD), wt.SingleLinkage(1).fit(GOOD)
    for call in (fitted.transform, clusters.predict):
        with pytest.raises(ValueError, match="X must not be masked"):
            call(HIDDEN["masked"][0])
    for estimator in (fitted, clusters):
        with pytest.raises(ValueError, match="sample_weight"):
            estimator.fit(GOOD, sample_weight=np.ma.masked_array([1, 1, 1], [False, True, False]))
        with pytest.raises(TypeError, match="got object"):
            estimator.fit(object())


@pytest.mark.parametrize(
    "value", [10**400, -(10**400), np.timedelta64(3, "s"), np.ma.masked, np.ma.array(2.0, mask=True)]
)
def test_numbers_that_are_none_or_too_large_are_refused(value: object) -> None:
    for call in (
        lambda: wt.GaussianTransform(value).fit(GOOD),
        lambda: wt.GaussianTransform(1.0, value).fit(GOOD),
        lambda: wt.GaussianTransform(1.0, n_iter=value).fit(GOOD),
        lambda: wt.GaussianTransform(1.0, merge=value).fit(GOOD),
        lambda: wt.LocalTruncation(1.0, p=value).fit(GOOD),
        lambda: wt.KernelTransform(1.0, cut=value).fit(GOOD),
        lambda: wt.SingleLinkage(value).fit(GOOD),
        lambda: wt.SingleLinkage(cut="robust", share=value).fit(GOOD),
        lambda: wt.SingleLinkage(cut="height", height=value).fit(GOOD),
    ):
        with pytest.raises(ValueError, match="must") as caught:
            call()
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_estimators_tell_where_a_number_is_missing(metric: str) -> None:
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    D = D[:, :4] if metric == "euclidean" else D
    fitted = wt.LocalTruncation(1.0, metric=metric).fit(D)
    for bad in (np.nan, np.inf):
        D[4, 3] = bad
        for call in (fitted.transform, wt.LocalTruncation(1.0, metric=metric).fit):
            with pytest.raises(ValueError, match=rf"X must be finite, got {bad} at \[4, 3\]"):
                call(D)


def test_two_columns_of_one_name_are_refused_by_estimators() -> None:
    for call in (wt.GaussianTransform(1.0).fit, wt.SingleLinkage(1).fit, wt.AutoCluster().fit):
        with pytest.raises(ValueError, match="'a' twice"):
            call(pd.DataFrame(GOOD, columns=["a", "a"]))


def test_an_error_within_a_property_of_a_fitted_estimator_is_told() -> None:
    estimator = wt.GaussianTransform(1.0, n_iter=0)
    with pytest.raises(NotFittedError):
        _ = estimator.distances_
    estimator.fit(GOOD).metric_ = None
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'dense'") as caught:
        _ = estimator.distances_
    assert not isinstance(caught.value, NotFittedError)
