"""Figures that are made without pyplot and are still shown by notebooks."""

from __future__ import annotations

from io import BytesIO

from matplotlib import figure


class Figure(figure.Figure):
    """A figure made without pyplot; a notebook shows it when it is the value of a cell."""

    def _repr_png_(self) -> bytes:
        raw = BytesIO()
        self.savefig(raw, format="png")
        return raw.getvalue()
