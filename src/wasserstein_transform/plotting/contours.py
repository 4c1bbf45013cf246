"""Contours of an image at all scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .._types import Floats
from .images import figure_size
from .style import canvas, ready, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..image import RegionTree, Segmentation

_FAINT = 0.05  # boundaries weaker than this are not drawn


def contour_map(found: Segmentation | RegionTree, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw the ultrametric contour map of an image: boundaries that survive to coarser scales are darker.

    The boundaries stronger than a scale in [0, 1] are closed lines around the regions of that scale.

    Parameters
    ----------
    found : Segmentation or RegionTree
        The result of `wt.segment` without radii, or its `tree`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> photo = np.full((40, 60, 3), 40, np.uint8)
    >>> photo[:, 20:] = 110, 160, 90
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.contour_map(wt.segment(photo), ax)
    >>> ax.images[0].get_array().shape  # a gray image of the same size
    (40, 60)
    """
    ready(ax)
    tree = getattr(found, "tree", found)
    if not hasattr(tree, "contours"):
        raise ValueError(
            f"contour_map needs a tree of regions, and this {type(found).__name__} has none; "
            "wt.segment(image) makes one"
        )
    picture = drawn(tree.contours())
    ax = canvas(ax, 2, figure_size(*picture.shape))
    ax.imshow(picture, cmap="gray", vmin=0, vmax=255, interpolation="antialiased")
    ax.set(xticks=[], yticks=[])
    tidy(ax, title)
    return ax


def drawn(strength: Floats) -> NDArray[np.uint8]:
    """Boundaries as gray levels, 255 for none to 0 for the strongest; thicker in large images, to survive shrinking."""
    strong = np.where(strength < _FAINT, 0.0, strength)
    wide = max(1, round(max(strength.shape) / 1000))
    if wide > 1:
        from scipy.ndimage import maximum_filter

        strong = maximum_filter(strong, wide)
    return np.asarray(np.rint(255 * (1 - strong)).astype(np.uint8))
