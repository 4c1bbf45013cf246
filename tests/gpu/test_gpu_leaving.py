"""What a device leaves to the CPU is said, once."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from gpu.emulation import Emulated

import wasserstein_transform as wt
from wasserstein_transform.backends.cuda import Cuda, leaving


def test_what_runs_on_the_cpu_is_said_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(leaving, "_SAID", set())
    seen: list[str] = []
    metric = wt.Space.from_graph([(0, 1), (1, 2)]).metric
    with (
        caplog.at_level(logging.INFO, "wasserstein_transform"),
        wt.using(device=Cuda(Emulated()), progress=lambda at: seen.append(at.stage)),
    ):
        for _ in range(2):
            np.testing.assert_array_equal(metric.dense(), [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert caplog.messages.count("distances: on the CPU") == 1
    assert seen.count("distances: on the CPU") == 1


def test_every_name_is_an_operation() -> None:
    for name in leaving._OPERATIONS:
        assert name in wt.backends.Backend.__abstractmethods__
