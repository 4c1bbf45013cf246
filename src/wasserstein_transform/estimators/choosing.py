"""Parameters of a fit: the given values, or suggestions for eps="auto", lam="auto" and n_iter="auto"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _check as check
from ..auto.suggestion import Purpose, suggestion_of
from ..auto.units import warn_of_scale
from ..engine import Engine
from ..spaces import Space
from ..transforms import Process
from ..transforms.cost import takes_long


@dataclass(frozen=True)
class Chosen:
    """The parameters of a fit, and the reason for them."""

    radii: tuple[float, ...]
    lam: float
    n_iter: int
    reason: str
    given: bool = False
    """Whether the user gave the radii."""

    @property
    def eps(self) -> Any:
        """The radius, or a list with one radius per iteration."""
        return self.radii[0] if len(self.radii) == 1 else list(self.radii)


def is_auto(value: Any) -> bool:
    """Whether a parameter is "auto"."""
    return isinstance(value, str) and value == "auto"


def choose(eps: Any, lam: Any, n_iter: Any, purpose: Purpose, space: Space, engine: Engine) -> Chosen:
    """Choose the parameters: given values stay, and "auto" becomes a suggestion that fits them."""
    radii = None if is_auto(eps) else tuple(check.eps_sequence(eps))
    iterations = None if is_auto(n_iter) else check.count(n_iter, "n_iter", 0)
    weight = None if is_auto(lam) else check.lam(lam)
    if radii is not None and len(radii) > 1:
        iterations = _enough(len(radii), iterations)
    if radii is not None and iterations is not None and weight is not None:
        return Chosen(radii, weight, iterations, "as given", given=True)
    with engine.watched() as watched:
        found = suggestion_of(space, purpose, watched, iterations)
    return Chosen(
        (found.eps,) if radii is None else radii,
        found.lam if weight is None else weight,
        found.n_iter if iterations is None else iterations,
        found.reason if radii is None else f"eps as given; lam and n_iter for {purpose}",
        given=radii is not None,
    )


def warn_of_radii(chosen: Chosen, process: Process, tol: float | None, space: Space, engine: Engine) -> None:
    """Warn if given radii do not fit the data, unless a warning about the run time comes anyway."""
    first, n_iter = process.start or process.at(0), chosen.n_iter if tol is None else None
    if chosen.given and not takes_long(first.localize, first.transport, n_iter, space, engine):
        warn_of_scale(space, max(chosen.radii))


def _enough(n_radii: int, n_iter: int | None) -> int:
    """The number of iterations for `n_radii` radii."""
    if n_iter is not None and n_radii > max(n_iter, 1):
        raise ValueError(
            f"eps has {n_radii} radii, one per iteration, but n_iter={n_iter}; "
            f"n_iter={n_radii} uses all of them, and wt.sweep compares them"
        )
    return n_radii if n_iter is None else n_iter
