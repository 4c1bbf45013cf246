"""What a device leaves to the CPU is said, once."""

from __future__ import annotations

import logging
from inspect import signature

import numpy as np
import pytest
from gpu.calling import Cuda
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


def test_a_function_of_a_device_takes_the_arguments_of_that_for_the_cpu_and_the_device() -> None:
    for here, (_, there) in functions.FUNCTIONS.items():
        assert there is None or list(signature(there).parameters) == [*signature(here).parameters, "device"]


def test_a_function_is_known_by_itself_and_not_by_its_name() -> None:
    def movement(before: str, after: str, engine: wt.Engine) -> str:
        return f"from {before} to {after}"

    assert Cuda(Emulated()).version_of(movement)("here", "there", wt.Engine()) == "from here to there"
