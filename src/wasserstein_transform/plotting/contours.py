"""Contours of an image at every scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from .canvas import canvas, ready
from .images import figure_size
from .style import tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..image import RegionTree, Segmentation

_FAINT = 0.05  # strength below which nothing is drawn


def contour_map(found: Segmentation | RegionTree, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """The ultrametric contour map: every boundary of a tree of regions, the darker the longer it stays.

    What is darker than a scale bounds the regions at that scale: closed lines, at any.

    Parameters
    ----------
    found : Segmentation or RegionTree
        Of `wt.segment` without radii.
    ax : Axes, optional
    title : str, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> photo = np.full((40, 60, 3), 40, np.uint8)
    >>> photo[:, 20:] = 110, 160, 90
    >>> figure, ax = wt.plotting.panels()
    >>> wt.plotting.contour_map(wt.segment(photo), ax) is ax
    True
    """
    ready(ax)
    tree = getattr(found, "tree", found)
    if not hasattr(tree, "contours"):
        raise ValueError("contour_map needs a tree of regions; wt.segment(image) without radii makes one")
    picture = drawn(tree.contours())
    ax = canvas(ax, 2, figure_size(*picture.shape))
    ax.imshow(picture, cmap="gray", vmin=0, vmax=255, interpolation="antialiased")
    ax.set(xticks=[], yticks=[])
    tidy(ax, title)
    return ax


def drawn(strength: Floats) -> NDArray[np.uint8]:
    """Lines from white, nothing, to black, what everybody would draw; thick enough to be seen when shown smaller."""
    strong = np.where(strength < _FAINT, 0.0, strength)
    wide = max(1, round(max(strength.shape) / 1000))
    if wide > 1:
        from scipy.ndimage import maximum_filter

        strong = maximum_filter(strong, wide)
    return np.asarray(np.rint(255 * (1 - strong)).astype(np.uint8))
