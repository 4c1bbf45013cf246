"""The options of `wt transform`, and the estimators they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._shown import counted
from .denoise import number_or_auto
from .options import option, record

if TYPE_CHECKING:
    from .reading import Points

METHODS = {"gt": "the Gaussian Transform", "ms": "mean shift"}
_MATRICES = (".npy", ".csv")  # files of distances


@dataclass(frozen=True)
class Method:
    """Options for the transform."""

    method: str
    eps: str
    lam: str | None
    n_iter: int | None
    ridge: int | None
    distances: Path | None

    def check(self) -> None:
        """Raise for an option that the method does not have, and for another file of distances."""
        for name in ("lam", "ridge"):
            if self.method != "gt" and getattr(self, name) is not None:
                raise ValueError(f"--{name} is an option of --method gt only; leave it out")
        if self.distances is not None and self.distances.suffix.lower() not in _MATRICES:
            raise ValueError(f"--distances must end in {' or '.join(_MATRICES)}, got {self.distances}")


method_options = record(
    "how", Method,
    option("-m", "--method", type=click.Choice(list(METHODS)), default="gt", metavar="NAME", help="gt or ms."),
    option(
        "--eps", default="auto", metavar="RADIUS",
        help="Radius: a number, one per iteration such as 1,0.5, or auto.",
    ),
    option("--n-iter", type=int, metavar="N", help="Number of iterations.", show_default="depends on the method"),
    option(
        "--distances", section="Output", type=click.Path(path_type=Path), metavar="FILE",
        help="Write the new distances between all points here, n by n: .npy or .csv.",
    ),
    option("--lam", section="Tuning", metavar="WEIGHT", help="gt: weight of covariances.", show_default="auto"),
    option(
        "--ridge", section="Tuning", type=int, metavar="N",
        help="gt: move only across 1 (curves) or 2 (surfaces) leading axes.",
    ),
)  # fmt: skip
"""The options of the transform."""


def fit(how: Method, points: Points) -> Any:
    """The fitted estimator; gt runs one iteration by default."""
    from .. import estimators

    output = "points" if how.distances is None else "distances"  # so that memory for the matrix is reserved first
    shared: dict[str, Any] = {"eps": parse_radii(how.eps), "keep": "last", "output": output}
    if how.n_iter is not None or how.method == "gt":
        shared["n_iter"] = 1 if how.n_iter is None else how.n_iter
    if how.method == "ms":
        return estimators.MeanShift(**shared).fit(points.space)
    lam = number_or_auto(how.lam or "auto", "lam")
    return estimators.GaussianTransform(lam="auto" if lam is None else lam, ridge=how.ridge, **shared).fit(points.space)


def parse_radii(text: str) -> Any:
    """Parse --eps."""
    if text == "auto":
        return text
    try:
        radii = [float(word) for word in text.split(",")]
    except ValueError:
        raise ValueError(f"--eps must be a number, numbers such as 1,0.5, or auto, got {text!r}") from None
    return radii[0] if len(radii) == 1 else radii


def parameters(how: Method, fitted: Any) -> dict[str, Any]:
    """The parameters for the summary: values that were used, and under `given` those of the options."""
    return {
        "method": how.method, "eps": fitted.eps_, "lam": getattr(fitted, "lam_", None), "n_iter": fitted.n_iter_,
        "ridge": how.ridge,
        "given": {"eps": how.eps, "lam": how.lam, "n_iter": "auto" if how.n_iter is None else how.n_iter},
    }  # fmt: skip


def describe(how: Method, fitted: Any) -> str:
    """The transform and its parameters in one line."""
    lam = f", lam {fitted.lam_:.4g}" if hasattr(fitted, "lam_") else ""
    eps = ", ".join(f"{radius:.4g}" for radius in ([fitted.eps_] if isinstance(fitted.eps_, float) else fitted.eps_))
    times = counted(fitted.n_iter_, "iteration")
    return f"{METHODS[how.method]}, eps {eps}{lam}, {times}; eps: {fitted.reason_}"
