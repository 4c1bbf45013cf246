"""The laws of tests/test_laws.py, whoever computes: here a device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpu.calling import Cuda
from test_laws import *  # noqa: F403  # every test of that file, and its fixtures

import wasserstein_transform as wt

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def computed_by(cuda: Cuda) -> Iterator[None]:
    with wt.using(device=cuda):
        yield
