"""The function `explore`, which opens the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _check as check
from ..spaces import Space, as_space

if TYPE_CHECKING:
    from .server import Explorer


def explore(
    X: Any = None,
    labels: Any = None,
    *,
    sample_weight: Any = None,
    metric: str = "euclidean",
    scale: str | None = "auto",
    name: str = "X",
    port: int = 0,
) -> Explorer:
    """Serve a web page for exploring data, with sliders for the parameters and linked views.

    A thread of this process serves the page until `stop()` is called. Only this computer can reach it, and the address
    contains a secret token. In a notebook the page is shown below the cell.

    Parameters
    ----------
    X : array of shape (n, m), DataFrame, Space, path of a file, or distances of shape (n, n), optional
        Data to show; distances need metric="precomputed". Default None: the page starts with a built-in data set.
    labels : array of shape (n,), optional
        Known labels, for coloring the points.
    sample_weight : array of shape (n,), optional
        Masses of the points. Default None: equal masses.
    metric : str, default "euclidean"
        "precomputed" if X holds distances, or the name of a SciPy metric.
    scale : {"auto", "standard", "robust", "range", "unit", None}, default "auto"
        How columns are scaled, as for `wt.cluster`; it can be changed on the page.
    name : str, default "X"
        Name of the data on the page.
    port : int, default 0
        Port of the server; 0 chooses a free one.

    Returns
    -------
    Explorer
        The running server: `url` is the address of the page, `stop()` ends it.

    Notes
    -----
    Large data are sampled: at most 100,000 points are shown, 1,000 for local truncation. Of more than 5,000 points, a
    sample is computed and shown first, then all.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> page = wt.explore(wt.datasets.dumbbell().points)
    >>> page.url.startswith("http://127.0.0.1:")
    True
    >>> page.stop()
    """
    check.import_extra("bokeh", "the explorer needs", "explore")
    from ..io import read
    from .data import Choice, Shelf, Source, of_space
    from .server import Explorer

    shelf, choice = Shelf(), Choice(scale=scale or "none")
    if isinstance(X, str | Path):
        shelf.put(Path(X).name, Source(read(X), choice=choice))
    elif isinstance(X, Space) or metric != "euclidean":
        shelf.put(name, of_space(X if isinstance(X, Space) else as_space(X, sample_weight, metric), name, labels))
    elif X is not None:
        shelf.put(name, Source(X, labels, sample_weight, choice))
    return Explorer(shelf, port)
