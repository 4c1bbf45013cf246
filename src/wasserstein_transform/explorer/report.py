"""Pages about a result, which need no server and no network."""

from __future__ import annotations

import importlib
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check as check
from .._display import counted
from .._files import PathLike, check_target, write_bytes
from ..engine import Engine
from .scene import Scene

if TYPE_CHECKING:
    from bokeh.document import Document

    from .results import Story


def report(result: Any, path: PathLike, *, title: str | None = None, engine: Engine | None = None) -> Path:
    """Write one HTML file with linked, interactive views of a result.

    The page has the points over τ, a dendrogram with a movable cut, a 2-D embedding, distances and neighbor counts. It
    lists parameters, Python code and versions, and saves labels and points as CSV. It works offline from any folder. An
    existing file is replaced; if writing fails, it is left unchanged.

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
    At most 100,000 points are drawn, or 2,000 if only their distances are known; of more, a random sample. The
    embedding and the matrix use all distances between at most 1,000 points.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> fitted = wt.GaussianTransform(eps=0.5, lam=4.0, n_iter=2).fit(wt.datasets.dumbbell().points)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wt.explorer.report(fitted, f"{folder}/dumbbell.html").name
    'dumbbell.html'
    """
    check.import_extra("bokeh", "a report needs", "explore")
    from .results import story_of  # imported late: it imports all types of results

    check_target(path)  # raises before anything is computed
    write_bytes(path, _page(story_of(result, engine), title).encode())
    return Path(path)


def page_of(scene: Scene, *, title: str | None = None) -> str:
    """The HTML of a report on a scene."""
    from .results import Story

    facts: dict[str, Any] = {"points": scene.n, "ε": _number(scene.eps)}
    if scene.covariances is not None or scene.lam:
        facts["λ"] = f"{scene.lam:g}"
    return _page(Story(scene, scene.title, facts | {"iterations": scene.times[-1]}, scene.code), title)


def _page(story: Story, title: str | None) -> str:
    from bokeh.embed import file_html
    from bokeh.resources import Resources

    from .figures import static

    heading = story.title if title is None else title
    scene = story.scene
    facts = [(name, str(value)) for name, value in story.facts.items() if str(value)]
    page: str = file_html(
        _document(story), Resources(mode="inline"), heading or "report", template=static("report.html"),
        template_variables={
            "heading": heading, "subtitle": _subtitle(story), "notes": () if scene is None else scene.notes,
            "facts": facts, "looked": _looked(story), "code": story.code, "versions": _versions(),
            "sheet": static("report.css"), "script": static("report.js"), "has_points": scene is not None,
        },
    )  # fmt: skip
    return page


def _document(story: Story) -> Document:
    from bokeh.document import Document
    from bokeh.models import Column

    from .figures import style_sheet
    from .metrics import NeighborView
    from .views import Views

    document = Document()
    if story.scene is not None:
        document.add_root(Views(story.scene).layout)
    elif story.curve is not None:
        neighbors = NeighborView(style_sheet(), moving=False)
        neighbors.show(story.curve, story.eps)
        neighbors.follow_theme()
        document.add_root(neighbors.card)
    else:
        document.add_root(Column())
    return document


def _subtitle(story: Story) -> str:
    if story.scene is None:
        return str(story.facts.get("write", ""))
    scene = story.scene
    iterations = scene.times[-1]
    parts = [counted(scene.n, "point")]
    if iterations:
        parts.append(counted(iterations, "iteration"))
    if np.isfinite(scene.eps):
        parts.append(f"ε = {_number(scene.eps)}")
    if scene.lam:
        parts.append(f"λ = {scene.lam:g}")
    return ", ".join(parts)


def _looked(story: Story) -> dict[str, Any] | None:
    if not story.table:
        return None
    columns = story.table.values()
    rows = [[cell if isinstance(cell, str) else f"{cell:.4g}" for cell in row] for row in zip(*columns, strict=True)]
    return {"heading": story.examined, "names": list(story.table), "rows": rows, "chosen": story.chosen}


def _number(value: float) -> str:
    return f"{value:.6g}" if np.isfinite(value) else "unknown"


def _versions() -> str:
    import bokeh

    ours = importlib.import_module("wasserstein_transform").__version__
    return (
        f"wasserstein-transform {ours}, NumPy {np.__version__}, Bokeh {bokeh.__version__}, "
        f"Python {platform.python_version()}"
    )
