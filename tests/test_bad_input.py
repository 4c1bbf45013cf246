"""Bad input gets one clear error; odd but legal input works."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import wasserstein_transform as wt

GOOD = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.0, np.nan]], r"points must be finite, got nan at \[0, 1\]"),
        ([[np.inf]], "must be finite, got inf"),
        ([1.0, 2.0], "must be a 2-D array with one row per point"),
        (np.empty((0, 2)), "at least one point with one coordinate"),
        (np.empty((3, 0)), "at least one point with one coordinate"),
        (np.zeros((2, 2, 2)), "must be a 2-D array"),
        ([["a", "b"]], "must be numbers"),
        ([[1.0], [1.0, 2.0]], "must be numbers"),
    ],
)
def test_points_are_checked(points: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.Space.from_points(points)


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        ([[0, np.nan], [np.nan, 0]], "distances must be finite"),
        ([[0, -1], [-1, 0]], r"must not be negative, got -1.0 at \[0, 1\]"),
        ([[0, 1], [2, 0]], r"must be symmetric, got 1.0 at \[0, 1\] and 2.0 at \[1, 0\]"),
        ([[1, 1], [1, 0]], r"must be 0 on the diagonal, got 1.0 at \[0, 0\]"),
        (np.zeros((2, 3)), "must be a square matrix or SciPy's condensed vector"),
        (np.zeros((0, 0)), "must be a square matrix"),
        (np.ones(4), r"n\(n-1\)/2 entries, got 4"),
        ([], "entries, got 0"),
    ],
)
def test_distances_are_checked(distances: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.Space.from_distances(distances)


def test_points_beside_distances_must_match() -> None:
    with pytest.raises(ValueError, match="one row per point of the 3 × 3 distances, got 2"):
        wt.Space.from_distances(np.ones(3), points=[[0.0], [1.0]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], "weights must not be negative, got -1.0 at 1"),
        ([0, 0, 0], "weights must have a positive total"),
        ([1, 1], r"weights must hold one number per point, shape \(3,\), got shape \(2,\)"),
        ([1, np.nan, 1], "weights must be finite"),
    ],
)
def test_weights_are_checked(weights: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.Space.from_points(GOOD, weights)


@pytest.mark.parametrize("eps", [0, -1, np.nan, np.inf, "big", None, True])
def test_eps_is_checked(eps: object) -> None:
    makers = (
        wt.Truncation,
        wt.mean_shift,
        wt.local_truncation,
        wt.gaussian_transform,
        lambda e: wt.Kernel(e, "gaussian"),
        lambda e: wt.MeanShift(eps=e).fit(GOOD),
        lambda e: wt.LocalTruncation(eps=e).fit(GOOD),
    )
    for make in makers:
        with pytest.raises(ValueError, match="eps must be"):
            make(eps)


@pytest.mark.parametrize("make", [wt.Kernel, wt.kernel_transform, lambda *a: wt.KernelTransform(*a).fit(GOOD)])
def test_eps_comes_first_and_a_profile_in_its_place_is_told_so(make: Callable[..., object]) -> None:
    make(0.3)
    make(0.3, "triangle")
    for profile in ("gaussian", np.exp):
        with pytest.raises(
            ValueError, match=r"eps must be positive and finite, got .*; eps comes first, a profile after it;"
        ):
            make(profile, 0.3)


def test_a_useful_value_is_named_for_a_bad_eps() -> None:
    with pytest.raises(ValueError, match=r"got 0; wt.suggest_eps\(X\) gives a starting value"):
        wt.Truncation(0)


@pytest.mark.parametrize("lam", [-1, np.nan, np.inf, "x"])
def test_lam_is_checked(lam: object) -> None:
    with pytest.raises(ValueError, match="lam must be a finite number ≥ 0"):
        wt.Gaussian(wt.Truncation(1.0), lam=lam)
    with pytest.raises(ValueError, match="lam must be"):
        wt.GaussianTransform(eps=1.0, lam=lam).fit(GOOD)


@pytest.mark.parametrize("p", [0.5, 0, -1, np.nan, -np.inf, "1"])
def test_p_is_checked(p: object) -> None:
    with pytest.raises(ValueError, match="p must be a number ≥ 1 or infinity"):
        wt.Exact(p)
    with pytest.raises(ValueError, match="p must be"):
        wt.LocalTruncation(eps=1.0, p=p).fit(GOOD)


@pytest.mark.parametrize("n_iter", [-1, 1.5, "2", None])
def test_n_iter_is_checked(n_iter: object) -> None:
    with pytest.raises(ValueError, match="n_iter must be a whole number ≥ 0"):
        wt.iterate(wt.mean_shift(1.0), wt.Space.from_points(GOOD), n_iter=n_iter)
    with pytest.raises(ValueError, match="n_iter must be"):
        wt.GaussianTransform(eps=1.0, n_iter=n_iter).fit(GOOD)


def test_other_parameters_are_checked() -> None:
    space = wt.Space.from_points(GOOD)
    with pytest.raises(ValueError, match="keep must be 'last' or 'all', got 'some'"):
        wt.iterate(wt.mean_shift(1.0), space, n_iter=1, keep="some")
    with pytest.raises(ValueError, match="tol must be a finite number ≥ 0"):
        wt.iterate(wt.mean_shift(1.0), space, n_iter=1, tol=-1)
    with pytest.raises(ValueError, match="merge must be a finite number ≥ 0"):
        wt.iterate(wt.mean_shift(1.0), space, n_iter=1, merge=np.nan)
    with pytest.raises(ValueError, match="profile must be one of flat, gaussian, epanechnikov, triangle"):
        wt.Kernel(1.0, "box")
    with pytest.raises(ValueError, match="cut must be positive"):
        wt.Kernel(1.0, "gaussian", cut=0)
    with pytest.raises(ValueError, match="metric must be one of"):
        wt.Space.from_points(GOOD, metric="taxi")
    with pytest.raises(ValueError, match="cut must be 'count', 'height' or 'robust'"):
        wt.SingleLinkage(cut="best").fit(GOOD)
    with pytest.raises(ValueError, match="n_clusters must be a whole number ≥ 1"):
        wt.SingleLinkage(0).fit(GOOD)
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        wt.SingleLinkage(cut="robust", share=2).fit(GOOD)
    with pytest.raises(ValueError, match="needs a height"):
        wt.SingleLinkage(cut="height").fit(GOOD)
    with pytest.raises(ValueError, match="method must be"):
        wt.linkage(GOOD, "ward")
    with pytest.raises(ValueError, match="empty sequence"):
        wt.mean_shift([])
    with pytest.raises(ValueError, match="WassersteinTransform needs a localization"):
        wt.WassersteinTransform().fit(GOOD)


def test_a_row_without_mass_is_an_error_for_a_point_with_mass() -> None:
    hollow = wt.Kernel(1.0, lambda t: 1.0 * ((t > 0) & (t < 1)))
    space = wt.Space.from_points([[0.0], [0.5], [9.0]])
    for localize in (hollow, wt.Mean(hollow)):
        with pytest.raises(ValueError, match="1 points with positive weight see no mass, the first is point 2"):
            localize(space)
    massless = wt.Space.from_points([[0.0], [0.5], [9.0]], weights=[1, 1, 0])
    assert hollow(massless).massless.tolist() == [False, False, True]


def test_a_profile_must_give_weights() -> None:
    space = wt.Space.from_points(GOOD)
    for profile in (lambda t: -np.ones_like(t), lambda t: np.full_like(t, np.nan), lambda t: 1.0):
        with pytest.raises(ValueError, match="a profile must turn an array"):
            wt.Kernel(1.0, profile)(space)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)) / 3, "must be square"),
        ([[2.0, -1.0], [0.0, 1.0]], "negative entries"),
        ([[0.5, 0.1], [0.0, 1.0]], "row 0 sums to 0.6; divide each row by its sum"),
        ([[np.nan, 1.0], [0.0, 1.0]], "must be finite"),
    ],
)
def test_markov_matrices_are_checked(matrix: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wt.Given(matrix)


def test_markov_matrices_must_fit_the_space() -> None:
    with pytest.raises(ValueError, match="has 2 rows, but the space has 3 points"):
        wt.Given(np.eye(2))(wt.Space.from_points(GOOD))
    with pytest.raises(ValueError, match="see no mass"):
        wt.Given(np.zeros((3, 3)))(wt.Space.from_points(GOOD))


def test_a_transport_says_who_makes_what_it_compares() -> None:
    space = wt.Space.from_points(GOOD)
    with pytest.raises(
        TypeError, match=r"Bures compares Gaussians measures, made by Gaussian;.*Discrete.*Truncation.*use Exact"
    ):
        wt.Transform(wt.Truncation(1.0), wt.Bures())(space)
    with pytest.raises(TypeError, match=r"Exact compares Discrete.*use DiracDistance"):
        wt.Transform(wt.Mean(wt.Truncation(1.0)), wt.Exact(1))(space)
    with pytest.raises(TypeError, match=r"DiracDistance compares Diracs.*use Bures"):
        wt.Transform(wt.Gaussian(wt.Truncation(1.0), 1.0), wt.DiracDistance())(space)
    with pytest.raises(TypeError, match="localize must be a Localization"):
        wt.Transform(1.0, wt.Exact(1))
    with pytest.raises(TypeError, match="transport must be a Transport"):
        wt.Transform(wt.Truncation(1.0), "exact")
    with pytest.raises(TypeError, match="Mean needs a base localization on the space itself"):
        wt.Mean(wt.Mean(wt.Truncation(1.0)))


def test_extrinsic_localizations_need_coordinates() -> None:
    space = wt.Space.from_distances(np.ones(3))
    for localize in (wt.Mean(wt.Truncation(1.0)), wt.Gaussian(wt.Truncation(1.0), 1.0)):
        with pytest.raises(ValueError, match=r"Space.from_distances\(D, points=X\)"):
            localize(space)


def test_precomputed_needs_a_square_matrix() -> None:
    with pytest.raises(ValueError, match="needs a square matrix of distances or SciPy's condensed vector, got shape"):
        wt.LocalTruncation(metric="precomputed").fit(GOOD)
    with pytest.raises(ValueError, match="needs a square matrix"):
        wt.SingleLinkage(metric="precomputed").fit(GOOD)


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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: wt.Space.from_points([[1 + 1j]]), "must be numbers.*complex"),
        (lambda: wt.Space.from_points(np.ma.masked_array([[1.0], [2.0]], [[True], [False]])), "must not be masked"),
        (lambda: wt.Space.from_points([[1e200], [0.0]]), "must lie between 1e-150 and 1e150"),
        (lambda: wt.Truncation(1e-200), "eps must be positive and finite"),
        (lambda: wt.Space.from_points(None), "points must be numbers, got None"),
        (lambda: wt.iterate(wt.mean_shift(1.0), wt.Space.from_points(GOOD), n_iter=np.inf), "n_iter must be"),
        (lambda: wt.SingleLinkage(cut="robust", share="a").fit(GOOD), "share must be"),
        (lambda: wt.SingleLinkage(metric=["euclidean"]).fit(GOOD), "metric must be one of"),
        (lambda: wt.spaces.quotient(wt.Space.from_points(GOOD), -1), "tol must be"),
        (lambda: wt.Euclidean(GOOD).balls(np.nan), "radius must be"),
        (lambda: wt.Engine(memory="2GB"), "memory must be a number of bytes"),
        (lambda: wt.suggest_eps(wt.Space.from_points(GOOD), sample_weight=[1, 1, 1]), "a Space carries its weights"),
        (
            lambda: wt.WassersteinTransform(wt.Truncation(1.0), wt.Exact()).set_params(localize__eps__x=1),
            "no parameters",
        ),
        (lambda: wt.Space.from_points(np.ones((3, 1)), metric="mahalanobis"), "span all coordinates"),
        (lambda: wt.Space.from_points(np.ones((3, 1)), metric="seuclidean"), "coordinates that vary"),
        (lambda: wt.MeanShift(metric="precomputed").fit(GOOD), r"Space.from_distances\(D, points=X\)"),
    ],
)
def test_more_bad_input_is_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


@pytest.mark.slow
def test_huge_weights_and_orders_are_fine() -> None:
    assert wt.Space.from_points(GOOD, [1e308] * 3).weights.tolist() == [1 / 3] * 3
    space = wt.Space.from_points(GOOD * 1e8)
    coupling = wt.Exact(50).coupling(wt.Truncation(1.0)(space), space.metric, 0, 1)
    assert coupling.value == pytest.approx(np.sqrt(8) * 1e8)
    assert coupling.potentials is None


def test_arrays_in_place_of_spaces_trees_and_metrics_are_refused_with_the_way_to_make_them() -> None:
    space = wt.Space.from_points(GOOD)
    for door in (
        wt.Truncation(1.0),
        wt.Given(np.eye(3)),
        wt.Whole(),
        wt.localize.Identity(),
        wt.Mean(wt.localize.Identity()),
        wt.spaces.quotient,
    ):
        with pytest.raises(TypeError, match=r"a Space is needed, got ndarray; wt.Space.from_points"):
            door(GOOD)
    with pytest.raises(TypeError, match="a Space is needed"):
        wt.hierarchy.spanning_tree(GOOD)
    with pytest.raises(
        TypeError, match=r"a Tree is needed, got ndarray; wt.hierarchy.spanning_tree\(space\) makes one"
    ):
        wt.cut_tree(wt.linkage(space), 2)
    for localize, transport in (
        (wt.Truncation(9.0), wt.Exact(1)),
        (wt.Mean(wt.Truncation(9.0)), wt.DiracDistance()),
        (wt.Gaussian(wt.Truncation(9.0), 1.0), wt.Bures()),
    ):
        measures = localize(space)
        with pytest.raises(TypeError, match=r"pass space.metric"):
            transport.coupling(measures, space, 0, 1)
        for i in (-1, 3):
            with pytest.raises(IndexError, match="indices of measures from 0 to 2"):
                transport.coupling(measures, space.metric, i, 1)


HIDDEN = {
    "masked": (np.ma.masked_array(GOOD, np.eye(*GOOD.shape) > 0), "must not be masked; drop or fill"),
    "dates": (np.full((3, 2), "NaT", "M8[s]"), r"must be numbers, got dates; .*turns them into seconds"),
    "spans": (np.full((3, 2), "NaT", "m8[s]"), "must be numbers, got time spans"),
    "text": ([["1", "2"], ["3", "4"]], r"must be numbers, got text; X.astype\(float\) reads"),
    "bytes": (np.full((3, 2), b"1"), "must be numbers, got bytes"),
    "column of NaN": (
        pd.DataFrame({"a": GOOD[:, 0], "b": [1, np.nan, np.inf]}),
        r"'b' has nan in row 1 \(2 such",
    ),
    "column of NA": (pd.DataFrame({"b": pd.array([1, 2, None], dtype="Int64")}), "column 'b' has .* in row 2"),
    "column of text": (pd.DataFrame({"a": GOOD[:, 0], "city": list("xyz")}), "column 'city' has 'x' in row 0; drop or"),
    "column of dates": (pd.DataFrame({"when": pd.to_datetime(["2020", "2021"])}), "column 'when' has dates"),
    "beyond floats": ([[10**400, 1], [1, 2], [2, 3]], "numbers"),
}


@pytest.mark.parametrize(("X", "message"), HIDDEN.values(), ids=HIDDEN.keys())
@pytest.mark.parametrize(
    "door",
    [wt.Space.from_points, wt.suggest_eps, wt.SingleLinkage().fit, wt.GaussianTransform().fit, wt.MeanShift().fit],
)
def test_what_only_looks_like_numbers_is_refused_by_every_door(door, X: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        door(X)


def test_new_points_and_weights_are_looked_at_like_points() -> None:
    fitted, clusters = wt.GaussianTransform(1.0).fit(GOOD), wt.SingleLinkage(1).fit(GOOD)
    for door in (fitted.transform, clusters.predict):
        with pytest.raises(ValueError, match="X must not be masked"):
            door(HIDDEN["masked"][0])
    for estimator in (fitted, clusters):
        with pytest.raises(ValueError, match="sample_weight must not be masked"):
            estimator.fit(GOOD, sample_weight=np.ma.masked_array([1, 1, 1], [False, True, False]))
        with pytest.raises(TypeError, match="X must be an array, a Space or a fitted transform, got object"):
            estimator.fit(object())


@pytest.mark.parametrize(
    "value", [10**400, -(10**400), np.timedelta64(3, "s"), np.ma.masked, np.ma.array(2.0, mask=True)]
)
def test_numbers_that_are_none_or_too_large_are_refused(value: object) -> None:
    for door in (
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
            door()
        assert len(str(caught.value)) < 200


def test_counts_beyond_64_bits_are_refused() -> None:
    with pytest.raises(ValueError, match="n_jobs must be a positive number of threads"):
        wt.Engine(n_jobs=10**25)
    for door in (lambda: wt.SingleLinkage(10**25).fit(GOOD), lambda: wt.MeanShift(1.0, n_iter=10**25).fit(GOOD)):
        with pytest.raises(ValueError, match="must be a whole number of at most 9223372036854775807"):
            door()


def test_a_markov_matrix_cut_out_of_a_larger_one_is_told_as_such() -> None:
    with pytest.raises(
        ValueError, match=r"row 0 sums to 0.6; .* also after taking a part of a larger matrix .here 2 × 2"
    ):
        wt.Given(np.array([[0.3, 0.3, 0.4], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0]])[:2, :2])


def test_integers_that_are_rounded_are_told() -> None:
    X = np.array([[2**62, 0], [2**62 + 1, 5], [3, 3]])
    frame = pd.DataFrame({"time": X[:, 0], "y": [0.5, 1.5, 2.5]})
    doors = (wt.Space.from_points, wt.GaussianTransform(1.0, n_iter=0).fit, wt.SingleLinkage(1).fit)
    for door in (*doors, lambda given: wt.wasserstein_pairs(np.eye(3), given)):
        for given in (X, X.tolist(), X.astype(np.uint64), frame):
            with pytest.warns(
                UserWarning, match=r"has integers beyond 2\^53, which are rounded, such as 46116860184273879"
            ):
                door(given)
    with pytest.warns(UserWarning, match=r"a\.csv, column x, has integers beyond 2\^53"):
        wt.tables.read(b"x,y\n4611686018427387905,1\n2,3\n", name="a.csv").numbers()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for exact in (2**53, 2**62, -(2**60)):
            wt.Space.from_points([[exact], [0]])


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_estimators_tell_where_a_number_is_missing(metric: str) -> None:
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    D = D[:, :4] if metric == "euclidean" else D
    fitted = wt.LocalTruncation(1.0, metric=metric).fit(D)
    for bad in (np.nan, np.inf):
        D[4, 3] = bad
        for door in (fitted.transform, wt.LocalTruncation(1.0, metric=metric).fit):
            with pytest.raises(ValueError, match=rf"X must be finite, got {bad} at \[4, 3\]"):
                door(D)


def test_two_columns_of_one_name_are_refused_by_estimators() -> None:
    for door in (wt.GaussianTransform(1.0).fit, wt.SingleLinkage(1).fit, wt.AutoCluster().fit):
        with pytest.raises(ValueError, match="columns of different names, got 'a' twice; rename one of them"):
            door(pd.DataFrame(GOOD, columns=["a", "a"]))


def test_an_error_within_a_property_of_a_fitted_estimator_is_told() -> None:
    estimator = wt.GaussianTransform(1.0, n_iter=0)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        _ = estimator.distances_
    estimator.fit(GOOD).metric_ = None
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'dense'") as caught:
        _ = estimator.distances_
    assert not isinstance(caught.value, NotFittedError)
