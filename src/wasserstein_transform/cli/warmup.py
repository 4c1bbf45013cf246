"""`wt warmup`: compile what common calls need, before they are made."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .door import door
from .options import AsJson, Quiet
from .printing import say
from .summary import encoded


def warmup(json: AsJson = False, quiet: Quiet = False) -> None:
    """Compile what common calls need, ahead of them.

    Runs tiny computations of every kind. What is compiled is kept, and loaded by other processes in a moment.
    """
    with door("wt warmup"):
        start, n_compiled = time.perf_counter(), _count_compiled()
        parts: dict[str, Any] = {}
        for name, part in _PARTS.items():
            began, before = time.perf_counter(), n_compiled()
            part()
            new, seconds = n_compiled() - before, time.perf_counter() - began
            parts[name] = {"compiled": new, "seconds": seconds}
            told = f"{new} kernel{'s' * (new > 1)} compiled" if new else "ready"
            if not (json or quiet):
                say(f"{name}: {told}, {seconds:.1f} s")
        in_all = {"compiled": n_compiled(), "seconds": time.perf_counter() - start, "parts": parts}
        if json:
            say(encoded(in_all).decode().rstrip("\n"))
        elif not quiet:
            say(f"all: {n_compiled()} kernels compiled, {in_all['seconds']:.1f} s")


def _count_compiled() -> Callable[[], int]:
    from ..backends.host import on_compile

    names: list[str] = []

    def listen(name: str, seconds: float | None) -> None:
        if seconds is not None:
            names.append(name)

    on_compile(listen)
    return lambda: len(names)


def _points(n: int, m: int) -> Any:
    """Two clusters: nothing to warn of."""
    import numpy as np

    return np.random.default_rng(0).random((n, m)) + 9.0 * (np.arange(n)[:, None] % 2)


def _mean_shift() -> None:
    from ..estimators import MeanShift

    for m in (1, 2, 3):
        MeanShift(1.0).fit(_points(20, m))


def _gaussian_transform() -> None:
    from ..estimators import GaussianTransform, SingleLinkage

    for m in (1, 2, 3):
        SingleLinkage(2).fit(GaussianTransform(1.0, n_iter=2).fit(_points(20, m)))


def _local_truncation() -> None:
    from ..estimators import LocalTruncation, SingleLinkage

    for p in (1, 2):
        SingleLinkage(2).fit(LocalTruncation(1.0, p=p, n_iter=2).fit(_points(20, 2)))


def _single_linkage() -> None:
    from ..estimators import SingleLinkage

    SingleLinkage(2).fit(_points(400, 2))


def _clusters() -> None:
    from ..auto import cluster

    for m in (1, 2, 3):
        cluster(_points(20, m), 2)


def _pairs() -> None:
    import numpy as np

    from ..transport import bures_pairs, wasserstein_pairs

    rng = np.random.default_rng(0)
    wasserstein_pairs(rng.random((3, 6)), rng.normal(size=(6, 2)))
    bures_pairs(np.stack([np.eye(2), 2 * np.eye(2)]))


def _segment() -> None:
    import numpy as np

    from ..image import segment

    image = np.random.default_rng(0).random((8, 8, 3))
    for lam in (0.0, 1.0):
        segment(image, 2, 0.3, lam, color="none", tol=0.01)
        segment((9 * image[..., 0]).astype(np.uint8), 2, 3.0, lam, color="none", tol=0.01)


def _curvature() -> None:
    from ..graphs import curvature, ricci_flow

    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    curvature(edges)
    curvature([(*edge, 1.0 + k) for k, edge in enumerate(edges)])
    ricci_flow(edges, 2)


_PARTS: dict[str, Callable[[], None]] = {
    "mean shift": _mean_shift,
    "Gaussian Transform": _gaussian_transform,
    "local truncation": _local_truncation,
    "single linkage": _single_linkage,
    "clusters without parameters": _clusters,
    "pairs of measures": _pairs,
    "segmentation": _segment,
    "curvature": _curvature,
}
