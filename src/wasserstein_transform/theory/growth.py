"""How fast balls grow: the Bishop–Gromov condition, read for finite spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._shown import Tabled
from .._types import Floats
from ..engine import Engine
from ..spaces import Space, check_space, closed
from .functions import Exponents

OUTER = 1.01  # D, in diameters, where none is given


@dataclass(frozen=True)
class Witness:
    """Where an exponent is attained.

    Attributes
    ----------
    exponent : float
        log(mass ratio)/log(radius ratio).
    point : int
    weighting : int
        0 for the space's own, 1 for the other.
    radii, masses : tuples of float
        The smaller and the larger ball.
    """

    exponent: float
    point: int
    weighting: int
    radii: tuple[float, float]
    masses: tuple[float, float]


@dataclass(frozen=True)
class BishopGromov(Tabled):
    """The least exponents Λ that the proofs of the truncation theorems need.

    Attributes
    ----------
    near, far : Witness
        For the radii (ε, ε + η) and (ε, D).
    eps, eta, D : float
    """

    near: Witness
    far: Witness
    eps: float
    eta: float
    D: float

    @property
    def witness(self) -> Witness:
        """Where Λ is attained."""
        return max(self.near, self.far, key=lambda some: some.exponent)

    @property
    def Lambda(self) -> float:
        """One Λ for both pairs of radii, as the theorems have it."""
        return self.witness.exponent

    @property
    def exponents(self) -> Exponents:
        """One for each pair of radii: the proofs give the theorems with these, too, and a smaller right side."""
        return Exponents(self.near.exponent, self.far.exponent)


def bishop_gromov(
    space: Space,
    eps: float,
    eta: float,
    beta: ArrayLike | None = None,
    D: float | None = None,
    engine: Engine | None = None,
) -> BishopGromov:
    """The least Λ with α(B_r)/α(B_s) ≤ (r/s)^Λ for the radii s = ε and r = ε + η, r = D, with witnesses.

    The paper's condition asks it of all r ≥ s > 0, and no finite space of two points has that: radii just below and at
    a distance are too near. The proofs use these two pairs alone, at a single η.

    Parameters
    ----------
    space : Space
        All points with mass.
    eps, eta : float
    beta : array, optional
        A second weighting, for which the exponents must do, too.
    D : float, optional
        Above the diameter; 1.01 diameters by default.
    engine : Engine, optional

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 2])
    >>> found = wt.theory.bishop_gromov(space, eps=1.0, eta=1.0, D=8.0)
    >>> found.Lambda, found.witness.point, found.witness.radii, found.witness.masses
    (1.0, 1, (1.0, 2.0), (0.5, 1.0))
    >>> round(found.far.exponent, 4)  # half of the mass at a radius of 1, all of it at 8
    0.3333
    """
    check_space(space)
    eps, eta = check.eps(eps), check.tolerance(eta, "eta")
    distances = space.metric.dense(engine)
    weightings = check_weightings(space, beta)
    D = above(D, float(distances.max()))
    squares = distances * distances
    inner, wider = ((squares <= closed(radius)).astype(float) for radius in (eps, eps + eta))
    masses, more = (np.array([near @ weights for weights in weightings]) for near in (inner, wider))
    whole = np.full_like(masses, 1.0)
    near = _attained(masses, more, (eps, eps + eta), float(np.log1p(eta / eps)))
    far = _attained(masses, whole, (eps, D), float(np.log(D / eps)))
    return BishopGromov(near, far, eps, eta, D)


def check_weightings(space: Space, beta: ArrayLike | None) -> list[Floats]:
    """The space's weights and the others; all points need mass."""
    weightings = [space.weights] if beta is None else [space.weights, check.weights(beta, space.n)]
    for weights in weightings:
        if not weights.all():
            k = int(weights.argmin())
            raise ValueError(f"every point must have mass, point {k} has none; space.take(np.flatnonzero(weights))")
    return weightings


def above(D: float | None, diameter: float) -> float:
    """D, which must be above the diameter."""
    if D is None:
        return OUTER * diameter or 1.0
    if check.positive(D, "D") <= diameter:
        raise ValueError(f"D must be above the diameter {diameter:g}, got {D:g}")
    return float(D)


def _attained(masses: Floats, more: Floats, radii: tuple[float, float], wider: float) -> Witness:
    """The largest exponent; `wider` is the logarithm of the radii's ratio. Where that is not positive, balls agree."""
    logs = np.maximum(np.log(more / masses), 0.0)
    k = np.unravel_index(int(logs.argmax()), logs.shape)
    exponent = float(logs[k] / wider) if wider > 0 else 0.0
    return Witness(exponent, int(k[1]), int(k[0]), radii, (float(masses[k]), float(more[k])))
