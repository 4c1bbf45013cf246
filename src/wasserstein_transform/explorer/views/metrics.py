"""Views of the last metric: a 2-D embedding, and the matrix of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scene import Scene
from .plot import blank, card, html, row, tell
from .points import numbers


class Scaling:
    """A 2-D embedding of the metric by classical scaling; it shares the selection with the view of the points."""

    def __init__(self, style: Any, selected: Any, colors: Any, webgl: bool) -> None:
        from bokeh.models import ColumnDataSource, DataRange1d

        self.source = ColumnDataSource(name="scaled", selected=selected)
        self.marks = ColumnDataSource({"x": [], "y": [], "text": []}, name="scaled_marks")
        self.figure = blank(
            "scaling", "classical scaling of the last distances", 260, style,
            tools="pan,wheel_zoom,box_select,lasso_select,reset,save", active_scroll=None, match_aspect=True,
            x_range=DataRange1d(range_padding=0.14), y_range=DataRange1d(range_padding=0.14),
            output_backend="webgl" if webgl else "canvas",
        )  # fmt: skip
        self.dots = self.figure.scatter(
            "x", "y", source=self.source, size=5, fill_color={"field": "c", "transform": colors}, line_color=None,
            fill_alpha=0.85, nonselection_fill_alpha=0.12, selection_fill_alpha=1.0,
        )  # fmt: skip
        self.numbers = numbers(self.figure, self.marks)
        self.corners = ColumnDataSource({"x": [0, 1], "y": [0, 1]})
        corners = self.figure.scatter("x", "y", source=self.corners, fill_alpha=0, line_alpha=0)
        self.figure.x_range.renderers = self.figure.y_range.renderers = [corners]
        self.note = html("", style)
        self.card = card("Scaling (MDS)", "2-D embedding of the last distances", [self.figure, self.note],
                         style, "small")  # fmt: skip

    def show(self, scene: Scene, size: float, look: Any) -> None:
        """Show the embedding of a scene, with the colors of its points."""
        self.dots.glyph.size = size
        places = np.full((scene.n, 2), np.nan, np.float32) if scene.embedding is None else scene.embedding
        self.source.data = {"x": places[:, 0].copy(), "y": places[:, 1].copy(), "c": look}
        tell(self.note, scene.missing if scene.embedding is None else "")
        known = (
            np.zeros((0, 2)) if scene.embedding is None else scene.embedding[np.isfinite(scene.embedding).all(axis=1)]
        )
        ends = np.stack([known.min(axis=0), known.max(axis=0)]) if len(known) else np.eye(2)
        self.corners.data = {"x": ends[:, 0].astype(float).tolist(), "y": ends[:, 1].astype(float).tolist()}


class Heat:
    """The matrix of distances, in the order of the leaves."""

    def __init__(self, style: Any, colors: Any) -> None:
        from bokeh.models import ColorBar, ColumnDataSource, LinearColorMapper, LogColorMapper, Range1d, Select
        from bokeh.palettes import Magma256

        self.image = ColumnDataSource({"image": []}, name="heat")
        self.strip = ColumnDataSource({"x": [], "y": [], "size": [], "point": [], "c": []}, name="strip")
        self.linear = LinearColorMapper(palette=Magma256, low=0, high=1, nan_color="#999999")
        self.log = LogColorMapper(palette=Magma256, low=0.1, high=1, nan_color="#999999")
        self.figure = blank(
            "heat", "matrix of distances, dark where points are near", 260, style, tools="pan,wheel_zoom,reset,save",
            active_scroll=None, x_range=Range1d(-0.04, 1), y_range=Range1d(0, 1),
        )  # fmt: skip
        self.glyph = self.figure.image(
            "image", x=0, y=0, dw=1, dh=1, source=self.image, color_mapper=self.linear, anchor="bottom_left",
            origin="top_left",
        )  # fmt: skip
        self.figure.rect(
            "x", "y", width=0.03, height="size", source=self.strip, fill_color={"field": "c", "transform": colors},
            line_color=None,
        )  # fmt: skip
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.bar = ColorBar(
            color_mapper=self.linear, width=10, padding=4, background_fill_alpha=0, bar_line_color=None,
            major_label_text_font_size="12px",
        )  # fmt: skip
        self.figure.add_layout(self.bar, "right")
        self.scale = Select(
            name="shade", title="shades", options=[("linear", "linear"), ("log", "logarithmic")], value="linear",
            sizing_mode="stretch_width", stylesheets=[style],
        )  # fmt: skip
        self.note = html("", style)
        self.card = card(
            "Distances", "in the order of the leaves; dark is near",
            [self.figure, row(self.scale, style=style), self.note], style, "small",
        )  # fmt: skip

    def show(self, scene: Scene) -> None:
        """Show the matrix of a scene."""
        if scene.matrix is None or scene.shown is None or not len(scene.shown):
            self.image.data = {"image": []}
            self.strip.data = {"x": [], "y": [], "size": [], "point": [], "c": []}
            tell(self.note, scene.missing)
            return
        matrix, k = np.where(np.isfinite(scene.matrix), scene.matrix, np.nan), len(scene.shown)
        near = matrix[matrix > 0]
        highest = float(near.max()) if near.size else 1.0
        self.image.data = {"image": [matrix]}
        self.linear.update(high=highest)
        self.log.update(low=float(near.min()) if near.size and near.min() < highest else highest / 10, high=highest)
        self.strip.data = {
            "x": np.full(k, -0.02), "y": 1 - (np.arange(k) + 0.5) / k, "size": np.full(k, 1.02 / k),
            "point": scene.shown.astype(np.int32), "c": np.full(k, -1, np.float32),
        }  # fmt: skip
        tell(self.note, f"{k:,} of {scene.n:,} points" if k < scene.n else "")
