"""Data that knows its answer."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a shell that runs all this in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # some tests press Ctrl-C


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Make no slow cases where they are left out, and of a test marked `repeated(n)` n of the others, evenly spread."""
    yield
    quick = [case for case in metafunc._calls if not {"slow", "gpu"} & {mark.name for mark in case.marks}]
    if quick and metafunc.config.option.markexpr == "not slow":
        marker = metafunc.definition.get_closest_marker("repeated")
        n = min(marker.args[0], len(quick)) if marker else len(quick)
        every = len(quick) // n
        metafunc._calls[:] = [quick[k * len(quick) // n + k % every] for k in range(n)]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def cloud(rng: np.random.Generator) -> np.ndarray:
    """Thirty points in the plane, no ties."""
    return rng.normal(size=(30, 2))


@pytest.fixture
def ultrametric(rng: np.random.Generator) -> np.ndarray:
    """The ultrametric of a random dendrogram."""
    return squareform(cophenet(linkage(rng.normal(size=(25, 3)), "average")))
