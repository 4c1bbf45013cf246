"""Parameters mean the same everywhere."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import wasserstein_transform as wt
from wasserstein_transform import estimators

LINE = np.array([[0.0], [1.0], [5.0]])
ESTIMATORS = [getattr(estimators, name) for name in estimators.__all__ if not name.endswith("Warning")]


def signatures() -> Iterator[tuple[str, list[str]]]:
    for name, value in (
        (name, getattr(home, name)) for home in (wt, wt.transforms, wt.localize) for name in home.__all__
    ):
        if inspect.isfunction(value) or (inspect.isclass(value) and not issubclass(value, BaseException)):
            yield name, list(inspect.signature(value).parameters)


def test_iterations_are_n_iter_and_their_end_is_tol() -> None:
    for name, parameters in signatures():
        assert not {"max_iter", "iterations", "stop", "tolerance"} & set(parameters), name


def test_eps_comes_first_or_right_after_the_data() -> None:
    with_eps = {name: parameters for name, parameters in signatures() if "eps" in parameters}
    assert {"Kernel", "Truncation", "KernelTransform", "kernel_transform"} <= with_eps.keys()
    for name, parameters in with_eps.items():
        before = parameters[: parameters.index("eps")]
        assert set(before) <= ({"X", "dim"} if name == "denoise" else {"X", "space"}), (
            name
        )  # what it asks for comes first


def test_profiles_come_after_eps_under_one_name_and_gaussian_by_default_where_a_kernel_is_asked_for() -> None:
    for kind in (wt.Kernel, wt.transforms.kernel_transform, wt.KernelTransform):
        parameters = inspect.signature(kind).parameters
        assert list(parameters)[:2] == ["eps", "profile"]
        assert parameters["profile"].default == "gaussian"
    assert wt.Kernel(0.3) == wt.Kernel(0.3, "gaussian")
    assert wt.transforms.kernel_transform(0.3).step.localize == wt.Kernel(0.3)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_leave_threads_to_the_engine_unless_told(kind: type) -> None:
    parameters = inspect.signature(kind).parameters
    assert parameters["n_jobs"].default is None
    assert parameters["verbose"].default is False


def test_without_tol_all_iterations_are_done_and_with_0_until_nothing_moves() -> None:
    space = wt.Space.from_points(LINE)
    assert wt.iterate(wt.transforms.mean_shift(1.0), space, n_iter=9).n_iter == 9
    assert wt.iterate(wt.transforms.mean_shift(1.0), space, n_iter=9, tol=0.0).n_iter == 2
    for kind in (wt.GaussianTransform, wt.LocalTruncation, wt.MeanShift):
        assert [kind(1.0, n_iter=9, tol=tol).fit(LINE).n_iter_ == 9 for tol in (None, 0.0)] == [True, False]
    path = [(0, 1), (1, 2)]
    assert wt.graphs.ricci_flow(path, n_iter=4, tol=None).n_iter == 4
    assert wt.graphs.ricci_flow(path, n_iter=4).n_iter == 1


def test_a_tolerance_that_is_not_reached_is_said_and_no_tolerance_is_not_missed() -> None:
    X = np.arange(40.0)[:, None] ** 1.1
    with pytest.warns(ConvergenceWarning, match="tolerance 0"):
        wt.MeanShift(3.0, n_iter=1, tol=0.0).fit(X)
    assert wt.MeanShift(3.0, n_iter=1, tol=None).fit(X).n_iter_ == 1
