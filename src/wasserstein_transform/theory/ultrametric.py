"""Ultrametric spaces, where local truncation can be written down."""

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
    """The largest ultrametric below a distance: u(x, x') is the least ε at which single linkage joins the two.

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
    """Whether d(x, z) ≤ max(d(x, y), d(y, z)) for all points, up to `rounding` of the largest distance.

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
    off = float((distances - _minimax(ground, engine)).max())  # an ultrametric is its own subdominant
    return off <= check.tolerance(rounding, "rounding") * float(distances.max())


def closed_quotient(space: Space, eps: float, engine: Engine | None = None) -> Quotient:
    """The ε-closed quotient of an ultrametric space: points at distance ≤ ε become one, other distances stay.

    It is what LT-WT1 makes of the space, whatever the weights (proposition on LT-WT of ultrametric spaces);
    `closed_quotient(space, eps).expand()` has all points and is comparable with it.

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
            "the closed quotient is defined on ultrametric spaces, and this one is not; "
            "wt.theory.subdominant_ultrametric(space) is the nearest below"
        )
    return quotient(space, check.tolerance(eps, "eps"))


def _minimax(metric: Metric, engine: Engine) -> Floats:
    """The least of the largest steps on all paths: the heights of the spanning tree, whatever the weights."""
    if metric.n == 1:
        return np.zeros((1, 1))
    tree = spanning_tree(Space(metric, np.full(metric.n, 1 / metric.n), None), engine)
    return np.asarray(squareform(cophenet(tree.Z)))
