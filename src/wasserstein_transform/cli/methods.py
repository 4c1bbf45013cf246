"""The transforms by name, for `wt transform` and `wt distances`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .denoise import number_or_auto

if TYPE_CHECKING:
    from .reading import Points

METHODS = {
    "gt": "the Gaussian Transform",
    "ms": "mean shift",
    "lt": "local truncation, by exact transport",
    "kernel": "a Gaussian kernel, by exact transport",
}
_MOVING = ("gt", "ms")
_CUT = 3.0  # the kernel is cut off at this many eps; otherwise every point is a neighbor of every other
_OPTIONS = {"lam": ("gt",), "ridge": ("gt",), "p": ("lt", "kernel")}  # options that only some methods have


@dataclass(frozen=True)
class Method:
    """Options for the transform."""

    method: Annotated[
        str | None,
        typer.Option("-m", "--method", help=f"One of {', '.join(METHODS)}.", show_default="gt; lt for distances"),
    ] = None
    eps: Annotated[str, typer.Option(help="Radius: a number, one per iteration such as 1,0.5, or auto.")] = "auto"
    lam: Annotated[str | None, typer.Option(help="gt: weight of covariances.", show_default="auto")] = None
    n_iter: Annotated[
        int | None, typer.Option("--n-iter", help="Number of iterations.", show_default="depends on the method")
    ] = None
    p: Annotated[
        float | None, typer.Option(help="lt, kernel: order of the Wasserstein distance.", show_default="1")
    ] = None
    ridge: Annotated[int | None, typer.Option(help="gt: move only across 1 (curves) or 2 (surfaces) leading axes.")] = (
        None
    )

    def name_for(self, points: Points) -> str:
        """Name of the method: by default gt for points, lt for distances."""
        if self.method is None:
            return "gt" if points.matrix is None else "lt"
        return self.method

    def check(self) -> None:
        """Raise for an unknown method, or an option that the method does not have."""
        if self.method is not None and self.method not in METHODS:
            raise ValueError(f"--method must be one of {', '.join(METHODS)}, got {self.method!r}")
        for option, methods in _OPTIONS.items():
            if getattr(self, option) is not None and (self.method or "gt") not in methods:
                raise ValueError(f"--{option} is an option of --method {' and '.join(methods)} only; leave it out")


def moves_points(name: str) -> bool:
    """Whether a method moves points; the others only change distances."""
    return name in _MOVING


def fitted(how: Method, points: Points, n_iter: int | str, **more: Any) -> Any:
    """The fitted estimator; `n_iter` is the default number of iterations."""
    from .. import estimators

    name = how.name_for(points)
    if points.matrix is not None and moves_points(name):
        raise ValueError(f"--method {name} needs points, got distances; --method lt takes distances")
    shared: dict[str, Any] = {"eps": radii(how.eps), "keep": "last", **more}
    if how.n_iter is not None or name != "ms":
        shared["n_iter"] = how.n_iter if how.n_iter is not None else n_iter
    if name == "ms":
        return estimators.MeanShift(**shared).fit(points.space)
    if name == "gt":
        lam = number_or_auto(how.lam or "auto", "lam")
        return estimators.GaussianTransform(lam="auto" if lam is None else lam, ridge=how.ridge, **shared).fit(
            points.space
        )
    p = 1.0 if how.p is None else how.p
    if name == "lt":
        return estimators.LocalTruncation(p=p, **shared).fit(points.space)
    return estimators.KernelTransform(p=p, cut=_CUT, **shared).fit(points.space)


def radii(text: str) -> Any:
    """Parse --eps."""
    if text == "auto":
        return text
    try:
        radii = [float(word) for word in text.split(",")]
    except ValueError:
        raise ValueError(f"--eps must be a number, numbers such as 1,0.5, or auto, got {text!r}") from None
    return radii[0] if len(radii) == 1 else radii


def parameters(how: Method, points: Points, found: Any) -> dict[str, Any]:
    """The parameters for the summary: values that were used, and under `asked` those that were given."""
    return {
        "method": how.name_for(points), "eps": found.eps_, "lam": getattr(found, "lam_", None), "n_iter": found.n_iter_,
        "p": getattr(found, "p", None), "ridge": how.ridge,
        "cut": getattr(found, "cut", None),
        "asked": {"eps": how.eps, "lam": how.lam, "n_iter": "auto" if how.n_iter is None else how.n_iter},
    }  # fmt: skip


def words(how: Method, points: Points, found: Any) -> str:
    """The transform and its parameters in one line."""
    lam = f", lam {found.lam_:.4g}" if hasattr(found, "lam_") else ""
    eps = ", ".join(f"{radius:.4g}" for radius in ([found.eps_] if isinstance(found.eps_, float) else found.eps_))
    times = f"{found.n_iter_} iteration{'s' * (found.n_iter_ != 1)}"
    return f"{METHODS[how.name_for(points)]}, eps {eps}{lam}, {times}; eps: {found.reason_}"
