"""Devices: the sources compiled for the host, and a GPU where there is one."""

from __future__ import annotations

import datetime as dt
import os
import re
from pathlib import Path

import pytest
from gpu import record
from gpu.calling import Cuda
from gpu.emulation import COMPILER, Emulated

from wasserstein_transform.cuda.device import Device


def _gpu() -> Device | None:
    try:
        from wasserstein_transform.cuda.with_cupy import gpu  # noqa: PLC0415

        return gpu(0)
    except (ImportError, RuntimeError):
        return None


@pytest.fixture(scope="session", params=["emulated", pytest.param("gpu", marks=pytest.mark.gpu)])
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


@pytest.fixture(autouse=True)
def nothing_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work of any size runs on the device."""
    for limit in ("geometry.MIN_DISTANCES", "trees.MIN_TREE_DISTANCES", "cells.MIN_POINTS"):
        monkeypatch.setattr(f"wasserstein_transform.cuda.{limit}", 0)


_QUICK = re.compile(
    r"test_gpu_(record|leaving|emulation)|moments.*::test_(gaussians\[|an_unknown|supports)|merging.*::test_(leaders|balls)"
    r"|exact.*::test_ragged|distances.*::test_(arrays|few)|bures.*::test_near|trees.*::test_heights"
    r"|pixels.*::test_(images|segment_gives)|compiling.*::test_all"
)
"""What `make test` runs of the emulated device; a compiler takes a second for each kind of kernel."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests for a GPU are left out where there is none: the record says what they gave."""
    for item in items:
        if "tests/gpu/" in item.path.as_posix() and not _QUICK.search(item.nodeid):
            item.add_marker(pytest.mark.slow)
    on_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if on_gpu and _gpu() is None:
        config.hook.pytest_deselected(items=on_gpu)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]


_RESULTS: dict[str, str] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    on_gpu = re.search(r"[\[-]gpu[-\]]", report.nodeid)  # the folder has that name as well
    if on_gpu and (report.when == "call" or report.outcome != "passed"):
        _RESULTS[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    """With WT_GPU_RECORD set, what was tried on a GPU is kept in that file."""
    path, found = os.environ.get("WT_GPU_RECORD"), _gpu()
    if path and found is not None and _RESULTS:
        cupy = found.xp
        machine = {
            "device": found.name,
            "driver": _version(cupy.cuda.runtime.driverGetVersion()),
            "cuda": _version(cupy.cuda.runtime.runtimeGetVersion()),
            "cupy": cupy.__version__,
            "date": dt.date.today().isoformat(),
        }
        record.write(_RESULTS, machine, Path(path))


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"
