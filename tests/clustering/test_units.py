"""Radii that do not fit the data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.transforms import ScaleWarning


@pytest.fixture
def cloud(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(300, 2))


@pytest.mark.parametrize("fit", [wt.GaussianTransform, wt.MeanShift, wt.LocalTruncation])
def test_too_small_a_radius_asks_about_units(fit, cloud: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    with pytest.warns(ScaleWarning, match="alone"):
        fit(1e-5).fit(cloud)


def test_it_is_said_once_a_fit(cloud: np.ndarray) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wt.GaussianTransform([1e-5, 1e-5, 1e-5], n_iter=3).fit(cloud)
    assert [warning.category for warning in caught] == [ScaleWarning]
    assert caught[0].filename == __file__


@pytest.mark.repeated(1)
@pytest.mark.parametrize("eps", ["auto", 0.2, 0.5, 1.0])
def test_ordinary_radii_and_few_points_are_left_alone(eps: object, cloud: np.ndarray) -> None:
    wt.GaussianTransform(eps).fit(cloud)
    wt.MeanShift(eps).fit(np.concatenate([cloud, cloud + 10.0]))
    wt.GaussianTransform(1e-5).fit(cloud[:20])
