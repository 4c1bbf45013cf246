"""Local iteration: distances up to a radius, computed from distances up to a somewhat larger radius.

All mass of a measure lies within ε of its point, so a step changes a distance by at most 2ε. To know D^τ up to r, only
pairs with D^{τ−1} ≤ r + 2ε are needed, and their costs reach r + 4ε. So each earlier step needs a radius that is larger
by 4ε. A step solves one problem per such pair, not n²/2 problems.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.spatial import cKDTree

from .. import _check as check
from .._types import Ints
from ..backends import Balls
from ..engine import Engine, current
from ..localize import Kernel
from ..measures import Discrete
from ..spaces import Space, Sparse, check_space, rim
from ..transport import Exact
from ..transport.batch import Batch
from ..transport.bounds import Lower
from .transform import Process, Transform, as_process, warn_massless


def iterate_locally(
    process: Process | Transform, space: Space, radius: float, n_iter: int = 1, engine: Engine | None = None
) -> Space:
    """Iterate a transform, but compute only the distances up to `radius`; they equal those of `iterate`.

    Parameters
    ----------
    process : Process or Transform
        Localization by a kernel of finite reach (Truncation, or Kernel with a compact profile or a `cut`) and Exact
        transport.
    space : Space
        The space to transform. Its metric must satisfy the triangle inequality.
    radius : float
        The largest distance that is needed, in the unit of the distances.
    n_iter : int, default 1
        Number of iterations.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Space
        The last state, with a `Sparse` metric.

    Notes
    -----
    Time and memory grow with the number of pairs within radius + 4·n_iter·ε, not with n².

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> line = wt.Space.from_points(np.arange(1000.0)[:, None])
    >>> near = wt.transforms.iterate_locally(wt.local_truncation(1.0), line, radius=2.0)
    >>> near.metric.block([500], [500, 501, 502, 503]).round(3)
    array([[ 0.,  1.,  2., inf]])
    """
    check_space(space)
    radius, n_iter = check.positive(radius, "radius"), check.count(n_iter, "n_iter", 1)
    steps = _steps(as_process(process), n_iter)
    if not space.metric.triangle:
        raise ValueError(
            "local iteration needs the triangle inequality: without it, a large distance may become small; "
            "assert it with Space.from_distances(D, triangle=True), or use wt.iterate"
        )
    engine = current(engine)
    order = np.arange(space.n) if space.points is None else _ranks(space)
    ahead = np.cumsum([4 * kernel.reach for kernel, _ in steps][::-1])[
        ::-1
    ]  # extra radius for each step and later ones
    for (kernel, transport), needed in zip(steps, np.append(ahead[1:], 0.0), strict=True):
        space = _step(kernel, transport, space, radius + needed, order, engine)
    return space


def _steps(process: Process, n_iter: int) -> list[tuple[Kernel, Exact]]:
    steps = [(process.at(k).localize, process.at(k).transport) for k in range(n_iter)]
    kept = [(kernel, exact) for kernel, exact in steps if isinstance(kernel, Kernel) and isinstance(exact, Exact)]
    if process.start is not None or len(kept) < n_iter or not all(np.isfinite(kernel.reach) for kernel, _ in kept):
        raise TypeError(
            f"local iteration needs a kernel of finite reach and Exact transport, such as wt.local_truncation(eps), "
            f"got {process!r}; a gaussian kernel needs cut=3 or so"
        )
    return kept


def _ranks(space: Space) -> Ints:
    """An order of the points in which close points are close, so that consecutive problems share warm starts."""
    rank = np.empty(space.n, np.intp)
    rank[cKDTree(space.points, leafsize=1).indices] = np.arange(space.n)
    return rank


def _step(kernel: Kernel, transport: Exact, space: Space, radius: float, rank: Ints, engine: Engine) -> Space:
    measures = kernel(space, engine)
    warn_massless(measures.massless)
    balls = space.metric.balls(radius + 2 * kernel.reach, engine)
    engine.reserve(
        48.0 * len(balls.indices), f"{len(balls.indices) // 2} candidate pairs", "use a smaller radius or eps"
    )
    rows = np.repeat(np.arange(space.n), np.diff(balls.indptr))
    once = rows < balls.indices
    rows, cols = rows[once], balls.indices[once]
    near = Lower(measures, space.metric, transport.p).may_reach(rows, cols, rim(radius))
    metric = _solve(measures, rows[near], cols[near], Batch(space.metric, transport.p, engine), radius, rank)
    return Space(metric, space.weights, space.points)


def _solve(measures: Discrete, rows: Ints, cols: Ints, batch: Batch, radius: float, rank: Ints) -> Sparse:
    """Solve the candidate pairs and keep the distances within the radius."""
    n = measures.n
    indptr = np.searchsorted(rows, np.arange(n + 1))
    values, report = batch.listed(measures, measures, indptr, cols, rank)
    kept = values <= rim(radius)
    i, j, values = rows[kept], cols[kept], values[kept]
    itself = np.arange(n)
    ends = np.concatenate([i, j, itself]), np.concatenate([j, i, itself])
    known = coo_array((np.concatenate([values, values, np.zeros(n)]), ends), shape=(n, n)).tocsr()
    known.sort_indices()
    found = Balls(known.indptr.astype(np.intp), known.indices.astype(np.intp), known.data)
    return Sparse(found, radius, batch.ground.triangle, report.gap, report.n_fallbacks)
