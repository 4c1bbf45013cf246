"""The function `explore`, which opens the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine import current
from ..spaces import Space

if TYPE_CHECKING:
    from .server import Explorer

_MISSING = 'the explorer needs Bokeh, which is not installed; run: pip install "wasserstein-transform[explore]"'


def explore(
    X: Any = None,
    labels: Any = None,
    *,
    sample_weight: Any = None,
    metric: str = "euclidean",
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
    Large data are sampled: at most 100,000 points are shown, 1,000 for local truncation.

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


def _put(shelf: Any, X: Any, labels: Any, metric: str, sample_weight: Any, name: str) -> None:
    from ..spaces import as_space
    from ..tables.features import features, is_frame
    from .sets import of_features, of_points

    if isinstance(X, str | Path):
        _put_file(shelf, Path(X))
        return
    if is_frame(X) and metric == "euclidean":
        shelf.put(name, of_features(features(X), name, labels, sample_weight))
        return
    columns = tuple(map(str, X.columns)) if hasattr(X, "columns") else ()
    space = X if isinstance(X, Space) else as_space(X, sample_weight, metric)
    shelf.put(name, of_points(space, name, columns if space.points is not None else (), labels))


def _put_file(shelf: Any, path: Path) -> None:
    from ..tables import read
    from .sets import of_table
    from .shelf import PICTURES

    if path.name.lower().endswith(PICTURES) and path.is_file():
        current().reserve(path.stat().st_size, str(path), "choose a smaller image")
        shelf.open(path.name, path.read_bytes())
        return
    table = read(path)
    of_table(table)  # raises now if the table cannot be shown
    shelf.put(path.name, table)
