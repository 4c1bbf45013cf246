"""What the sliders say, as a value: it makes a process, a line of an address, and Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple
from urllib.parse import urlencode

from .. import _check as check
from ..transforms import Process, gaussian_transform, local_truncation, mean_shift

MOST_ITERATIONS = 30


class Method(NamedTuple):
    """A method of the page: what it is called, which sliders it has, and how it is written.

    Attributes
    ----------
    title : str
    uses : tuple of str
        The settings beside ε and τ that matter to it.
    process : callable
        The process that settings ask for.
    call : str
        The estimator, as Python.
    moves : bool
        Whether points move: they are then computed while a slider is dragged.
    most : int
        Points it is computed for at most; of more a sample is taken.
    """

    title: str
    uses: tuple[str, ...]
    process: Callable[[Settings], Process]
    call: str
    moves: bool
    most: int


METHODS = {
    "gt": Method(
        "Gaussian Transform", ("lam",), lambda asked: gaussian_transform(asked.eps, asked.lam),
        "wt.GaussianTransform(eps={eps!r}, lam={lam!r}, n_iter={n_iter})", True, 100_000,
    ),
    "ridge": Method(
        "Gaussian Transform onto curves", ("lam",), lambda asked: gaussian_transform(asked.eps, asked.lam, ridge=1),
        "wt.GaussianTransform(eps={eps!r}, lam={lam!r}, ridge=1, n_iter={n_iter})", True, 100_000,
    ),
    "ms": Method(
        "mean shift", (), lambda asked: mean_shift(asked.eps),
        "wt.MeanShift(eps={eps!r}, n_iter={n_iter}, tol=None, merge=None)", True, 100_000,
    ),
    "lt": Method(
        "local truncation", ("p",), lambda asked: local_truncation(asked.eps, asked.p),
        "wt.LocalTruncation(eps={eps!r}, p={p!r}, n_iter={n_iter})", False, 1_000,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """A method and its parameters.

    Parameters
    ----------
    eps : float
        Radius of neighborhoods.
    method : {"gt", "ridge", "ms", "lt"}
    lam : float
        λ, the weight of the shapes of neighborhoods; for "gt" and "ridge".
    n_iter : int
        τ.
    p : float
        Order of the transport, for "lt".

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
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r:.60}")
        check.positive(self.eps, "eps")
        check.lam(self.lam)
        check.count(self.n_iter, "n_iter", 0)
        if self.n_iter > MOST_ITERATIONS:
            raise ValueError(f"n_iter must be at most {MOST_ITERATIONS} here, got {self.n_iter}")
        check.order_p(self.p)

    @classmethod
    def read(cls, asked: Mapping[str, str], otherwise: Settings) -> Settings:
        """Settings from words, as an address has them; what is missing or makes no sense stays as it was."""
        kinds = {"eps": float, "lam": float, "p": float, "n_iter": int, "method": str}
        known = asdict(otherwise)
        for name in asked.keys() & kinds.keys():
            try:
                known = asdict(cls(**{**known, name: kinds[name](asked[name])}))
            except (TypeError, ValueError, OverflowError):
                continue
        return cls(**known)

    @property
    def rule(self) -> Method:
        """The method."""
        return METHODS[self.method]

    @property
    def query(self) -> str:
        """As the end of an address."""
        return urlencode({name: getattr(self, name) for name in ("method", "eps", "lam", "n_iter", "p")})

    @property
    def key(self) -> tuple[Any, ...]:
        """What the states of a run depend on: not on how many there are."""
        return (self.method, self.eps, *(getattr(self, name) for name in self.rule.uses))

    def process(self) -> Process:
        """What to iterate."""
        return self.rule.process(self)

    def code(self, reading: str, with_weights: bool = False) -> str:
        """Python that computes the same; `reading` are the lines that make X, and `weights` if there are any."""
        given = "X, sample_weight=weights" if with_weights else "X"
        lines = ["import wasserstein_transform as wt", "", reading, f"fitted = {self._call}.fit({given})"]
        return "\n".join([*lines, "Z = fitted.linkage()  # SciPy's, of the new distance", ""])

    @property
    def _call(self) -> str:
        return self.rule.call.format(**{field.name: getattr(self, field.name) for field in fields(self)})
