"""Pages about a result, which need no server and no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import __version__, _check as check
from .._files import PathLike, check_target, write_bytes
from ..engine import Engine, current
from .scene import Scene


def report(result: Any, path: PathLike, *, title: str | None = None, engine: Engine | None = None) -> Path:
    """Write one HTML file with linked, interactive views of a result.

    The page has what the result says in a notebook, the points over τ, a dendrogram with a movable cut, a 2-D
    embedding and distances; it saves labels and points as CSV. It works offline from any folder. An existing file is
    replaced; if writing fails, it is left unchanged.

    Parameters
    ----------
    result : Trajectory, Clustering, Denoised, Skeleton, Suggestion, or fitted estimator
        The result to show.
    path : str or path
        The HTML file to write.
    title : str, optional
        Heading of the page. Default None: the type of the result.
    engine : Engine, optional
        Engine that computes tree and distances. Default None: the current engine (`wt.using`).

    Returns
    -------
    Path
        The path of the file.

    Notes
    -----
    At most 100,000 points are drawn, or 2,000 if only their distances are known; of more, evenly spaced rows. The
    embedding and the matrix show at most 400 points.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> fitted = wt.GaussianTransform(eps=0.5, lam=4.0, n_iter=2).fit(wt.datasets.dumbbell().points)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wt.explorer.report(fitted, f"{folder}/dumbbell.html").name
    'dumbbell.html'
    """
    check.import_extra("bokeh", "a report needs", "explore")
    from .results import draw, facts_of  # imported late: it imports all types of results

    check_target(path)  # raises before anything is computed
    scene = draw(result, current(engine).silent())
    heading = type(result).__name__ if title is None else title
    write_bytes(path, page_of(scene, heading, repr(result), facts_of(result)).encode())
    return Path(path)


def page_of(scene: Scene | None, heading: str, subtitle: str = "", facts: str = "") -> str:
    """The HTML of a report on a scene; `facts` is HTML."""
    from bokeh.document import Document
    from bokeh.embed import file_html
    from bokeh.models import Div
    from bokeh.resources import Resources

    from .figures import static
    from .views import Views

    document = Document()
    document.add_root(Div() if scene is None else Views(scene).layout)
    page: str = file_html(
        document, Resources(mode="inline"), heading or "report", template=static("report.html"),
        template_variables={
            "heading": heading, "subtitle": subtitle, "facts": facts, "scene": scene, "version": __version__,
            "sheet": static("report.css"), "script": static("report.js"),
        },
    )  # fmt: skip
    return page
