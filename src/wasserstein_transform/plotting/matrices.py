"""Heat maps of distance matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._types import Floats, Ints
from ..hierarchy import spanning_tree
from ..spaces import Space
from .branches import leaf_order
from .canvas import canvas, ready
from .colors import colormap, draw_scale
from .inputs import as_matrix
from .style import WIDTH, numbered, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def heatmap(
    distances: Any,
    *,
    order: Any = None,
    labels: Any = None,
    ax: Axes | None = None,
    cmap: Any = "magma",
    colorbar: bool = True,
    title: str | None = None,
) -> Axes:
    """Draw the matrix of distances as a heat map, dark where points are close.

    Parameters
    ----------
    distances : Space, Metric, Trajectory, fitted transform, or distances of shape (n, n) or condensed
        All distances must be finite.
    order : "tree" or permutation of shape (n,), optional
        Order of rows and columns; "tree" is the order of the leaves of the single-linkage tree. Default None: sorted by
        `labels` if there are any, else the order of the input.
    labels : array of shape (n,), optional
        Groups of points; thin lines are drawn where the label changes.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    cmap : str or Colormap, default "magma"
        Colormap of matplotlib.
    colorbar : bool, default True
        Whether to draw a color bar, in the unit of the distances.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Notes
    -----
    Memory O(n²): the whole matrix is drawn.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.heatmap([[0.0, 3.0, 1.0], [3.0, 0.0, 2.0], [1.0, 2.0, 0.0]], order="tree", ax=ax)
    >>> ax.images[0].get_array().data
    array([[0., 1., 3.], [1., 0., 2.], [3., 2., 0.]])
    """
    ready(ax)
    matrix = as_matrix(distances)
    n = len(matrix)
    numbers = None if labels is None else numbered(labels, n)
    rows, shades = _rows(order, numbers, matrix), colormap(cmap, "magma", "cmap")
    ax = canvas(ax, 2, (WIDTH, 0.88 * WIDTH))
    image = ax.imshow(matrix[np.ix_(rows, rows)], cmap=shades, vmin=0.0, interpolation="antialiased")
    if numbers is not None:
        _draw_boundaries(ax, numbers[rows])
    ax.set(xticks=[], yticks=[])
    tidy(ax, title)
    if colorbar:
        draw_scale(ax, image)
    return ax


def _rows(order: Any, labels: Ints | None, matrix: Floats) -> Ints:
    n = len(matrix)
    if order is None:
        return np.arange(n) if labels is None else np.argsort(labels, kind="stable")
    if isinstance(order, str):
        if order != "tree":
            raise ValueError(
                f"order must be 'tree' or a permutation, got {order!r}; leave it out to keep the order of the input"
            )
        return leaf_order(spanning_tree(Space.from_distances(matrix)))
    rows = np.asarray(order)
    if rows.shape != (n,) or not np.array_equal(np.sort(rows), np.arange(n)):
        raise ValueError(f"order must hold each of 0 … {n - 1} once, got {rows.size} entries that do not")
    return rows.astype(np.intp)


def _draw_boundaries(ax: Any, labels: Ints) -> None:
    for k in np.flatnonzero(np.diff(labels)) + 0.5:
        ax.axhline(k, color="white", lw=0.4)
        ax.axvline(k, color="white", lw=0.4)
