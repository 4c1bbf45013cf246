"""Distances on a line under local truncation, to second order in ε."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ...engine import Engine
from ...theory import order, taylor_1d
from ..claims import Choice, Claim
from ..parameters import Theory
from .densities import on_the_line


@dataclass(frozen=True)
class Expansion:
    """d^(ε) compared with its expansion.

    Attributes
    ----------
    eps : array of shape (k,)
    pairs : array of shape (l, 2)
        The points x < x'.
    errors : array of shape (l, k)
        d^(ε) − expansion.
    changes : array of shape (l, k)
        d^(ε) − (x' − x).
    """

    eps: Floats
    pairs: Floats
    errors: Floats
    changes: Floats

    @property
    def orders(self) -> Floats:
        """Exponent of ε in the error, for each pair."""
        return np.array([order(self.eps, row) for row in self.errors])


def run_expansion(parameters: Theory, engine: Engine) -> Expansion:
    """Distances between quadratures of the truncated density."""
    f, eps, pairs = on_the_line(), np.array(parameters.line_eps), np.array(parameters.line_pairs)
    found = [[taylor_1d(f, x, y, e, parameters.nodes, engine) for e in eps] for x, y in pairs]
    errors = [[some.error for some in row] for row in found]
    changes = [[some.change for some in row] for row in found]
    return Expansion(eps, pairs, np.array(errors), np.array(changes))


def expansion_claims(found: Expansion) -> list[Claim]:
    """The claim."""
    orders = found.orders
    smallest = np.abs(found.errors[:, -1] / found.changes[:, -1]).max()
    return [
        Claim(
            "theory: truncation on a line, to second order",
            "section on kernel localization, remark on the Taylor expansion in one dimension",
            "d^(ε)(x, x') = x' − x + ⅓(f'(x')/f(x') − f'(x)/f(x))ε² up to O(ε³), for a smooth density f.",
            f"Exponent of ε in the error, fitted over ε = {found.eps[0]:g} … {found.eps[-1]:g} for each of "
            f"{len(found.pairs)} pairs of points, f a mixture of two normal densities; true if all are ≥ 3.",
            (
                Choice(
                    "Gauss quadrature of the balls",
                    bool(orders.min() >= 3),
                    f"orders {orders.min():.2f} to {orders.max():.2f}; at ε = {found.eps[-1]:g} the error is at most "
                    f"{smallest:.1e} of the change",
                ),
            ),
            "The remainder is O(ε⁴), better than stated: odd powers cancel over symmetric balls.",
        )
    ]
