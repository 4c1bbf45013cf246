"""The numbers behind the figures."""

from __future__ import annotations

from ...theory import predicted
from ..experiment import Table
from .curvature import FORMS, Curvature
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
    """Contractions by space and ε."""
    rows = [
        (
            name,
            f"{eps:g}",
            f"{found.contractions[name][k]:.3e}",
            f"{float(predicted(form, eps)):.3e}",
            f"{found.contractions[name][k] - found.coarse[name][k]:.1e}",
        )
        for name, form in FORMS.items()
        for k, eps in enumerate(found.eps)
    ]
    return Table(
        "Contraction 1 − d^(ε)/d at d = ε",
        ("space", "ε", "measured", "predicted", "change with more nodes"),
        tuple(rows),
    )
