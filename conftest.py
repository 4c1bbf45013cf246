"""Data that knows its answer."""

from __future__ import annotations

import signal
from collections import defaultdict

import numpy as np
import pytest
import repeated
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a shell that runs all this in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # some tests press Ctrl-C


def pytest_configure(config: pytest.Config) -> None:
    repeated.only_quick = config.option.markexpr == "not slow"


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all but n cases, evenly spread, of a test marked `repeated(n)` as slow."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("repeated") and not item.get_closest_marker("slow"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for several in cases.values():
        n = min(several[0].get_closest_marker("repeated").args[0], len(several))
        quick = {k * len(several) // n for k in range(n)}
        for k, item in enumerate(several):
            if k not in quick:
                item.add_marker(pytest.mark.slow)


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
