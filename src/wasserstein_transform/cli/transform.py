"""`wt transform`: move the points of a file, which may be larger than memory, by a transform."""

from __future__ import annotations

import shutil
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._shown import counted
from .methods import METHODS, Method, describe, fit, method_options, parameters, parse_radii
from .options import Computation, Output, Source, command, computation, points_input, table_output
from .output import Plan, check_free
from .reading import read_points
from .running import running
from .summary import Input

if TYPE_CHECKING:
    from .._types import Floats
    from ..clouds.sources import CloudSource as Cloud
    from ..transforms import Process
    from .reading import Points
    from .running import Run

_READ = (".npy", ".parquet", ".pq", ".zarr")
_WRITTEN = (".parquet", ".npy", ".zarr")
_SMALL = 1 << 26  # smaller files, in bytes, always fit into memory
_TABLE = 3  # memory of a table relative to its coordinates
_MAX_LETTERS = 24  # the most bytes of a number as text


@command
@method_options
@points_input
@table_output
@computation
def transform(how: Method, source: Source, output: Output, computation: Computation) -> None:
    """Move points by the Gaussian Transform (gt) or by mean shift (ms).

    New columns: x_moved, y_moved, ...; ms also adds label, the same for points that end in one place. With -o FOLDER
    the command writes transformed.csv (or the format of FILE), transformed.png and summary.json. Parquet, NPY and Zarr
    files that do not fit into memory are processed in parts; the output file then has only the moved columns.
    """
    with running(output, computation) as run:
        import numpy as np

        from ..tables.files import encode
        from .results import add_columns, check_kind, moved_columns

        how.check()
        if how.distances is None and (cloud := _large_cloud(how, source, run)) is not None:
            _move_large(cloud, how, source, output, run)
            return
        plan = run.plan("transformed", source, elsewhere=[] if how.distances is None else [how.distances])
        points = read_points(source, run)
        check_kind(points, plan.kind, ("moved",))
        if how.distances is not None and how.distances.suffix.lower() == ".csv":
            what = "the text of the distances"
            run.engine.reserve(_MAX_LETTERS * points.n**2, what, "take fewer points, or write .npy")
        with run.stage("transforming"):
            fitted = fit(how, points)
            elsewhere = (
                {} if how.distances is None else {how.distances: partial(_encode, fitted.distances_, how.distances)}
            )
        assert points.scaling is not None
        places = points.scaling.back(np.asarray(fitted.points_))
        labels = fitted.labels_ if how.method == "ms" else None
        new = moved_columns(points, places) | ({} if labels is None else {"label": labels})
        lines = [str(points), describe(how, fitted)]
        facts: dict[str, Any] = {"outcome": fitted.trajectory_.outcome, "reason": fitted.reason_}
        if labels is not None:
            facts["clusters"] = len(set(labels.tolist()))
            lines.append(f"{counted(facts['clusters'], 'place')} where points came together")
        table = add_columns(points, new, run.note)
        run.finish(
            plan, points.input, lines, facts, parameters(how, fitted), table=lambda: encode(table, plan.kind),
            draw=lambda: _draw(points, places, labels, counted(fitted.n_iter_, "iteration")), elsewhere=elsewhere,
        )  # fmt: skip


def _encode(matrix: Any, path: Path) -> bytes:
    """Distances as an array of NumPy, or as CSV with a line for each point and all digits."""
    import numpy as np

    if path.suffix.lower() == ".csv":
        return "".join(",".join(map(repr, row)) + "\n" for row in matrix.tolist()).encode()
    raw = BytesIO()
    np.save(raw, matrix, allow_pickle=False)
    return raw.getvalue()


def _draw(points: Points, places: Floats, labels: Any, after: str) -> Any:
    """Points before and after, side by side with the same limits."""
    from ..plotting import cloud
    from ..plotting.clouds import drawable
    from ..plotting.style import panels
    from .results import label_axes, project, title_of

    assert points.given is not None
    clouds = project(points.given, places)
    figure, axes = panels(1, 2, width=7.2, height=3.4, dim=drawable(clouds[0]))
    for ax, shown, name in zip(axes, clouds, (title_of(points), f"after {after}"), strict=True):
        label_axes(cloud(shown, labels, ax=ax, title=name), points)
    _set_same_limits(axes, clouds)
    return figure


