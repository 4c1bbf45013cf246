"""The settings of the sliders, converted to a transform and to Python code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from .. import _check as check
from ..transforms import Process, gaussian_transform, local_truncation, mean_shift

MAX_ITERATIONS = 30
ESTIMATORS = {
    "gt": "GaussianTransform(eps={eps!r}, lam={lam!r}, n_iter={n_iter})",
    "ridge": "GaussianTransform(eps={eps!r}, lam={lam!r}, ridge=1, n_iter={n_iter})",
    "ms": "MeanShift(eps={eps!r}, n_iter={n_iter}, tol=None, merge=None)",
    "lt": "LocalTruncation(eps={eps!r}, p={p!r}, n_iter={n_iter})",
}
"""The methods of the page, and the estimator of each as Python code."""


@dataclass(frozen=True)
class Settings:
    """A method and its parameters.

    Parameters
    ----------
    eps : float
        Radius ε of the neighborhoods, in the unit of the points.
    method : {"gt", "ridge", "ms", "lt"}, default "gt"
        Gaussian Transform, Gaussian Transform onto curves, mean shift, or local truncation.
    lam : float, default 1.0
        λ ≥ 0, the weight of the covariance term; used by "gt" and "ridge".
    n_iter : int, default 2
        Number of iterations τ, at most 30.
    p : float, default 1.0
        Order of the Wasserstein distance, ≥ 1 and < 150, or infinity; used by "lt".

    Examples
    --------
    >>> Settings(0.2, lam=5.0).estimator
    'GaussianTransform(eps=0.2, lam=5.0, n_iter=2)'
    """

    eps: float
    method: str = "gt"
    lam: float = 1.0
    n_iter: int = 2
    p: float = 1.0

    def __post_init__(self) -> None:
        check.choice(self.method, "method", ESTIMATORS)
        check.positive(self.eps, "eps")
        check.tolerance(self.lam, "lam")
        check.count(self.n_iter, "n_iter", 0)
        if self.n_iter > MAX_ITERATIONS:
            raise ValueError(f"n_iter must be at most {MAX_ITERATIONS} on the page, got {self.n_iter}")
        check.solvable_p(self.p)

    @classmethod
    def read(cls, query: Mapping[str, Any], otherwise: Settings) -> Settings:
        """Settings from texts, such as the query of a URL; missing and invalid ones are taken from `otherwise`."""
        for name, value in asdict(otherwise).items():
            try:
                otherwise = replace(otherwise, **{name: type(value)(query.get(name, value))})
            except (TypeError, ValueError, OverflowError):
                continue
        return otherwise

    @property
    def moves_points(self) -> bool:
        """Whether the points move. If so, they are updated while a slider is dragged."""
        return self.method != "lt"

    @property
    def max_points(self) -> int:
        """Largest number of points; larger data are sampled."""
        return 100_000 if self.moves_points else 1_000

    @property
    def estimator(self) -> str:
        """The estimator as Python code."""
        return ESTIMATORS[self.method].format(**asdict(self))

    def process(self) -> Process:
        """The transform to iterate."""
        if self.method == "ms":
            return mean_shift(self.eps)
        if self.method == "lt":
            return local_truncation(self.eps, self.p)
        return gaussian_transform(self.eps, self.lam, ridge=1 if self.method == "ridge" else None)
