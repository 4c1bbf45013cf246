"""Data that knows its answer."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a shell that runs all this in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # some tests press Ctrl-C


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
