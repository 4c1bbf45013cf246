"""The number of neighbors as a function of the radius, with ε as a movable line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._types import Floats
from ..scene import Curve, Scene
from .plot import blank, card, html, plain, row, static, tell

_TICKS, _SHORT = 5, 200  # most labeled powers of ten; a ratio of limits up to which 2 and 5 are labeled as well
_DECADES = 2.0  # range of the slider to each side, in powers of ten, if there is no curve


class Neighbors:
    """The figure, the line, and a slider for log₁₀ ε; `radius.value_throttled` changes on release."""

    def __init__(self, style: Any, *, still: bool = False) -> None:
        from bokeh.models import ColumnDataSource, CustomJSTickFormatter, FixedTicker, Range1d, Slider, Span

        self.curve = ColumnDataSource({"r": [], "k": []}, name="curve")
        self.figure = blank(
            "neighbors", "points within a radius, on logarithmic scales", 260, style, tools="reset,save",
            active_drag=None, active_scroll=None, x_axis_type="log", y_axis_type="log",
            x_range=Range1d(0.1, 10), y_range=Range1d(0.8, 10),
        )  # fmt: skip
        self.figure.line("r", "k", source=self.curve, line_width=2.5, line_color="#0072B2", name="line")
        self.figure.xaxis.axis_label, self.figure.yaxis.axis_label = plain("radius ε"), plain("points within ε")
        written = "return String(Number(tick.toPrecision(3)))"
        for axis, grid in zip(self.figure.axis, self.figure.grid, strict=True):
            axis.ticker = grid.ticker = FixedTicker(ticks=[])
            axis.formatter = CustomJSTickFormatter(code=written)
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
        hint = "dotted: suggested ε" if still else "dashed: current ε, drag to change; dotted: suggested ε"
        moving = [] if still else [row(self.radius, style=style)]
        self.card = card("Neighbors", hint, [self.figure, *moving, self.note], style, "small near")

    def dress(self) -> None:
        """Switch between light and dark colors by itself, if it is the only view on a page."""
        from bokeh.models import CustomJS

        code = f"{static('theme.js')}\nconst dress = () => dressed([figure], [suggested]); whenDark(dress); dress()"
        act = CustomJS(args={"figure": self.figure, "suggested": self.suggested}, code=code)
        self.figure.js_on_change("inner_width", act)

    def show(self, scene: Scene) -> None:
        """Show curve and radius of a scene."""
        self.take(scene.curve, scene.eps)

    def take(self, curve: Curve | None, eps: float) -> None:
        """Show a curve, if there is one, and the radius."""
        known = math.isfinite(eps) and eps > 0
        self.line.update(location=eps if known else None, visible=known)
        middle = math.log10(eps) if known else 0.0
        low, high = middle - _DECADES, middle + _DECADES
        tell(self.note, "not computed yet")
        if curve is None:
            self.curve.data, self.suggested.location = {"r": [], "k": []}, None
        else:
            keep = (curve.radii > 0) & (curve.counts > 0)
            radii = np.asarray(curve.radii, np.float64)[keep]
            self.curve.data = {"r": radii, "k": np.asarray(curve.counts, np.float64)[keep]}
            self.suggested.location = curve.suggested
            tell(self.note, f"suggested: {curve.suggested:.4g}{', ' + curve.reason if curve.reason else ''}")
            if len(radii):
                low, high = _span(radii, middle if known else None)
                self._frame(radii, self.curve.data["k"], [curve.suggested, *([eps] if known else [])])
        if high - low < 1e-6:
            low, high = low - _DECADES, high + _DECADES
        value = middle if known else (low + high) / 2
        self.radius.update(start=low, end=high, step=(high - low) / 400, value=value, disabled=not known, visible=known)

    def _frame(self, radii: Floats, counts: Floats, marked: list[float]) -> None:
        """Set the limits to show the whole curve and the marked radii."""
        across = [value for value in [*radii[[0, -1]], *marked] if value > 0 and math.isfinite(value)]
        ranges = ((min(across), max(across)), (float(counts.min()), float(counts.max())))
        for axis, grid, range_, (low, high) in zip(
            (self.figure.xaxis, self.figure.yaxis), (self.figure.xgrid, self.figure.ygrid),
            (self.figure.x_range, self.figure.y_range), ranges, strict=True,
        ):  # fmt: skip
            room = max((high / low) ** 0.04, 1.05)
            ends = {"start": low / room, "end": high * room}
            range_.update(**ends, **{f"reset_{name}": value for name, value in ends.items()})
            axis[0].ticker.ticks = grid[0].ticker.ticks = ticks(low / room, high * room)


def _span(radii: Floats, middle: float | None) -> tuple[float, float]:
    """Range of the slider, in log₁₀ of the radius."""
    ends = [math.log10(radii[0]), math.log10(radii[-1])] + ([] if middle is None else [middle])
    return min(ends), max(ends)


def ticks(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis: powers of ten, or 1, 2 and 5 times them if the range is short."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if high / low <= _SHORT:
        found = [float(f"{k}e{e}") for e in powers for k in (1, 2, 5)]
    else:
        inside = [e for e in powers if low <= 10.0**e <= high]
        found = [float(f"1e{e}") for e in inside[:: math.ceil(len(inside) / _TICKS)]]
    return [value for value in found if low <= value <= high]
