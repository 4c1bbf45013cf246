"""Files about a result: a page that needs no server and no network, and a table for embedding-atlas."""

from __future__ import annotations

import importlib
import platform
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import PathLike, check_target, write_bytes
from .._shown import counted, frame, listed
from .._types import Floats, Ints
from ..engine import Engine
from .scene import Scene

if TYPE_CHECKING:
    from bokeh.document import Document
    from pandas import DataFrame

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
    _need_bokeh()
    from .results import story_of  # imported late: it imports all types of results

    check_target(path)  # raises before anything is computed
    write_bytes(path, _page(story_of(result, engine), title).encode())
    return Path(path)


def page_of(scene: Scene, *, title: str | None = None, facts: dict[str, Any] | None = None) -> str:
    """The HTML of a report on a scene."""
    _need_bokeh()
    from .results import Story

    known: dict[str, Any] = {"points": scene.n, "ε": _number(scene.eps)}
    if scene.covariances is not None or scene.lam:
        known["λ"] = f"{scene.lam:g}"
    known |= {"iterations": scene.times[-1]}
    return _page(Story(scene, scene.title, known if facts is None else facts, scene.code), title)


def to_embedding_atlas(result: Any, path: PathLike, *, table: DataFrame | None = None, text: str | None = None) -> Path:
    """Write a Parquet file for embedding-atlas: columns x, y, label and text, and those of a table.

    ``embedding-atlas FILE --x x --y y --text text`` opens it. Points with more than two coordinates are placed along
    their first two principal axes, points without coordinates by classical scaling. Needs pyarrow, the extra `arrow`.

    Parameters
    ----------
    result : Clustering, Trajectory, or fitted estimator
        The points and, if it has any, their labels; noise is called "noise".
    path : str or path
        The file to write; an existing file is replaced.
    table : DataFrame, optional
        The table that was clustered: its columns are added.
    text : str, optional
        The column of the table to read as text. None (default) writes all columns of a row as text.

    Returns
    -------
    Path
        The path of the file.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> found = wt.cluster(wt.datasets.dumbbell().points)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = wt.explorer.to_embedding_atlas(found, f"{folder}/dumbbell.parquet")
    ...     list(wt.read(path).columns)
    ['x', 'y', 'label', 'text']
    """
    from .results import points_and_labels

    if Path(path).suffix.lower() != ".parquet":
        raise ValueError(f"Embedding Atlas reads Parquet: the name must end in .parquet, got {path}")
    check_target(path)
    write_bytes(path, atlas_bytes(*points_and_labels(result), table, text))
    return Path(path)


def atlas_bytes(places: Floats, labels: Ints | None, table: DataFrame | None = None, text: str | None = None) -> bytes:
    """The Parquet file of points in the plane with labels, and the rows of a table."""
    if find_spec("pyarrow") is None:
        raise ImportError(
            'Parquet needs pyarrow, which is not installed; run: pip install "wasserstein-transform[arrow]"'
        )
    n, known = len(places), np.zeros(len(places), np.intp) if labels is None else labels
    if table is not None and len(table) != n:
        raise ValueError(f"table must have one row for each of the {counted(n, 'point')}, got {len(table)}")
    rows = frame({}) if table is None else table.reset_index(drop=True).rename(columns=str)
    if text is not None and text not in rows:
        there = f"its columns are {listed(rows.columns)}" if len(rows.columns) else "pass the table as well: table=…"
        raise ValueError(f"text must be a column of the table, got {text!r}; {there}")
    words = [", ".join(f"{name} {cell}" for name, cell in row.items()) for row in rows.astype(str).to_dict("records")]
    if text is not None or not words:
        words = [f"row {k}" for k in range(n)] if text is None else list(rows[text].astype(str))
    names = ["noise" if label < 0 else str(label) for label in known]
    made = frame({"x": places[:, 0], "y": places[:, 1], "label": names, "text": words})
    for name in rows:
        column = rows[name].astype(str) if rows[name].dtype == object else rows[name]
        made[f"{name} (table)" if name in made else name] = column
    out = BytesIO()
    made.to_parquet(out, index=False)
    return out.getvalue()


def _need_bokeh() -> None:
    try:
        import bokeh.models  # noqa: F401
    except ImportError:
        raise ImportError(
            'a report needs Bokeh, which is not installed; run: pip install "wasserstein-transform[explore]"'
        ) from None


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
    from .metrics import Neighbors
    from .views import Views

    document = Document()
    if story.scene is not None:
        document.add_root(Views(story.scene).layout)
    elif story.curve is not None:
        near = Neighbors(style_sheet(), moving=False)
        near.show(story.curve, story.eps)
        near.follow_theme()
        document.add_root(near.card)
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
