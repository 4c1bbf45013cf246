"""How many neighbors a radius has, and the radius itself as a line to drag."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np

from ..._types import Floats
from ..scene import Curve, Scene
from .plot import blank, card, html, plain, row

_DECADES = 2.0  # that the radius can be moved by where there is no curve


class Neighbors:
    """The figure, the line and a slider of log₁₀ ε: `radius.value_throttled` changes on release."""

    def __init__(self, style: Any, *, still: bool = False) -> None:
        from bokeh.models import ColumnDataSource, CustomJSTickFormatter, Slider, Span

        self.curve = ColumnDataSource({"r": [], "k": []}, name="curve")
        self.figure = blank(
            "neighbors", "points within a radius, on logarithmic scales", 260, style, tools="reset,save",
            active_drag=None, active_scroll=None, x_axis_type="log", y_axis_type="log",
        )  # fmt: skip
        self.figure.line("r", "k", source=self.curve, line_width=2.5, line_color="#0072B2")
        self.figure.xaxis.axis_label, self.figure.yaxis.axis_label = plain("radius ε"), plain("points within ε")
        self.suggested = Span(dimension="height", location=None, line_dash="dotted", line_width=2, name="suggested")
        self.line = Span(
            name="eps_line", dimension="height", location=None, editable=True, line_width=3, line_dash="dashed",
            hover_line_color="#D55E00", hover_line_alpha=1.0, level="overlay",
        )  # fmt: skip
        self.figure.add_layout(self.suggested)
        if not still:
            self.figure.add_layout(self.line)
        self.radius = Slider(
            name="radius", title="ε of the balls", start=-1, end=1, step=0.01, value=0, sizing_mode="stretch_width",
            format=CustomJSTickFormatter(code="return String(Number((10 ** tick).toPrecision(3)))"),
            stylesheets=[style],
        )  # fmt: skip
        self.note = html("", style)
        hint = "dotted: the ε suggested" if still else "dashed: the present ε, to drag; dotted: the one suggested"
        moving = [] if still else [row(self.radius, style=style)]
        self.card = card("Neighbors", hint, [self.figure, *moving, self.note], style, "small")

    def show(self, scene: Scene) -> None:
        """Take curve and radius of a scene."""
        self.take(scene.curve, scene.eps)

    def move(self, scene: Scene) -> None:
        """Take the radius of a scene alone."""
        if math.isfinite(scene.eps) and scene.eps > 0:
            self.line.location = scene.eps
            self.radius.value = min(max(math.log10(scene.eps), self.radius.start), self.radius.end)

    def take(self, curve: Curve | None, eps: float) -> None:
        """Take a curve, if there is one, and the radius."""
        known = math.isfinite(eps) and eps > 0
        self.line.update(location=eps if known else None, visible=known)
        middle = math.log10(eps) if known else 0.0
        low, high = middle - _DECADES, middle + _DECADES
        self.note.text = "<p class='hint missing'>not computed yet</p>"
        if curve is None:
            self.curve.data, self.suggested.location = {"r": [], "k": []}, None
        else:
            keep = (curve.radii > 0) & (curve.counts > 0)
            radii = np.asarray(curve.radii, np.float64)[keep]
            self.curve.data = {"r": radii, "k": np.asarray(curve.counts, np.float64)[keep]}
            self.suggested.location = curve.suggested
            self.note.text = _said(curve.suggested, curve.reason)
            if len(radii):
                low, high = _span(radii, middle if known else None)
        if high - low < 1e-6:
            low, high = low - _DECADES, high + _DECADES
        value = middle if known else (low + high) / 2
        self.radius.update(start=low, end=high, step=(high - low) / 400, value=value, disabled=not known)


def _span(radii: Floats, middle: float | None) -> tuple[float, float]:
    """Logarithms of the radii that can be chosen."""
    ends = [math.log10(radii[0]), math.log10(radii[-1])] + ([] if middle is None else [middle])
    return min(ends), max(ends)


def _said(eps: float, reason: str) -> str:
    return f"<p class='hint'>suggested: {eps:.4g}{', ' + escape(reason) if reason else ''}</p>"
