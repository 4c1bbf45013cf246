"""Arrays on a device: they act as arrays, and are fetched once, when somebody reads them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.engine.device_arrays import DeviceArray, contiguous, on_host, stored_array, to_host
from wasserstein_transform.spaces import GaussianMetric


class Far(DeviceArray):
    """Values that count how often they were fetched."""

    def __init__(self, values: np.ndarray) -> None:
        self._values, self.n_fetched = values, 0
        self.shape, self.dtype = values.shape, values.dtype

    def _fetch(self) -> np.ndarray:
        self.n_fetched += 1
        return self._values.copy()


@on_host("values")
@dataclass(frozen=True)
class Holder:
    values: np.ndarray
    other: int = 0


def test_shape_and_size_are_known_without_the_values() -> None:
    far = Far(np.ones((4, 3)))
    assert (far.shape, far.ndim, far.size, far.nbytes, len(far), far.dtype) == ((4, 3), 2, 12, 96, 4, np.float64)
    assert far[0:] is far
    assert "shape (4, 3)" in repr(far)
    assert far.n_fetched == 0


def test_what_numpy_does_with_it_is_done_on_the_host_and_it_is_fetched_once() -> None:
    values = np.arange(6.0).reshape(2, 3)
    far = Far(values)
    np.testing.assert_array_equal(far + 1, values + 1)
    np.testing.assert_array_equal(2 * far, 2 * values)
    np.testing.assert_array_equal(far == 3, values == 3)
    np.testing.assert_array_equal(np.concatenate([far, far]), np.concatenate([values, values]))
    np.testing.assert_array_equal(np.asarray(far, np.float32), values.astype(np.float32))
    np.testing.assert_array_equal(far[1, ::2], values[1, ::2])
    np.testing.assert_array_equal(far[np.array([1, 0, 1])], values[[1, 0, 1]])
    np.testing.assert_array_equal(far.T, values.T)
    assert far.sum() == values.sum()
    assert far.n_fetched == 1
    with pytest.raises(AttributeError):
        far._private  # noqa: B018


def test_a_field_is_read_on_the_host_and_stored_as_it_was_set() -> None:
    far = Far(np.ones(3))
    holder = Holder(far)
    assert stored_array(holder, "values") is far
    assert far.n_fetched == 0
    assert isinstance(holder.values, np.ndarray)
    assert holder.values is holder.values
    assert stored_array(replace(holder, other=1), "values") is far.host
    assert isinstance(stored_array(pickle.loads(pickle.dumps(holder)), "values"), np.ndarray)
    with pytest.raises(TypeError, match="values"):
        Holder()  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        holder.values = far  # type: ignore[misc]


def test_helpers() -> None:
    far = Far(np.ones(3))
    assert contiguous(far) is far
    assert contiguous([1, 2]).dtype == np.float64
    assert to_host(far) is far.host
    assert to_host(5) == 5


def test_metrics_and_spaces_of_points_elsewhere_fetch_them_when_they_are_read() -> None:
    X, covs = np.random.default_rng(0).normal(size=(9, 2)), np.tile(np.eye(2), (9, 1, 1))
    far, spread = Far(X), Far(covs)
    metrics = wt.spaces.Euclidean(far), GaussianMetric(far, spread, 1.0)
    space = wt.Space(metrics[0], np.full(9, 1 / 9), far)
    for metric in metrics:
        assert metric.n == 9
        assert metric.n_bytes == 9 * 8 * (2 if metric is metrics[0] else 6)
        assert "R^2" in repr(metric)
    assert "R^2" in repr(space)
    assert far.n_fetched == spread.n_fetched == 0
    np.testing.assert_array_equal(metrics[0].dense(), wt.spaces.Euclidean(X).dense())
    np.testing.assert_array_equal(metrics[1].dense(), GaussianMetric(X, covs, 1.0).dense())
    np.testing.assert_array_equal(space.points, X)
    assert far.n_fetched == spread.n_fetched == 1


@pytest.mark.parametrize("process", [wt.transforms.mean_shift(0.7), wt.transforms.gaussian_transform(0.7, 1.0)])
def test_a_space_elsewhere_is_iterated_as_one_that_is_here(process: wt.transforms.Process) -> None:
    X = np.random.default_rng(1).normal(size=(60, 2))
    here = wt.Space.from_points(X)
    there = wt.Space(wt.spaces.Euclidean(Far(X)), here.weights, Far(X))
    one, other = (wt.iterate(process, space, n_iter=3, merge=1e-3) for space in (here, there))
    np.testing.assert_array_equal(one.points, other.points)
    assert one.movements == other.movements
