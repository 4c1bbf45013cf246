"""Gaussians drawn as ellipses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._types import Floats
from ..spaces import GaussianMetric
from .clouds import as_space, axis_names, equal, explain, frame, name_axes
from .colors import Colors, look, wants_legend
from .style import RASTER, THIN, canvas, ready, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FLAT = 1e-8  # an axis shorter than this, relative to the long axis or to the figure, is drawn as 0


def ellipses(
    means: Any,
    covs: ArrayLike | None = None,
    *,
    every: int = 1,
    scale: float = 2.0,
    labels: Any = None,
    values: Any = None,
    ax: Axes | None = None,
    title: str | None = None,
    colors: Colors = None,
    legend: bool | None = None,
) -> Axes:
    """Draw Gaussians in the plane as ellipses with half-axes scale·√(eigenvalues of the covariance).

    A covariance of rank 1 is drawn as a segment, one of rank 0 as a dot.

    Parameters
    ----------
    means : array of shape (n, 2), or Space, Trajectory or fitted GaussianTransform
        Means, or a space whose metric is a GaussianMetric, as the Gaussian Transform gives it. The covariances of such
        a space are drawn without the factor λ.
    covs : array of shape (n, 2, 2) or (n, 2), optional
        Covariances, or their diagonals. Required if `means` is an array, not allowed otherwise.
    every : int, default 1
        Draw every k-th Gaussian only.
    scale : float, default 2.0
        Half-axes in standard deviations. An ellipse with scale 2 holds 86 % of the mass of its Gaussian.
    labels, values : arrays of shape (n,), optional
        As in `cloud`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title, colors, legend
        As in `cloud`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> X, labels = wt.datasets.dumbbell()
    >>> state = wt.iterate(wt.gaussian_transform(0.3), wt.Space.from_points(X), n_iter=0).last
    >>> ax = wt.plotting.ellipses(state, every=20, labels=labels, ax=ax)
    >>> len(ax.collections[0].get_offsets())
    40
    """
    ready(ax)
    centers, stack = _gaussians(means, covs)
    every, scale = check.count(every, "every", 1), check.positive(scale, "scale")
    shown = look(labels, len(centers), colors, values)
    named = wants_legend(legend, shown.groups, ax is None)
    corners = _corners(centers[::every], stack[::every], scale)
    ax = canvas(ax, 2, frame(corners))
    _draw(ax, centers[::every], stack[::every], scale, shown.colors[::every])
    ax.update_datalim(corners)
    ax.autoscale_view()
    equal(ax, centers)
    tidy(ax, title)
    explain(ax, shown, named)
    name_axes(ax, axis_names(means, 2))
    return ax


def _gaussians(means: Any, covs: ArrayLike | None) -> tuple[Floats, Floats]:
    space = as_space(means)
    if space is not None:
        if covs is not None or not isinstance(space.metric, GaussianMetric):
            reason = "covs are its own" if covs is not None else f"its metric is {type(space.metric).__name__}"
            raise ValueError(
                f"a space must have a GaussianMetric and no covs beside it, but {reason}; wt.gaussian_transform makes "
                "such spaces, and arrays are drawn with ellipses(means, covs)"
            )
        centers, stack = space.metric.means, space.metric.covs
    elif covs is None:
        raise ValueError("means given as an array need covs beside them, of shape (n, 2, 2), got None")
    else:
        centers, stack = check.gaussians(means, covs)
        stack = stack[:, :, None] * np.eye(stack.shape[1]) if stack.ndim == 2 else stack
    if centers.shape[1] != 2:
        raise ValueError(
            f"ellipses are drawn in the plane, these Gaussians live in R^{centers.shape[1]}; "
            "choose two coordinates: ellipses(means[:, :2], covs[:, :2, :2])"
        )
    return centers, stack


def _corners(centers: Floats, covs: Floats, scale: float) -> Floats:
    """Corners of the boxes around the ellipses: matplotlib uses only the centers for the limits."""
    reach = scale * np.sqrt(np.diagonal(covs, axis1=1, axis2=2))
    return np.concatenate([centers - reach, centers + reach])


def _draw(ax: Any, centers: Floats, covs: Floats, scale: float, colors: Floats) -> None:
    from matplotlib.collections import EllipseCollection

    values, vectors = np.linalg.eigh(covs)
    roots = scale * np.sqrt(np.maximum(values, 0.0))  # ≥ 0 in theory; rounding can make them negative
    roots[roots < _FLAT * roots[:, 1:]] = 0.0
    angles = np.degrees(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    shapes = EllipseCollection(
        2 * roots[:, 1], 2 * roots[:, 0], angles, units="xy", offsets=centers, offset_transform=ax.transData,
        edgecolors=colors, facecolors=colors * [1, 1, 1, 0.12], linewidths=THIN, rasterized=len(centers) > RASTER,
    )  # fmt: skip
    ax.add_collection(shapes, autolim=False)
    dots = roots[:, 1] <= _FLAT * np.ptp(centers, axis=0).max()
    if dots.any():
        ax.scatter(*centers[dots].T, s=4, c=colors[dots], linewidths=0)
