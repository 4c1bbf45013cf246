"""Views of a segmentation: outlines of the regions, the filtered image, and the original image."""

from __future__ import annotations

from typing import Any

from bokeh.models import ColumnDataSource, Row

from ..pictures import Painted
from .plot import blank, card, sheet

_TITLES = {
    "outlined": ("Regions", "outlines of the regions"),
    "filtered": ("Filtered", "each pixel where it moved to"),
    "before": ("Picture", "as it is"),
}


class ImageViews:
    """Linked images: zooming into one zooms into all."""

    def __init__(self, painted: Painted) -> None:
        style = sheet()
        self.sources = {part: ColumnDataSource(name=f"picture-{part}") for part in _TITLES}
        self._figures = {part: self._figure(part, style) for part in _TITLES}
        first = self._figures["outlined"]
        for other in self._figures.values():
            other.x_range, other.y_range = first.x_range, first.y_range
        cards = [
            card(*_TITLES[part], [figure], style, "picture") for part, figure in self._figures.items()
        ]  # fmt: skip
        self.layout: Any = Row(
            children=cards, sizing_mode="stretch_width", css_classes=["views"], stylesheets=[style], name="views"
        )
        self.show(painted)

    def _figure(self, part: str, style: Any) -> Any:
        drawn = blank(
            f"figure-{part}", _TITLES[part][1], 340, style, match_aspect=True, active_scroll=None,
            tools="pan,wheel_zoom,box_zoom,reset,save",
        )  # fmt: skip
        drawn.image_rgba("image", x=0, y=0, dw="w", dh="h", source=self.sources[part])
        drawn.axis.visible = False
        drawn.grid.visible = False
        drawn.x_range.range_padding = drawn.y_range.range_padding = 0.0
        return drawn

    def show(self, painted: Painted) -> None:
        """Show other regions, or another image, in the same figures."""
        height, width = painted.before.shape[:2]
        for part, source in self.sources.items():
            pixels = getattr(painted, part).view("uint32")[..., 0]
            source.data = {"image": [pixels], "w": [width], "h": [height]}
            self._figures[part].update(sizing_mode="scale_width", aspect_ratio=max(0.4, width / (height + 30)))
