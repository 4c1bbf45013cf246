"""The settings of the sliders, converted to a transform, to the query of a URL, and to Python code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple
from urllib.parse import urlencode

from .. import _check as check
from ..transforms import Process, gaussian_transform, local_truncation, mean_shift

MAX_ITERATIONS = 30


class Method(NamedTuple):
    """A method that the page offers.

    Attributes
    ----------
    title : str
        Name of the method.
    uses : tuple of str
        Settings that it uses besides ε and τ.
    process : callable
        Function from settings to the transform.
    call : str
        Template of the Python code of the estimator.
    moves : bool
        Whether the points move. If so, they are updated while a slider is dragged.
    most : int
        Largest number of points; larger data are sampled.
    """

    title: str
    uses: tuple[str, ...]
    process: Callable[[Settings], Process]
    call: str
    moves: bool
    most: int


METHODS = {
    "gt": Method(
        "Gaussian Transform", ("lam",), lambda given: gaussian_transform(given.eps, given.lam),
        "wt.GaussianTransform(eps={eps!r}, lam={lam!r}, n_iter={n_iter})", True, 100_000,
    ),
    "ridge": Method(
        "Gaussian Transform onto curves", ("lam",), lambda given: gaussian_transform(given.eps, given.lam, ridge=1),
        "wt.GaussianTransform(eps={eps!r}, lam={lam!r}, ridge=1, n_iter={n_iter})", True, 100_000,
    ),
    "ms": Method(
        "mean shift", (), lambda given: mean_shift(given.eps),
        "wt.MeanShift(eps={eps!r}, n_iter={n_iter}, tol=None, merge=None)", True, 100_000,
    ),
    "lt": Method(
        "local truncation", ("p",), lambda given: local_truncation(given.eps, given.p),
        "wt.LocalTruncation(eps={eps!r}, p={p!r}, n_iter={n_iter})", False, 1_000,
    ),
}  # fmt: skip


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
    >>> Settings(0.2, lam=5.0).query
    'method=gt&eps=0.2&lam=5.0&n_iter=2&p=1.0'
    """

    eps: float
    method: str = "gt"
    lam: float = 1.0
    n_iter: int = 2
    p: float = 1.0

    def __post_init__(self) -> None:
        check.choice(self.method, "method", METHODS)
        check.positive(self.eps, "eps")
        check.tolerance(self.lam, "lam")
        check.count(self.n_iter, "n_iter", 0)
        if self.n_iter > MAX_ITERATIONS:
            raise ValueError(f"n_iter must be at most {MAX_ITERATIONS} on the page, got {self.n_iter}")
        check.solvable_p(self.p)

    @classmethod
    def read(cls, query: Mapping[str, str], otherwise: Settings) -> Settings:
        """Settings from the query of a URL; missing and invalid ones are taken from `otherwise`."""
        kinds = {"eps": float, "lam": float, "p": float, "n_iter": int, "method": str}
        settings = asdict(otherwise)
        for name in query.keys() & kinds.keys():
            try:
                settings = asdict(cls(**{**settings, name: kinds[name](query[name])}))
            except (TypeError, ValueError, OverflowError):
                continue
        return cls(**settings)

    @property
    def rule(self) -> Method:
        """The method."""
        return METHODS[self.method]

    @property
    def query(self) -> str:
        """The settings as the query of a URL."""
        return urlencode({name: getattr(self, name) for name in ("method", "eps", "lam", "n_iter", "p")})

    @property
    def key(self) -> tuple[Any, ...]:
        """The settings that the states of a trajectory depend on: all but the number of iterations."""
        return (self.method, self.eps, *(getattr(self, name) for name in self.rule.uses))

    def process(self) -> Process:
        """The transform to iterate."""
        return self.rule.process(self)

    def code(self, reading: str, with_weights: bool = False) -> str:
        """Python code that computes the same; `reading` is the code that makes X, and weights if there are any."""
        given = "X, sample_weight=weights" if with_weights else "X"
        lines = ["import wasserstein_transform as wt", "", reading, f"fitted = {self._call}.fit({given})"]
        return "\n".join([*lines, "Z = fitted.linkage()  # SciPy linkage matrix of the new distance", ""])

    @property
    def _call(self) -> str:
        return self.rule.call.format(**{field.name: getattr(self, field.name) for field in fields(self)})
