"""Ultrametric spaces, where local truncation has a closed form."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from .. import _check as check
from .._types import Floats
from ..engine import Engine, current
from ..hierarchy import spanning_tree
from ..spaces import Dense, Metric, Quotient, Space, check_space, quotient
from ..transport.arguments import MetricLike, as_metric


def subdominant_ultrametric(metric: MetricLike, engine: Engine | None = None) -> Dense:
    """Compute the largest ultrametric below a metric: u(x, x') is the height at which single linkage joins x and x'.

    Parameters
    ----------
    metric : array, graph, Metric or Space
        Distances, points or a graph, as in `wt.wasserstein_pairs`.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Dense
        The ultrametric, as an n × n matrix.

    Notes
    -----
    One spanning tree, and 8 n² bytes.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.theory.subdominant_ultrametric([[0.0], [1.0], [3.0]]).matrix
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    """
    engine = current(engine)
    return Dense(_minimax(as_metric(metric, engine), engine), triangle=True)


def is_ultrametric(metric: MetricLike, rounding: float = 1e-12, engine: Engine | None = None) -> bool:
    """Return whether d(x, z) ≤ max(d(x, y), d(y, z)) for all points, up to rounding.

    Parameters
    ----------
    metric : array, graph, Metric or Space
        Distances, points or a graph, as in `wt.wasserstein_pairs`.
    rounding : float, default 1e-12
        The tolerance, relative to the largest distance.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    bool

    Notes
    -----
    One spanning tree, and O(n²) memory.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.theory.is_ultrametric([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    True
    >>> wt.theory.is_ultrametric([[0.0], [1.0], [3.0]])
    False
    """
    engine = current(engine)
    ground = as_metric(metric, engine)
    distances = ground.dense(engine)
    off = float((distances - _minimax(ground, engine)).max())  # an ultrametric equals its subdominant ultrametric
    return off <= check.tolerance(rounding, "rounding") * float(distances.max())


def closed_quotient(space: Space, eps: float, engine: Engine | None = None) -> Quotient:
    """Compute the ε-closed quotient of an ultrametric space: points within ε are merged, other distances stay.

    LT-WT1 gives the same space, for any weights (proposition on LT-WT of ultrametric spaces). For a comparison with it,
    `closed_quotient(space, eps).expand()` has all points.

    Parameters
    ----------
    space : Space
        An ultrametric space.
    eps : float
        The distance ε ≥ 0, in the unit of the distances.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Quotient

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_distances([1.0, 2.0, 2.0], triangle=True)
    >>> found = wt.theory.closed_quotient(space, 1.0)
    >>> found.labels, found.space.metric.dense()
    (array([0, 0, 1]), array([[0., 2.],
           [2., 0.]]))
    """
    check_space(space)
    if not is_ultrametric(space, 1e-9, engine):
        raise ValueError(
            "the closed quotient needs an ultrametric space, but this space is not ultrametric; "
            "use wt.theory.subdominant_ultrametric(space), the largest ultrametric below its metric"
        )
    return quotient(space, check.tolerance(eps, "eps"))


def _minimax(metric: Metric, engine: Engine) -> Floats:
    """Minimax path distances: the heights at which the spanning tree joins two points."""
    if metric.n == 1:
        return np.zeros((1, 1))
    tree = spanning_tree(Space(metric, np.full(metric.n, 1 / metric.n), None), engine)
    return np.asarray(squareform(cophenet(tree.Z)))
