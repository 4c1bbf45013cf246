"""Devices: the sources compiled for the host, and a GPU where there is one."""

from __future__ import annotations

import pytest
from gpu.emulation import COMPILER, Emulated

from wasserstein_transform.backends.cuda import Cuda
from wasserstein_transform.backends.cuda.device import Device


def _gpu() -> Device | None:
    try:
        from wasserstein_transform.backends.cuda.with_cupy import gpu  # noqa: PLC0415

        return gpu(0)
    except (ImportError, RuntimeError):
        return None


@pytest.fixture(scope="session", params=["emulated", "gpu"])
def device(request: pytest.FixtureRequest) -> Device:
    if request.param == "emulated":
        if COMPILER is None:
            pytest.skip("no C++ compiler")
        return Emulated()
    found = _gpu()
    if found is None:
        pytest.skip("no GPU")
    return found


@pytest.fixture(scope="session")
def cuda(device: Device) -> Cuda:
    return Cuda(device)
