"""Figures, cards and colors that all views share."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

from bokeh.models import Column, Div, PlainText, Row
from bokeh.plotting import figure

from ..plotting import N_COLORS, color

LIGHT_COLORS = ("#8A8A8A", "#A6A6A6", *(color(k) for k in range(N_COLORS)))
"""Colors of branches above the cut, of noise and small clusters, and of the labels."""
_LATER_LABELS = (*range(4, 7), *range(14, N_COLORS), *range(7, 14))
DARK_COLORS = ("#8F8F8F", "#6E6E6E", "#3D9BDC", color(1), color(2), "#BFE6FF", *(color(k) for k in _LATER_LABELS))
"""Colors for dark pages: blue is lighter than on light pages, and sky blue lighter still to differ from it."""


def static(name: str) -> str:
    """The text of a file that is sent to the browser."""
    return (files("wasserstein_transform.explorer") / "static" / name).read_text(encoding="utf-8")


def empty_figure(name: str, described: str, height: int, style: Any, **options: Any) -> Any:
    """A figure that fills the available width; `described` is its text for screen readers."""
    made = figure(
        name=name, height=height, min_width=100, sizing_mode="stretch_width", toolbar_location="above",
        html_attributes={"role": "img", "aria-label": described}, stylesheets=[style], active_scroll=None, **options,
    )  # fmt: skip
    made.toolbar.logo = None
    made.toolbar.autohide = False
    made.background_fill_alpha = made.border_fill_alpha = 0.0
    made.min_border_right = 12
    made.outline_line_color = None
    for axis in made.axis:
        axis.major_label_text_font_size = "13px"
        axis.axis_label_text_font_size = "14px"
        axis.axis_label_text_font_style = "normal"
        axis.minor_tick_line_color = None
    made.grid.grid_line_alpha = 0.25
    return made


def plain(text: str) -> Any:
    """Text that Bokeh does not interpret as a formula."""
    return PlainText(text=text)


def html(text: str, style: Any, *, kind: str = "", live: bool = False) -> Any:
    """HTML without formulas; screen readers announce changes if it is `live`."""
    return Div(
        text=text, disable_math=True, sizing_mode="stretch_width", margin=0, stylesheets=[style],
        html_attributes={"aria-live": "polite"} if live else {}, css_classes=[kind] if kind else [],
    )  # fmt: skip


def write_note(note: Any, text: str) -> None:
    """Put a line of text below a view, or hide the line if the text is empty."""
    note.update(text=f"<p class='hint'>{escape(text)}</p>" if text else "", visible=bool(text))


def card(title: str, hint: str, parts: list[Any], style: Any, where: str) -> Any:
    """A view with its heading; `where` lists the CSS classes for its place in the grid."""
    head = html(f"<h2>{escape(title)}</h2><p class='hint'>{escape(hint)}</p>", style)
    return Column(
        children=[head, *parts], sizing_mode="stretch_width", css_classes=["card", *where.split()], stylesheets=[style],
        html_attributes={"role": "region", "aria-label": title},
    )  # fmt: skip


def side_by_side(*parts: Any, style: Any) -> Any:
    """Controls side by side, stacked if the page is narrow."""
    return Row(children=list(parts), sizing_mode="stretch_width", css_classes=["controls"], stylesheets=[style])
