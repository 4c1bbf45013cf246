"""Both sides of an inequality, and convergence orders fitted to errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._shown import facts
from .._types import Floats


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
    >>> import numpy as np, wasserstein_transform as wt
    >>> found = wt.theory.Inequality("sine", np.sin([0.0, 1.0]), np.array([0.0, 1.0]))
    >>> found.holds, round(found.ratio, 2), found.slack
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
    >>> import numpy as np, wasserstein_transform as wt
    >>> steps = np.array([0.4, 0.2, 0.1])
    >>> round(wt.theory.order(steps, 5 * steps**3), 6)
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