def _set_same_limits(axes: Any, clouds: tuple[Any, ...]) -> None:
    """Give all Axes the limits of the box around all clouds."""
    from ..plotting.clouds import flat

    low = [min(column) for column in zip(*(flat(points).min(axis=0) for points in clouds), strict=True)]
    high = [max(column) for column in zip(*(flat(points).max(axis=0) for points in clouds), strict=True)]
    margin = 0.05 * max(b - a for a, b in zip(low, high, strict=True)) or 1.0
    for ax in axes:
        ax.set_aspect("equal", adjustable="box")
        for letter, least, most in zip("xyz", low, high, strict=False):
            ax.set(**{f"{letter}lim": (least - margin, most + margin)})


def _large_cloud(how: Method, source: Source, run: Run) -> Cloud | None:
    """The points of a file as a source for reading in parts, if they do not fit into memory; else None."""
    path = Path(source.file)
    kind = path.suffix.lower()
    if kind not in _READ or not path.exists():
        return None
    if path.is_file() and path.stat().st_size < _SMALL and run.engine.memory is None:
        return None
    from ..clouds.sources import open_source
    from ..clouds.state import job_bytes

    names = None if source.columns is None else [name.strip() for name in source.columns.split(",")]
    cloud = open_source(path, names, source.weight)
    n, m = _n_points(cloud), len(cloud.names())
    process = _process(how, 1.0)
    needed = job_bytes(n, process, m, source.weight is not None, run.engine) + 8.0 * _TABLE * n * m
    return cloud if kind == ".zarr" or not run.engine.fits(needed) else None


def _n_points(cloud: Cloud) -> int:
    """Number of points according to the header of the file."""
    return sum(rows.n for rows in cloud.ranges())


def _move_large(cloud: Cloud, how: Method, source: Source, given: Output, run: Run) -> None:
    """Move the points of a file, write them to another file, and print the result."""
    from .. import clouds

    n = _n_points(cloud)
    output = _output(n, source, given)
    check_free(output, given.force)
    eps = parse_radii(how.eps)
    if eps == "auto":
        raise ValueError(f"{source.file} has {n:,} points, too many for memory, and --eps auto needs all of them; "
        "give a number, such as wt.suggest finds for a part of them")  # fmt: skip
    process, n_iter = _process(how, eps), how.n_iter if how.n_iter is not None else 1
    store: Any = run.engine.store
    folder = (output.with_name(f"{output.name}.unfinished") if store is None else store.folder) / "cloud"
    run.release_notes()
    try:
        with run.stage("transforming"):
            walk = clouds.iterate(process, cloud, folder=folder, n_iter=n_iter, engine=run.engine)
        with run.stage("writing"):
            if given.force and output.is_dir():
                shutil.rmtree(output)
            walk.write(output, run.engine)
    except BaseException:
        if (folder / "run.json").exists():
            run.note(f"finished work is in {folder.parent}, and the same command continues from there")
        raise
    shutil.rmtree(folder.parent if store is None else folder, ignore_errors=True)
    name, lam = how.method, getattr(process.at(0).localize, "lam", None)
    run.about |= {"rows": walk.n, "columns": list(walk.names)}
    lines = [
        f"{walk.n:,} points, columns {', '.join(walk.names)}, processed in parts",
        f"{METHODS[name]}, eps {how.eps}{'' if lam is None else f', lam {lam:g}'}; {walk.outcome}",
        str(output),
    ]
    known = {"method": name, "eps": eps, "lam": lam, "n_iter": walk.n_iter, "ridge": how.ridge}
    facts = {"outcome": walk.outcome, "movements": walk.movements, "written": str(output)}
    done = Plan("", given.force, "file")
    run.finish(done, Input(source.file, Path(source.file).stat().st_size, ""), lines, facts, known)


def _output(n: int, source: Source, given: Output) -> Path:
    several = f"{source.file} has {n:,} points, too many for memory, and is processed in parts, from file to file"
    if given.output is None or Path(given.output).suffix not in _WRITTEN:
        raise ValueError(f"{several}: give a file to write to, -o NAME{', -o NAME'.join(_WRITTEN)}")
    for option, value in (("--figure", given.figure), ("--format", given.format)):
        if value is not None:
            raise ValueError(f"{several}: leave {option} out")
    if source.scale != "none":
        raise ValueError(f"{several}, without scaling: leave --scale out")
    return Path(given.output)


def _process(how: Method, eps: Any) -> Process:
    from ..transforms import gaussian_transform, mean_shift

    if how.method == "ms":
        return mean_shift(eps)
    lam = 1.0 if how.lam in (None, "auto") else float(how.lam)
    return gaussian_transform(eps, lam, ridge=how.ridge)
