"""`wt transform`: move the points of a file by a transform."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._display import counted
from .denoise import number_or_auto
from .options import command, computation, points_input, table_output
from .printing import say
from .reading import PointsInput, read_points
from .running import Run, running

if TYPE_CHECKING:
    from .._types import Floats
    from ..spaces import Space

METHOD_NAMES = {"gt": "the Gaussian Transform", "ms": "mean shift"}
BEFORE_COLOR = "#C8C8C8"


@command
@points_input
@click.option("-m", "--method", type=click.Choice(list(METHOD_NAMES)), default="gt", metavar="NAME", help="gt or ms.")
@click.option(
    "--eps", default="auto", metavar="RADIUS", help="Radius: a number, one per iteration such as 1,0.5, or auto."
)
@click.option("--n-iter", type=int, metavar="N", help="Number of iterations.", show_default="depends on the method")
@click.option("--lam", metavar="WEIGHT", help="gt: weight of covariances.", show_default="auto")
@click.option("--ridge", type=int, metavar="N", help="gt: move only across 1 (curves) or 2 (surfaces) leading axes.")
@click.option(
    "--distances", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the new distances between all points here, n by n: .npy.",
)  # fmt: skip
@click.option(
    "--scheduler", metavar="ADDRESS",
    help="FILE is Parquet or Zarr larger than memory: compute on the workers of Dask there, or with local on this "
    "computer; -o is a folder of Parquet.",
)  # fmt: skip
@table_output
@computation
def transform(**options: Any) -> None:
    """Move points by a transform of your choice.

    The Gaussian Transform (gt) or mean shift (ms). FILE is a table, as for wt cluster; -: standard input. New columns:
    x_moved, y_moved, ...; ms also adds label, the same for points that end in one place. With -o FOLDER the command
    writes transformed.csv (or the format of FILE), transformed.png and summary.json.
    """
    with running(options) as run:
        if run.given.scheduler is not None:
            _move_in_parts(run)
            return
        import numpy as np

        from ..io import encode
        from ..spaces import Space
        from .results import add_columns, check_kind, encode_array, moved_columns

        method, matrix = run.given.method, run.given.distances
        for name in ("lam", "ridge"):
            if method != "gt" and options[name] is not None:
                raise ValueError(f"--{name} is an option of --method gt only; leave it out")
        if matrix is not None and matrix.suffix.lower() != ".npy":
            raise ValueError(f"--distances must end in .npy, got {matrix}")
        plan = run.plan("transformed", more=() if matrix is None else (matrix,))
        points = read_points(run)
        check_kind(points, plan.kind, ("moved",))
        run.bar.stage("transforming")
        scaling, earth = points.scaling, points.data.earth
        assert scaling is not None
        fitted = _fit(run.given, Space.from_points(scaling.scaled(points.data.points), points.weights))
        moved_points = scaling.back(np.asarray(fitted.points_))
        moved_points = moved_points if earth is None else earth.to_degrees(moved_points)
        labels = fitted.labels_ if method == "ms" else None
        result = {name: getattr(fitted, f"{name}_", None) for name in ("eps", "lam", "n_iter", "reason")}
        result["outcome"] = fitted.trajectory_.outcome
        lines = [str(points), _describe(method, fitted)]
        if labels is not None:
            result["clusters"] = n = len(set(labels.tolist()))
            lines.append(f"{counted(n, 'place')} where points came together")
        new = moved_columns(points, moved_points) | ({} if labels is None else {"label": labels})
        table = add_columns(points, new, run)
        run.finish(
            plan, points.input, lines, result, table=lambda: encode(table, plan.kind),
            draw=lambda: _draw(points, moved_points, labels),
            more={} if matrix is None else {matrix: lambda: encode_array(fitted.distances_)},
        )  # fmt: skip


def _move_in_parts(run: Run) -> None:
    """Move points that memory does not hold; what is done stays beside the output until all is."""
    from .. import _check as check, partitioned, transforms
    from ..engine import using

    given = run.given
    if given.eps == "auto" or given.lam == "auto":
        raise ValueError("--scheduler needs numbers: --eps RADIUS; wt transform of some of the points proposes one")
    if not given.output or not given.output.endswith(".parquet"):
        raise ValueError(f"--scheduler needs -o FOLDER.parquet, got {given.output!r}")
    target, work = Path(given.output), Path(f"{given.output}.run")
    if target.exists() and not given.force:
        raise FileExistsError(f"{target} exists; --force overwrites it, or choose another name")
    eps, client = _parse_radii(given.eps), None
    if given.scheduler != "local":
        client = check.import_extra("distributed", "a scheduler needs", "dask").Client(given.scheduler)
    process = transforms.mean_shift(eps, ridge=given.ridge)
    if given.method == "gt":
        process = transforms.gaussian_transform(eps, float(given.lam or 1.0), ridge=given.ridge)
    columns, n_iter = given.columns and given.columns.split(","), 1 if given.n_iter is None else given.n_iter
    with using(client=client):
        moved = partitioned.iterate(process, given.file, n_iter, columns=columns, weights=given.weight, out=work)
        run.bar.stage("writing")
        moved.to_parquet(str(target), overwrite=target.exists())
    shutil.rmtree(work)
    run.bar.stop()
    if not given.quiet:
        say(f"{METHOD_NAMES[given.method]}, eps {given.eps}, {counted(n_iter, 'iteration')}")
        say(str(target))


def _fit(given: Any, space: Space) -> Any:
    """The fitted estimator; gt runs one iteration by default."""
    from .. import estimators

    output = "points" if given.distances is None else "distances"  # so that memory for the matrix is reserved first
    shared: dict[str, Any] = {"eps": _parse_radii(given.eps), "keep": "last", "output": output}
    if given.n_iter is not None or given.method == "gt":
        shared["n_iter"] = 1 if given.n_iter is None else given.n_iter
    if given.method == "ms":
        return estimators.MeanShift(**shared).fit(space)
    lam = number_or_auto(given.lam or "auto", "lam")
    return estimators.GaussianTransform(lam="auto" if lam is None else lam, ridge=given.ridge, **shared).fit(space)


def _parse_radii(text: str) -> Any:
    if text == "auto":
        return text
    try:
        radii = [float(word) for word in text.split(",")]
    except ValueError:
        raise ValueError(f"--eps must be a number, numbers such as 1,0.5, or auto, got {text!r}") from None
    return radii[0] if len(radii) == 1 else radii


def _describe(method: str, fitted: Any) -> str:
    """The transform and its parameters in one line."""
    lam = f", lam {fitted.lam_:.4g}" if hasattr(fitted, "lam_") else ""
    eps = ", ".join(f"{radius:.4g}" for radius in ([fitted.eps_] if isinstance(fitted.eps_, float) else fitted.eps_))
    times = counted(fitted.n_iter_, "iteration")
    return f"{METHOD_NAMES[method]}, eps {eps}{lam}, {times}; eps: {fitted.reason_}"


def _draw(points: PointsInput, moved_points: Floats, labels: Any) -> Any:
    """The moved points over the given ones."""
    from ..plotting import cloud
    from .results import label_axes, project, title_of

    before, after = project(points.data.given, moved_points)
    ax = cloud(before, colors=BEFORE_COLOR)
    return label_axes(cloud(after, labels, ax=ax, title=f"{title_of(points)}, moved; gray: before"), points)
