"""The methods: what each is called, what it needs, and the function that labels points.

A function takes the points, the number of clusters or None, and a setting; −1 is noise. `peers` has those of other
libraries, `own` those of this one.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wasserstein_transform as wt
from wasserstein_transform.clustering.recipes import KINDS

from . import own, peers
from .scoring import Labels


@dataclass(frozen=True)
class Method:
    """A way to cluster, and how it is run."""

    name: str
    label: Callable[..., Labels]
    needs: str = "scikit-learn"  # the distribution that holds it
    module: str = "sklearn"  # and the module it is imported as
    with_k: bool = True
    without_k: bool = False
    most: int | None = None  # of more points than this, so many are drawn and the others take the nearest one's label

    @property
    def missing(self) -> bool:
        """Whether it cannot be run here."""
        if self.label is own.cluster:
            return not hasattr(wt, "cluster")
        return importlib.util.find_spec(self.module) is None

    @property
    def version(self) -> str:
        """What results depend on beside the set and the setting."""
        if self.module == "wasserstein_transform":
            return _source()
        return f"{self.needs} {importlib.metadata.version(self.needs)}"

    def __call__(self, X: NDArray[np.float64], k: int | None, **setting: Any) -> Labels:
        if k == 1:
            return np.zeros(len(X), np.intp)
        if self.most is None or len(X) <= self.most:
            return np.asarray(self.label(X, k, **setting), np.intp)
        return peers.by_sample(self.label, self.most, X, k, **setting)


@cache
def _source() -> str:
    """Of this library's files: a change of any of them has its methods run anew."""
    digest, sources = hashlib.sha256(), Path(wt.__file__).parent
    for file in (*sorted(sources.rglob("*.py")), *sorted(sources.rglob("*.npz")), Path(__file__).with_name("own.py")):
        digest.update(file.name.encode() + file.read_bytes())
    return f"source {digest.hexdigest()[:16]}"


_OWN = {"needs": "wasserstein-transform", "module": "wasserstein_transform"}

REFERENCE = "raw tree"  # differences are to this, where the number of clusters is given
OURS = "ours"

METHODS = (
    Method("single linkage", peers.single_linkage),
    Method("Ward", peers.ward),
    Method("spectral", peers.spectral, most=2000),
    Method("GMM", peers.mixture, without_k=True),
    Method("HDBSCAN", peers.hdbscan, "fast_hdbscan", "fast_hdbscan", without_k=True),
    Method("PLSCAN", peers.plscan, "fast_plscan", "fast_plscan", without_k=True),
    Method("SHiP", peers.ship, "SHiP-framework", "SHiP", without_k=True),
    Method("Genie", peers.genie, "genieclust", "genieclust"),
    Method("Lumbermark", peers.lumbermark, "lumbermark", "lumbermark"),
    Method(REFERENCE, own.raw, **_OWN),
    Method("GT", own.transformed, **_OWN),
    Method(OURS, own.cluster, **_OWN, without_k=True),
)
ABLATIONS = tuple(
    Method(f"{OURS} without {kind}", partial(own.cluster_without, kind), **_OWN, without_k=True) for kind in KINDS
)
"""`wt.cluster` without candidates of a kind; run only if asked for."""
