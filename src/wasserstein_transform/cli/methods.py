"""The transforms by name, for `wt transform` and `wt distances`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .._shown import counted
from .denoise import number_or_auto
from .options import option, record

if TYPE_CHECKING:
    from .reading import Points

METHODS = {
    "gt": "the Gaussian Transform",
    "ms": "mean shift",
    "lt": "local truncation, by exact transport",
    "kernel": "a Gaussian kernel, by exact transport",
}
_CUT = 3.0  # the kernel is cut off at this many eps; otherwise every point is a neighbor of every other
_OPTIONS = {"lam": ("gt",), "ridge": ("gt",), "p": ("lt", "kernel")}  # options that only some methods have


@dataclass(frozen=True)
class Method:
    """Options for the transform."""

    method: str | None
    eps: str
    lam: str | None
    n_iter: int | None
    ridge: int | None
    p: float | None = None

    def name_for(self, points: Points) -> str:
        """Name of the method: by default gt for points, lt for distances."""
        if self.method is None:
            return "gt" if points.matrix is None else "lt"
        return self.method

    def check(self) -> None:
        """Raise for an option that the method does not have."""
        for name, methods in _OPTIONS.items():
            if getattr(self, name) is not None and (self.method or "gt") not in methods:
                raise ValueError(f"--{name} is an option of --method {' and '.join(methods)} only; leave it out")


def method_options(*methods: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options of these transforms."""
    exact = option(
        "--p", section="Tuning", type=float, metavar="ORDER", show_default="1",
        help="lt, kernel: order of the Wasserstein distance.",
    )  # fmt: skip
    return record(
        "how", Method,
        option(
            "-m", "--method", type=click.Choice(methods), metavar="NAME", help=f"One of {', '.join(methods)}.",
            show_default="gt; lt for distances" if "lt" in methods else "gt",
        ),
        option(
            "--eps", default="auto", metavar="RADIUS",
            help="Radius: a number, one per iteration such as 1,0.5, or auto.",
        ),
        option("--n-iter", type=int, metavar="N", help="Number of iterations.", show_default="depends on the method"),
        option("--lam", section="Tuning", metavar="WEIGHT", help="gt: weight of covariances.", show_default="auto"),
        option(
            "--ridge", section="Tuning", type=int, metavar="N",
            help="gt: move only across 1 (curves) or 2 (surfaces) leading axes.",
        ),
        *([exact] if "lt" in methods else []),
    )  # fmt: skip


def fit(how: Method, points: Points, n_iter: int | str, **more: Any) -> Any:
    """The fitted estimator; `n_iter` is the default number of iterations."""
    from .. import estimators

    name = how.name_for(points)
    if points.matrix is not None and name in ("gt", "ms"):
        raise ValueError(f"--method {name} needs points, got distances; --method lt takes distances")
    shared: dict[str, Any] = {"eps": parse_radii(how.eps), "keep": "last", **more}
    if how.n_iter is not None or name != "ms":
        shared["n_iter"] = how.n_iter if how.n_iter is not None else n_iter
    if name == "ms":
        return estimators.MeanShift(**shared).fit(points.space)
    if name == "gt":
        lam = number_or_auto(how.lam or "auto", "lam")
        gt = estimators.GaussianTransform(lam="auto" if lam is None else lam, ridge=how.ridge, **shared)
        return gt.fit(points.space)
    p = 1.0 if how.p is None else how.p
    if name == "lt":
        return estimators.LocalTruncation(p=p, **shared).fit(points.space)
    return estimators.KernelTransform(p=p, cut=_CUT, **shared).fit(points.space)


def parse_radii(text: str) -> Any:
    """Parse --eps."""
    if text == "auto":
        return text
    try:
        radii = [float(word) for word in text.split(",")]
    except ValueError:
        raise ValueError(f"--eps must be a number, numbers such as 1,0.5, or auto, got {text!r}") from None
    return radii[0] if len(radii) == 1 else radii


def parameters(how: Method, points: Points, fitted: Any) -> dict[str, Any]:
    """The parameters for the summary: values that were used, and under `given` those of the options."""
    return {
        "method": how.name_for(points), "eps": fitted.eps_, "lam": getattr(fitted, "lam_", None),
        "n_iter": fitted.n_iter_, "p": getattr(fitted, "p", None), "ridge": how.ridge,
        "cut": getattr(fitted, "cut", None),
        "given": {"eps": how.eps, "lam": how.lam, "n_iter": "auto" if how.n_iter is None else how.n_iter},
    }  # fmt: skip


def describe(how: Method, points: Points, fitted: Any) -> str:
    """The transform and its parameters in one line."""
    lam = f", lam {fitted.lam_:.4g}" if hasattr(fitted, "lam_") else ""
    eps = ", ".join(f"{radius:.4g}" for radius in ([fitted.eps_] if isinstance(fitted.eps_, float) else fitted.eps_))
    times = counted(fitted.n_iter_, "iteration")
    return f"{METHODS[how.name_for(points)]}, eps {eps}{lam}, {times}; eps: {fitted.reason_}"
