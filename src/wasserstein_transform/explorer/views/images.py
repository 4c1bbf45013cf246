"""Regions of a picture: the picture with their outlines, and what is left of it when they are evened out."""

from __future__ import annotations

from typing import Any

from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource, Title
from bokeh.plotting import figure

from ..pictures import Painted

_TITLES = {"outlined": "regions", "filtered": "mean colors of the regions", "before": "the picture"}


class ImageViews:
    """Linked pictures: zooming into one zooms into all."""

    def __init__(self, painted: Painted) -> None:
        self.sources = {part: ColumnDataSource(name=f"picture-{part}") for part in _TITLES}
        self._figures = {part: self._figure(part) for part in _TITLES}
        first = self._figures["outlined"]
        for other in self._figures.values():
            other.x_range, other.y_range = first.x_range, first.y_range
        self.layout: Any = gridplot(
            list(self._figures.values()),
            ncols=2,
            sizing_mode="stretch_width",
            merge_tools=True,
            toolbar_location="above",
        )
        self.show(painted)

    def _figure(self, part: str) -> Any:
        drawn = figure(
            title=Title(text=_TITLES[part]), match_aspect=True, tools="pan,wheel_zoom,box_zoom,reset,save",
            active_scroll=None, sizing_mode="stretch_width", height=340, name=f"figure-{part}",
        )  # fmt: skip
        drawn.image_rgba("image", x=0, y=0, dw="w", dh="h", source=self.sources[part])
        drawn.axis.visible = False
        drawn.grid.visible = False
        return drawn

    def show(self, painted: Painted) -> None:
        """Other regions, or another picture, in the same place."""
        height, width = painted.before.shape[:2]
        for part, source in self.sources.items():
            pixels = getattr(painted, part).view("uint32")[..., 0]
            source.data = {"image": [pixels], "w": [width], "h": [height]}
        self._figures["outlined"].title.text = painted.title
