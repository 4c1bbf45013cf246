"""`wt distances`: compute the new distances between all points of a file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .methods import METHODS, Method, describe, fit, method_options, parameters
from .options import Computation, Output, Source, command, computation, option, points_or_distances_input, table_output
from .output import COMPRESSED, Offer, check_space
from .reading import read_points
from .running import Result, running

if TYPE_CHECKING:
    from .._types import Floats
    from .reading import Points

_OFFER = Offer("distances", {"npy": ".npy", "csv": ".csv"}, "npy", "csv")
_MAX_DRAWN = 1500  # the most points in the figure
_MAX_LETTERS = 24  # the most bytes of a number as text
_MIN_BYTES = {"npy": 8, "csv": 4}  # bytes of a number at least


@command
@method_options(*METHODS)
@points_or_distances_input
@option("--condensed", section="Output", is_flag=True, help="Only the upper triangle, like SciPy's pdist.")
@option(
    "--linkage", section="Output", type=click.Path(path_type=Path), metavar="PATH",
    help="Write the single-linkage matrix (SciPy's Z) here: .npy or .csv.",
)  # fmt: skip
@table_output
@computation
def distances(
    how: Method, source: Source, condensed: bool, linkage: Path | None, output: Output, computation: Computation
) -> None:
    """Compute the distances between all points under a transform, an n by n matrix.

    By default, gt chooses eps and lam from the data and runs 0 iterations: points stay, and their neighborhoods are
    compared. With -o FOLDER the command writes distances.npy (or --format csv), distances.png and
    summary.json. Standard output gets CSV.
    """
    with running(output, computation) as run:
        import numpy as np

        how.check()
        if linkage is not None and linkage.suffix.lower() not in (".npy", ".csv"):
            raise ValueError(f"--linkage must end in .npy or .csv, got {linkage}")
        elsewhere = {} if linkage is None else {"linkage": linkage}
        points, plan = read_points(source, run, lambda _: _OFFER, elsewhere=elsewhere)
        if plan.kind != "npy" and plan.mode not in ("shown", "nothing"):
            run.engine.reserve(
                _MAX_LETTERS * points.n**2, f"{plan.kind} of the distances", "take fewer points, or --format npy"
            )
        if plan.table is not None and plan.table.suffix.lower() not in COMPRESSED:
            n_numbers = points.n * (points.n - 1) // 2 if condensed else points.n**2
            check_space(plan.table, n_numbers * _MIN_BYTES[plan.kind], "the file of the distances")
        with run.stage("transforming"):
            fitted = fit(how, points, "auto")
            matrix = np.asarray(fitted.distances_)
        result = Result(
            [str(points), describe(how, points, fitted), _describe(matrix)],
            {"n": points.n, "condensed": condensed, "reason": fitted.reason_, **_quantiles(matrix)},
            parameters(how, points, fitted),
            lambda kind: _encode(matrix[np.triu_indices(points.n, 1)] if condensed else matrix, kind),
            lambda: _draw(matrix, points),
            elsewhere={"linkage": lambda path: _encode_linkage(fitted.linkage(), path)},
        )
        run.finish(plan, result, points.input)


def _encode(values: Floats, kind: str) -> bytes:
    return _npy(values) if kind == "npy" else _csv(values)


def _npy(values: Floats) -> bytes:
    import numpy as np

    raw = BytesIO()
    np.save(raw, values, allow_pickle=False)
    return raw.getvalue()


def _csv(values: Floats, head: str = "") -> bytes:
    """CSV with a line for each row; numbers keep all bits."""
    rows = values[:, None] if values.ndim == 1 else values
    return (head + "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist())).encode()


def _encode_linkage(Z: Floats, path: Path) -> bytes:
    return _npy(Z) if path.suffix.lower() == ".npy" else _csv(Z, "one,other,height,size\n")


def _quantiles(matrix: Floats) -> dict[str, Any]:
    import numpy as np

    pairs = matrix[np.triu_indices(len(matrix), 1)]
    if not len(pairs):
        return {"least": None, "median": None, "largest": None}
    return {"least": float(pairs.min()), "median": float(np.median(pairs)), "largest": float(pairs.max())}


def _describe(matrix: Floats) -> str:
    known = _quantiles(matrix)
    if known["median"] is None:
        return "one point has no distances"
    return f"distances {known['least']:.4g} to {known['largest']:.4g}, median {known['median']:.4g}"


def _draw(matrix: Floats, points: Points) -> Any:
    from ..compute.passes import sample_evenly
    from ..plotting import heatmap, panels
    from .results import title_of

    rows = sample_evenly(len(matrix), _MAX_DRAWN)
    some = "" if len(rows) == len(matrix) else f", {len(rows)} of {len(matrix)} points"
    figure, ax = panels(width=5.6, height=4.8)
    heatmap(matrix[rows][:, rows], order="tree", ax=ax, title=f"{title_of(points)}{some}")
    return figure
