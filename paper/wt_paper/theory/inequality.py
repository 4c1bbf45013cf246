"""Both sides of an inequality, the order of errors, and the distances between transforms of two weightings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import vstack

from wasserstein_transform import _check as check
from wasserstein_transform._display import facts
from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine, current
from wasserstein_transform.localize import Gaussian, Kernel
from wasserstein_transform.measures import Discrete
from wasserstein_transform.spaces import Euclidean, Space, check_space
from wasserstein_transform.transforms import Transform
from wasserstein_transform.transport import Bures, Exact, wasserstein_cross, wasserstein_pairs

ROUNDING = 1e-12  # accuracy of exact transport, relative to the diameter
SINGULAR = 1e-7  # accuracy of Bures distances of covariances that may be singular


@dataclass(frozen=True, eq=False)
class Inequality:
    """An inequality left ≤ right, evaluated at every point or pair of points.

    Attributes
    ----------
    statement : str
        The inequality as a formula.
    left : array of shape (n,) or (n(n−1)/2,)
        The left side, one number per point, or per pair in SciPy's condensed order.
    right : array of the shape of left
        The right side.
    constants : dict
        The constants of the right side, named as in the paper.
    rounding : float, default 0.0
        How far left may be above right by rounding.
    note : str, default ""
        What the paper leaves open, and the choice that was made.
    corollary : Inequality, or None
        The consequence for the new metric, if the paper states one.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> result = theory.Inequality("sine", np.sin([0.0, 1.0]), np.array([0.0, 1.0]))
    >>> result.holds, round(result.ratio, 2), result.slack
    (True, 0.84, 0.0)
    """

    statement: str
    left: Floats
    right: Floats
    constants: Mapping[str, float] = field(default_factory=dict)
    rounding: float = 0.0
    note: str = ""
    corollary: Inequality | None = None

    @property
    def slack(self) -> float:
        """The smallest right − left; negative if the inequality fails."""
        return float(self._gaps.min())

    @property
    def witness(self) -> int:
        """The index of the point or pair with the smallest slack."""
        return int(self._gaps.argmin())

    @property
    def ratio(self) -> float:
        """The largest left/right over entries with right > 0: 1 is sharp, above 1 is a counterexample."""
        some = self.right > 0
        return float((self.left[some] / self.right[some]).max(initial=0.0))

    @property
    def holds(self) -> bool:
        """Whether left ≤ right everywhere, up to rounding."""
        return self.slack >= -self.rounding

    @property
    def _gaps(self) -> Floats:
        if not self.left.size:
            raise ValueError("the space has one point, so there is no pair to compare; use at least two points")
        return np.asarray(self.right - self.left)

    def _repr_html_(self) -> str:
        rows: dict[str, Any] = {"left ≤ right": "no pair to compare"}
        if self.left.size:
            rows = {
                "left ≤ right": "holds" if self.holds else "fails",
                "compared": self.left.size,
                "left/right, at most": f"{self.ratio:.4g}",
                "least right − left": f"{self.slack:.4g}, at {self.witness}",
            }
        rows |= {name: f"{value:.4g}" for name, value in self.constants.items()}
        return facts(self.statement, rows | ({"note": self.note} if self.note else {}))

    def __repr__(self) -> str:
        if not self.left.size:
            return f"<{self.statement}: no pair to compare>"
        verdict = "holds" if self.holds else "fails"
        return f"<{self.statement}: {verdict}, left/right at most {self.ratio:.3g}>"


def order(steps: ArrayLike, errors: ArrayLike) -> float:
    """Fit the exponent q of errors ≈ C·stepsᵠ, by least squares of the logarithms.

    Parameters
    ----------
    steps : array of shape (k,)
        Step sizes > 0, at least two different ones.
    errors : array of shape (k,)
        The errors, not 0; their absolute values are used.

    Returns
    -------
    float
        The exponent q.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> steps = np.array([0.4, 0.2, 0.1])
    >>> round(theory.order(steps, 5 * steps**3), 6)
    3.0
    """
    x, y = check.floats(steps, "steps"), np.abs(check.floats(errors, "errors"))
    if x.ndim != 1 or x.shape != y.shape or len(np.unique(x)) < 2:
        raise ValueError(
            f"order needs at least two different steps and one error per step, got shapes {x.shape} and {y.shape}"
        )
    if not ((x > 0).all() and (y > 0).all()):
        raise ValueError("order needs steps > 0 and errors other than 0, since it fits their logarithms; drop the rest")
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


@dataclass(frozen=True, eq=False)
class Weightings:
    """One space with the weights α and with the weights β.

    Attributes
    ----------
    spaces : tuple of two Space
        The space with α, and with β.
    diameter : float
        The largest distance.
    engine : Engine
        Threads, device, memory limit and store.
    """

    spaces: tuple[Space, Space]
    diameter: float
    engine: Engine

    @classmethod
    def of(cls, space: Space, beta: ArrayLike, engine: Engine | None) -> Weightings:
        """Pair the weights of a space with other weights."""
        check_space(space)
        engine = current(engine)
        other = Space(space.metric, check.weights(beta, space.n), space.points)
        return cls((space, other), diameter(space, engine), engine)

    def apart(self, p: float) -> float:
        """W_p(α, β)."""
        alpha, beta = (space.weights[None] for space in self.spaces)
        return float(wasserstein_cross(alpha, beta, self.spaces[0], p, self.engine.n_jobs)[0, 0])

    def localized(self, base: Kernel) -> list[Discrete]:
        """The measures of all points, for both weightings."""
        return [base(space, self.engine) for space in self.spaces]

    def measures(self, rows: list[Discrete]) -> Floats:
        """W1 between the two measures of each point."""
        n = self.spaces[0].n
        both = vstack([some.matrix() for some in rows]).tocsr()
        pairs = np.arange(2 * n).reshape(2, n).T
        return wasserstein_pairs(both, self.spaces[0], 1, pairs, self.engine.n_jobs).values

    def metrics(self, rows: list[Discrete]) -> Floats:
        """The difference of the two transformed metrics (p = 1), for each pair."""
        ground = self.spaces[0].metric
        one, other = (Exact(1).metric(some, ground, self.engine).condensed(self.engine) for some in rows)
        return np.abs(one - other)

    def means(self, rows: list[Discrete]) -> Floats:
        """The distance between the two means of each point."""
        one, other = (some.means(coordinates(self.spaces[0])).values for some in rows)
        return np.asarray(np.linalg.norm(one - other, axis=1))

    def gaussians(self, base: Kernel, lam: float) -> Floats:
        """The difference of the two GT distances, for each pair."""
        step = Transform(Gaussian(base, lam), Bures())
        one, other = (step(space, self.engine).metric.condensed(self.engine) for space in self.spaces)
        return np.abs(one - other)

    def stated(
        self,
        statement: str,
        left: Floats,
        right: float,
        constants: Mapping[str, float],
        note: str = "",
        corollary: Inequality | None = None,
        rounding: float = ROUNDING,
    ) -> Inequality:
        """Make an inequality with a constant right side."""
        sides = left, np.full_like(left, right)
        return Inequality(statement, *sides, dict(constants), rounding * self.diameter, note, corollary)


def diameter(space: Space, engine: Engine) -> float:
    """The largest distance."""
    return float(space.metric.dense(engine).max())


def coordinates(space: Space) -> Floats:
    """The points of a space in R^m; raises an error for other spaces."""
    if space.points is None or not isinstance(space.metric, Euclidean):
        raise ValueError(
            "the theorem is for points of R^m with the Euclidean distance, but this space has other distances or no "
            "coordinates; use wt.Space.from_points(X)"
        )
    return space.points
