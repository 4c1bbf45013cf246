"""Figures and cards, shared by all views."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

FONT = "14px"
SMALL_FONT = "13px"


def static(name: str) -> str:
    """The text of a file that is sent to the browser."""
    return (files("wasserstein_transform.explorer") / "static" / name).read_text(encoding="utf-8")


def sheet() -> Any:
    """The style sheet of widgets and cards: they are in shadow DOM trees, where the style of the page has no effect."""
    from bokeh.models import InlineStyleSheet

    return InlineStyleSheet(css=static("views.css"))


def blank(name: str, described: str, height: int, style: Any, **options: Any) -> Any:
    """An empty figure that fills the available width; `described` is its text for screen readers."""
    from bokeh.plotting import figure

    made = figure(
        name=name, height=height, min_width=100, sizing_mode="stretch_width", toolbar_location="above",
        html_attributes={"role": "img", "aria-label": described}, stylesheets=[style], **options,
    )  # fmt: skip
    made.toolbar.logo = None
    made.toolbar.autohide = False
    made.background_fill_alpha = made.border_fill_alpha = 0.0
    made.min_border_right = 12
    made.outline_line_color = None
    for axis in made.axis:
        axis.major_label_text_font_size = SMALL_FONT
        axis.axis_label_text_font_size = FONT
        axis.axis_label_text_font_style = "normal"
        axis.minor_tick_line_color = None
    made.grid.grid_line_alpha = 0.25
    return made


def plain(text: str) -> Any:
    """Text that Bokeh does not interpret as a formula."""
    from bokeh.models import PlainText

    return PlainText(text=text)


def html(text: str, style: Any, name: str | None = None, *, kind: str = "", live: bool = False) -> Any:
    """HTML without formulas; screen readers announce changes if it is `live`."""
    from bokeh.models import Div

    return Div(
        text=text, disable_math=True, name=name, sizing_mode="stretch_width", margin=0, stylesheets=[style],
        html_attributes={"aria-live": "polite"} if live else {}, css_classes=[kind] if kind else [],
    )  # fmt: skip


def tell(note: Any, text: str) -> None:
    """Put a line of text below a view, or hide the line if the text is empty."""
    note.update(text=f"<p class='hint'>{escape(text)}</p>" if text else "", visible=bool(text))


def card(title: str, hint: str, parts: list[Any], style: Any, where: str) -> Any:
    """A view with its heading; `where` lists the CSS classes for its place in the grid."""
    from bokeh.models import Column

    head = html(f"<h2>{escape(title)}</h2><p class='hint'>{escape(hint)}</p>", style)
    return Column(
        children=[head, *parts], sizing_mode="stretch_width", css_classes=["card", *where.split()], stylesheets=[style],
        html_attributes={"role": "region", "aria-label": title},
    )  # fmt: skip


def row(*parts: Any, style: Any) -> Any:
    """Controls side by side, stacked if the page is narrow."""
    from bokeh.models import Row

    return Row(children=list(parts), sizing_mode="stretch_width", css_classes=["controls"], stylesheets=[style])
