"""`wt distances`: compute the new distances between all points of a file."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from .answering import Answer
from .expanding import Call, expanded
from .keeping import Keeping, Offer
from .machine import Machine
from .methods import Method, fitted, parameters, words
from .reading import Source, read_points
from .running import opened
from .targets import PACKED, check_space

if TYPE_CHECKING:
    from .._types import Floats
    from .reading import Points

_OFFER = Offer("distances", {"npy": ".npy", "csv": ".csv", "parquet": ".parquet"}, "npy", "csv")
_DRAWN = 1500  # the most points in the figure
_LETTERS = 24  # the most bytes of a number as text
_LEAST = {"npy": 8, "csv": 4}  # bytes of a number at least; Parquet compresses


@dataclass(frozen=True)
class Linking:
    """The option for the tree."""

    keeps: ClassVar[tuple[str, ...]] = ("linkage",)

    linkage: Annotated[
        Path | None, typer.Option(help="Write the single-linkage matrix (SciPy's Z) here: .npy or .csv.")
    ] = None


@expanded
def distances(
    *,
    how: Method,
    condensed: Annotated[
        bool, typer.Option("--condensed", help="Only the upper triangle, like SciPy's pdist.")
    ] = False,
    tree: Linking,
    source: Source,
    keeping: Keeping,
    machine: Machine,
    call: Call,
) -> None:
    """Compute the distances between all points under a transform, an n by n matrix.

    By default, gt chooses eps and lam from the data and runs 0 iterations: points stay, and their neighborhoods are
    compared. With -o FOLDER the command writes distances.npy (or --format csv or parquet), distances.png and
    summary.json. Standard output gets CSV.
    """
    with opened(call, keeping, machine) as run:
        import numpy as np

        how.check()
        _check_linkage(tree.linkage)
        elsewhere = {} if tree.linkage is None else {"linkage": tree.linkage}
        points, plan = read_points(source, run, lambda _: _OFFER, elsewhere=elsewhere)
        if plan.kind != "npy" and plan.mode not in ("shown", "nothing"):
            run.engine.reserve(
                _LETTERS * points.n**2, f"{plan.kind} of the distances", "take fewer rows, or --format npy"
            )
        _encoded(np.zeros((1, 1)), plan.kind)  # raises now if a package is missing
        if plan.table is not None and plan.table.suffix.lower() not in PACKED:
            n_numbers = points.n * (points.n - 1) // 2 if condensed else points.n**2
            check_space(plan.table, n_numbers * _LEAST.get(plan.kind, 0), "the file of the distances")
        with run.stage("transforming"):
            found = fitted(how, points, "auto")
            matrix = np.asarray(found.distances_)
        answer = Answer(
            [str(points), words(how, points, found), _said(matrix)],
            {"n": points.n, "condensed": condensed, "reason": found.reason_, **_quantiles(matrix)},
            parameters(how, points, found),
            lambda kind: _encoded(_shaped(matrix, condensed), kind),
            lambda: _draw(matrix, points),
            elsewhere={"linkage": lambda path: _linkage(found.linkage(), path)},
        )
        run.finish(plan, answer, points.input)


def _check_linkage(path: Path | None) -> None:
    if path is not None and path.suffix.lower() not in (".npy", ".csv"):
        raise ValueError(f"--linkage must end in .npy or .csv, got {path}")


def _shaped(matrix: Floats, condensed: bool) -> Floats:
    import numpy as np

    return matrix[np.triu_indices(len(matrix), 1)] if condensed else matrix


def _encoded(values: Floats, kind: str) -> bytes:
    if kind == "parquet":
        from pandas import DataFrame

        from ..tables.files import encode

        columns = {"distance": values} if values.ndim == 1 else {str(k): row for k, row in enumerate(values, 1)}
        return encode(DataFrame(columns), "parquet")
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


def _linkage(Z: Floats, path: Path) -> bytes:
    return _npy(Z) if path.suffix.lower() == ".npy" else _csv(Z, "one,other,height,size\n")


def _quantiles(matrix: Floats) -> dict[str, Any]:
    import numpy as np

    pairs = matrix[np.triu_indices(len(matrix), 1)]
    if not len(pairs):
        return {"least": None, "median": None, "largest": None}
    return {"least": float(pairs.min()), "median": float(np.median(pairs)), "largest": float(pairs.max())}


def _said(matrix: Floats) -> str:
    found = _quantiles(matrix)
    if found["median"] is None:
        return "one point has no distances"
    return f"distances {found['least']:.4g} to {found['largest']:.4g}, {found['median']:.4g} in the middle"


def _draw(matrix: Floats, points: Points) -> Any:
    from ..compute.passes import sample_evenly
    from ..plotting import heatmap, panels
    from .figures import title_of

    rows = sample_evenly(len(matrix), _DRAWN)
    some = "" if len(rows) == len(matrix) else f", {len(rows)} of {len(matrix)} points"
    figure, ax = panels(width=5.6, height=4.8)
    heatmap(matrix[rows][:, rows], order="tree", ax=ax, title=f"{title_of(points)}{some}")
    return figure
