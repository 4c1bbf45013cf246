"""Figures that a notebook shows although pyplot knows nothing of them."""

from __future__ import annotations

from io import BytesIO

from matplotlib import figure


class Figure(figure.Figure):
    """A figure that needs no pyplot, and shows itself where it is the value of a notebook's cell."""

    def _repr_png_(self) -> bytes:
        raw = BytesIO()
        self.savefig(raw, format="png")
        return raw.getvalue()
