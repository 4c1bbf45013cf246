"""What figures and cards of all views share."""

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
    """The style of widgets and cards, which live in shadow trees and see no style of the page."""
    from bokeh.models import InlineStyleSheet

    return InlineStyleSheet(css=static("views.css"))


def blank(name: str, described: str, height: int, style: Any, **options: Any) -> Any:
    """An empty figure that fills the width it has; `described` is what a screen reader says."""
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
    """Text that is never taken for a formula, whatever is in it."""
    from bokeh.models import PlainText

    return PlainText(text=text)


def html(text: str, style: Any, name: str | None = None, *, kind: str = "", live: bool = False) -> Any:
    """A piece of HTML in which no formula is looked for; a `live` one is read out when it changes."""
    from bokeh.models import Div

    return Div(
        text=text, disable_math=True, name=name, sizing_mode="stretch_width", margin=0, stylesheets=[style],
        html_attributes={"aria-live": "polite"} if live else {}, css_classes=[kind] if kind else [],
    )  # fmt: skip


def tell(note: Any, text: str) -> None:
    """Put a small line below a view; without a text it takes no room."""
    note.update(text=f"<p class='hint'>{escape(text)}</p>" if text else "", visible=bool(text))


def card(title: str, hint: str, parts: list[Any], style: Any, where: str) -> Any:
    """A view with its heading; `where` says how it lies in the grid."""
    from bokeh.models import Column

    head = html(f"<h2>{escape(title)}</h2><p class='hint'>{escape(hint)}</p>", style)
    return Column(
        children=[head, *parts], sizing_mode="stretch_width", css_classes=["card", *where.split()], stylesheets=[style],
        html_attributes={"role": "region", "aria-label": title},
    )  # fmt: skip


def row(*parts: Any, style: Any) -> Any:
    """Controls beside each other, below each other where it is narrow."""
    from bokeh.models import Row

    return Row(children=list(parts), sizing_mode="stretch_width", css_classes=["controls"], stylesheets=[style])
