"""Figures behind the pictures."""

from __future__ import annotations

from ..experiment import Table
from .curvature import NAMES, Curvature, predicted
from .ellipsoid import PRINTED, RIGHT, Ellipsoid


def ellipsoid_table(found: Ellipsoid) -> Table:
    """Half-widths by point and ε."""
    rows = [
        (
            f"{x:g}",
            *(f"{width:.4f}" for width in found.widths[k]),
            f"{found.limits[RIGHT][k]:.4f}",
            f"{found.limits[PRINTED][k]:.4f}",
        )
        for k, x in enumerate(found.centers)
    ]
    header = ("x", *(f"ε = {eps:g}" for eps in found.eps), "limit with 15", "with 9")
    return Table("Half-widths of GT balls on a line, in ε, λ = ε⁻⁶", header, tuple(rows))


def curvature_table(found: Curvature) -> Table:
    """Contractions by surface and ε."""
    rows = [
        (
            NAMES[c],
            f"{eps:g}",
            f"{found.contractions[c][k]:.3e}",
            f"{float(predicted(c, eps)):.3e}",
            f"{found.contractions[c][k] - found.coarse[c][k]:.1e}",
        )
        for c in NAMES
        for k, eps in enumerate(found.eps)
    ]
    return Table(
        "Contraction 1 − d^(ε)/d at d = ε",
        ("surface", "ε", "measured", "predicted", "change with more nodes"),
        tuple(rows),
    )
