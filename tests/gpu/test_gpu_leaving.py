"""What a device leaves to the CPU is said, once."""

from __future__ import annotations

import logging
from inspect import signature

import numpy as np
import pytest
from gpu.calling import CPU, Cuda
from gpu.emulation import Emulated

import wasserstein_transform as wt
from wasserstein_transform.cuda import functions


def test_what_runs_on_the_cpu_is_said_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(functions, "_reported", set())
    seen: list[str] = []
    metric, everybody = wt.spaces.Dense(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])), np.arange(3)
    with (
        caplog.at_level(logging.INFO, "wasserstein_transform"),
        wt.using(device=Cuda(Emulated()), progress=lambda at: seen.append(at.stage)),
    ):
        for _ in range(2):
            np.testing.assert_array_equal(metric.block(everybody, everybody), metric.matrix)
    assert caplog.messages.count("distances: on the CPU") == 1
    assert seen.count("distances: on the CPU") == 1


def test_every_name_is_that_of_a_function_for_the_cpu() -> None:
    for name, (_, there) in functions.FUNCTIONS.items():
        here = list(signature(getattr(CPU, name)).parameters)
        assert there is None or list(signature(there).parameters) == [*here, "device"]
