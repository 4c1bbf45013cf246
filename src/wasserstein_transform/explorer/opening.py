"""`explore`: the page for data at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine import current
from ..spaces import Space

if TYPE_CHECKING:
    from .server import Explorer

_MISSING = 'the explorer needs Bokeh, which is not installed; pip install "wasserstein-transform[explore]" brings it'


def explore(
    X: Any = None,
    labels: Any = None,
    *,
    metric: str | None = None,
    sample_weight: Any = None,
    name: str = "X",
    port: int = 0,
) -> Explorer:
    """A page to explore data by: parameters by sliders, linked views.

    It is served on this machine only, at an address with a token, by a thread of this process, until `stop()`. In a
    notebook the page is shown below the cell.

    Parameters
    ----------
    X : array of shape (n, m), DataFrame, distances of shape (n, n) for metric="precomputed", Space, or name of a file
        Without it the page begins with a data set of the library.
    labels : array of shape (n,), optional
        Known labels, to color by.
    metric : str, optional
        "precomputed" for distances, or a SciPy name; Euclidean by default.
    sample_weight : array of shape (n,), optional
    name : str
        What the page calls it.
    port : int
        0 takes a free one.

    Returns
    -------
    Explorer
        With `url` and `stop()`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> page = wt.explore(wt.datasets.dumbbell().points)
    >>> page.url.startswith("http://127.0.0.1:")
    True
    >>> page.stop()
    """
    try:
        import bokeh  # noqa: F401
    except ImportError:
        raise ImportError(_MISSING) from None
    from .server import in_thread
    from .shelf import Shelf

    shelf = Shelf()
    if X is not None:
        _put(shelf, X, labels, metric, sample_weight, name)
    return in_thread(shelf, port)


def _put(shelf: Any, X: Any, labels: Any, metric: str | None, sample_weight: Any, name: str) -> None:
    from ..localize.places import read
    from .sets import of_points

    if isinstance(X, str | Path):
        _put_file(shelf, Path(X))
        return
    columns = tuple(map(str, X.columns)) if hasattr(X, "columns") else ()
    space = X if isinstance(X, Space) else read(X, sample_weight, metric)
    shelf.put(name, of_points(space, name, columns if space.points is not None else (), labels))


def _put_file(shelf: Any, path: Path) -> None:
    from ..tables import read
    from .sets import of_table
    from .shelf import PICTURES

    if path.name.lower().endswith(PICTURES) and path.is_file():
        current().reserve(path.stat().st_size, str(path), "give a smaller picture")
        shelf.open(path.name, path.read_bytes())
        return
    table = read(path)
    of_table(table)  # what cannot be shown is refused now
    shelf.put(path.name, table)
