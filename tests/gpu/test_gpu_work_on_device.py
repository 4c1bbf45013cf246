"""Some of everything on a device, against the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from engine.test_seams import WORK
from gpu.calling import Cuda

import wasserstein_transform as wt

_QUICK = ("condensed", "mean shift", "GT in the plane", "LT-WT")


@pytest.mark.parametrize("name", WORK)
def test_a_device_gives_what_the_cpu_gives(name: str, cuda: Cuda) -> None:
    here = WORK[name]()
    with wt.using(device=cuda):
        there = WORK[name]()
    for one, other in zip(here, there, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(other, one, rtol=0, atol=_tolerance(name, one) * np.abs(one).max(initial=1.0))


def _tolerance(name: str, values: np.ndarray) -> float:
    if values.dtype == np.float32:
        return 1e-6
    # of a covariance that is singular (balls of two points), rounded entries tell the root to 1e-8 only
    return 1e-8 if name.startswith(("GT", "ridge")) and values.shape[0] == values.shape[1] else 1e-12


@pytest.mark.parametrize("name", WORK)
def test_a_device_gives_the_same_bits_again(name: str, cuda: Cuda) -> None:
    with wt.using(device=cuda):
        one, other = WORK[name](), WORK[name]()
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
