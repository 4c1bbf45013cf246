"""`wt warmup`: compile the common kernels in advance, by tiny computations of every kind."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import click

from .._display import counted
from .errors import reporting_errors
from .options import QUIET, command
from .printing import say

if TYPE_CHECKING:
    from ..engine import Bar


@command
@click.option(
    "-j", "--jobs", type=int, metavar="N", help="Number of processes; -1: all cores.", show_default="all cores"
)
@QUIET
def warmup(jobs: int | None, quiet: bool) -> None:
    """Compile the common kernels in advance.

    Runs tiny computations of every kind. The compiled kernels are cached; other processes load them quickly.
    """
    with reporting_errors(left="the compiled kernels are kept"):
        from ..engine import Bar

        start, n_compiled = time.perf_counter(), 0
        with Bar(quiet=quiet) as bar, closing(_compile(jobs)) as parts_done:
            bar.stage("compiling")
            for name, compiled, seconds in parts_done:
                n_compiled += compiled
                if not quiet:
                    done = f"{counted(compiled, 'kernel')} compiled" if compiled else "ready"
                    say(f"{name}: {done}, {seconds:.1f} s")
        if not quiet:
            say(f"all: {counted(n_compiled, 'kernel')} compiled, {time.perf_counter() - start:.1f} s")


def compile_for_other_tables(bar: Bar) -> None:
    """After clusters of a first table, compile what tables of other sizes need: the second compiles nothing."""
    from ..compute.jit.messages import may_compile_more

    if may_compile_more():
        sys.stdout.flush()
        with suppress(KeyboardInterrupt), bar:
            bar.stage("compiling for other tables, once; Ctrl-C ends it")
            _clusters()


def _compile(jobs: int | None) -> Generator[tuple[str, int, float]]:
    """Run all parts, in this process or in several."""
    from multiprocessing import get_context

    from ..engine import current

    n_processes = current(n_jobs=jobs).n_threads
    if n_processes == 1:
        yield from (_warm(name) for names in GROUPS for name in names)
        return
    # numba's threads do not survive a fork; a terminal sends Ctrl-C to all processes, and the pool ends the others
    with get_context("spawn").Pool(n_processes, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        for parts in pool.imap_unordered(_warm_group, GROUPS):
            yield from parts


def _warm_group(names: Iterable[str]) -> list[tuple[str, int, float]]:
    return [_warm(name) for name in names]


def _warm(name: str) -> tuple[str, int, float]:
    """Run a part; returns its name, the number of kernels compiled, and the time in seconds."""
    from ..compute.jit.messages import on_compile
    from ..engine import Bar

    names: list[str] = []
    end = on_compile(lambda name, seconds: names.append(name) if seconds is not None else None)
    began = time.perf_counter()
    try:
        with Bar(quiet=True):  # no hint to run `wt warmup`
            PARTS[name]()
    finally:
        end()
    return name, len(names), time.perf_counter() - began


def _points(n: int, m: int) -> Any:
    """Two clusters, which cause no warnings."""
    import numpy as np

    return np.random.default_rng(0).random((n, m)) + 9.0 * (np.arange(n)[:, None] % 2)


def _moving_points() -> None:
    from ..estimators import GaussianTransform, MeanShift, SingleLinkage

    for m in (1, 2, 3):
        MeanShift(1.0).fit(_points(20, m))
        SingleLinkage(2, cut="robust").fit(GaussianTransform(1.0, n_iter=2).fit(_points(20, m)))


def _local_truncation() -> None:
    from ..estimators import LocalTruncation, SingleLinkage

    for p in (1, 2):
        SingleLinkage(2, cut="robust").fit(LocalTruncation(1.0, p=p, n_iter=2).fit(_points(20, 2)))
    SingleLinkage(2, cut="robust").fit(_points(400, 2))


def _clusters() -> None:
    from ..clustering import cluster
    from ..spaces import Euclidean

    Euclidean(_points(100, 20)).neighbors(5)
    for n, m in ((100, 1), (100, 2), (100, 3), (100, 6), (3000, 1), (3000, 2), (3000, 3), (20_000, 2)):
        cluster(_points(n, m)).profile()


def _pairs() -> None:
    import numpy as np

    from ..spaces import Graph
    from ..transport import bures_pairs, wasserstein, wasserstein_pairs

    rng = np.random.default_rng(0)
    wasserstein_pairs(rng.dirichlet(np.ones(6), 3), rng.normal(size=(6, 2)))
    for distance, spare in (("cityblock", None), ("euclidean", 1.0), ("chebyshev", 1.0)):
        wasserstein_pairs([rng.normal(size=(4, 2)) for _ in range(3)], distance, spare=spare)
    wasserstein_pairs(rng.dirichlet(np.ones(256), 3), Graph.grid((16, 16)))
    wasserstein(None, None, rng.random((3, 3)))
    bures_pairs(np.stack([np.eye(2), 2 * np.eye(2)]))


def _segment() -> None:
    import numpy as np

    from ..image import segment, segment_by_radii

    image = np.random.default_rng(0).random((8, 8, 3))
    segment(image)
    segment(np.zeros((400, 400), np.uint8))  # large enough to be reduced first
    for lam in (0.0, 1.0):
        segment_by_radii(image, 2, 0.3, lam, color="none", tol=0.01)
        segment_by_radii((9 * image[..., 0]).astype(np.uint8), 2, 3.0, lam, color="none", tol=0.01)


def _curvature() -> None:
    from ..graphs import communities, curvature, ricci_flow

    edges = [(0, 1), (1, 2), (2, 0), (2, 3)]
    communities(edges)
    curvature(edges)
    curvature([(*edge, 1.0 + k) for k, edge in enumerate(edges)], weight="length")
    ricci_flow(edges, 2)


PARTS: dict[str, Callable[[], None]] = {
    "mean shift, Gaussian Transform": _moving_points,
    "local truncation": _local_truncation,
    "clusters without parameters": _clusters,
    "pairs of measures": _pairs,
    "segmentation": _segment,
    "curvature": _curvature,
}

GROUPS = (
    ("mean shift, Gaussian Transform", "clusters without parameters"),
    ("local truncation", "pairs of measures", "curvature"),
    ("segmentation",),
)
"""The names of all parts, in groups that share most of their kernels; the slowest come first."""
