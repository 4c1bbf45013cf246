"""The views of points: over τ with balls, trails and numbers of clusters, and their embedding by the last metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import Checkbox, ColumnDataSource, DataRange1d, Label, Select, Slider, Spinner, Toggle

from .figures import card, color_mapper, empty_figure, html, plain, side_by_side, write_note
from .scene import MAX_SHAPES, Scene

MAX_DOTS = 5_000  # more points are drawn as an image of pixels, which takes milliseconds
_MAX_TRAILS = 2_000  # trails are offered for at most this many points
_MAX_WRITTEN = 1e9  # larger coordinates are written in scientific notation
PLOT_TOOLS = "pan,wheel_zoom,box_select,lasso_select,reset,save"


class PointsView:
    """The points over τ. The browser fills `source` from `frames`: positions at τ, and colors."""

    def __init__(self, style: Any) -> None:
        self.frames = ColumnDataSource(name="frames")
        self.corners = ColumnDataSource({"x": [0, 1], "y": [0, 1]})
        self.lines = ColumnDataSource({"xs": [], "ys": []})
        self.colors = color_mapper()
        self.figure, self.models = _scatter("points", "the points, colored by cluster", 560, style, self)
        self.tip = Label(
            x=0, y=0, text=plain(""), visible=False, text_font_size="13px", padding=6, background_fill_alpha=0.95,
            border_line_width=1, x_offset=12, y_offset=12, text_line_height=1.35,
        )  # fmt: skip
        self._draw_above()
        for axis in self.figure.axis:
            axis.axis_label = plain("")
        options = {"stylesheets": [style], "sizing_mode": "stretch_width"}
        self.frame = Slider(title="iteration τ", start=0, end=1, step=0.05, value=1, format="0[.]00", **options)
        self.play = Toggle(
            label="▶ play", width=96, stylesheets=[style], css_classes=["fixed"],
            html_attributes={"title": "let the points move over τ, again and again"},
        )  # fmt: skip
        self.color_by = Select(title="color by", options=[("one", "one color")], value="one", **options)
        self.row = Spinner(title="ball of point (row)", low=0, step=1, mode="int", value=None, **options)
        self.trailing = Checkbox(label="trails", active=False, width=80, stylesheets=[style])
        self._default = "one"  # the default of color_by
        self.caption = html("", style, kind="caption", live=True)
        self.moving = side_by_side(self.play, self.frame, self.trailing, style=style)
        self.card = card(
            "Points", "hover over a point, or name its row, to see its ball and its Gaussian",
            [self.figure, self.moving, side_by_side(self.color_by, self.row, style=style), self.caption], style, "wide",
        )  # fmt: skip
        self.models |= {
            "frames": self.frames, "corners": self.corners, "colors": self.colors, "tip": self.tip,
            "frame": self.frame, "play": self.play, "color_by": self.color_by, "row": self.row,
            "trailing": self.trailing, "caption": self.caption, "cloud": self.figure,
        }  # fmt: skip

    def _draw_above(self) -> None:
        """Lines of a skeleton, trails, and what belongs to the point that is pointed at."""
        empty: dict[str, Any] = {"x": [], "y": []}
        sources = {name: ColumnDataSource(empty) for name in ("ring", "ball", "ellipse")}
        self.models |= {**sources, "trails": ColumnDataSource({"xs": [], "ys": []})}
        made, ring, ball, ellipse = self.figure, *sources.values()
        made.multi_line("xs", "ys", source=self.models["trails"], line_color="#888888", line_alpha=0.35)
        made.multi_line("xs", "ys", source=self.lines, line_width=2, line_color="#222222", name="ink")
        made.line("x", "y", source=ring, line_width=1.5, line_dash="dashed", name="ink")
        self.member = made.scatter("x", "y", source=ball, size=6, fill_alpha=0.6, line_color=None, name="member")
        made.line("x", "y", source=ellipse, line_width=3, line_color="#D55E00")
        made.add_layout(self.tip)

    def show(self, scene: Scene) -> None:
        """Show a scene."""
        self.move(scene)
        self.corners.data = corners(scene)
        self.lines.data = {"xs": [line[:, 0] for line in scene.lines], "ys": [line[:, 1] for line in scene.lines]}
        for axis, name, ends in zip(self.figure.axis, scene.axes, self.corners.data.values(), strict=True):
            axis.axis_label.text = name
            axis.formatter.use_scientific = not max(map(abs, ends)) < _MAX_WRITTEN
        self.row.update(high=int(scene.rows.max()))
        self.offer_colors(scene)

    def move(self, scene: Scene) -> None:
        """Show other frames."""
        self.frames.data = columns(scene)
        first_tau, last_tau = scene.times[0], scene.times[-1]
        at_end = self.frame.value >= self.frame.end or self.frame.disabled
        self.frame.update(
            start=min(first_tau, max(1, last_tau) - 1), end=max(1, last_tau), step=0.05 if last_tau <= 40 else 1,
            value=last_tau if at_end else max(first_tau, min(self.frame.value, last_tau)),
            disabled=last_tau == first_tau, title=f"iteration τ of {last_tau}",
        )  # fmt: skip
        self.moving.visible = last_tau > first_tau
        self.trailing.disabled = scene.n > _MAX_TRAILS

    def offer_colors(self, scene: Scene) -> None:
        """Offer the labels that a scene has; labels that are new are shown at once."""
        ways = [
            ("labels", "the clusters found", scene.labels is not None),
            ("cut", "the cut of the tree", scene.tree is not None),
            ("truth", "known labels", scene.truth is not None),
            ("one", "one color", True),
        ]
        offered = {way: words for way, words, is_there in ways if is_there}
        is_new = "labels" in offered and "labels" not in dict(self.color_by.options)
        chosen = self.color_by.value != self._default and self.color_by.value in offered and not is_new
        self._default = self._default if chosen else next(iter(offered))
        self.color_by.update(options=list(offered.items()), value=self.color_by.value if chosen else self._default)


class EmbeddingView:
    """A 2-D embedding of the last metric by classical scaling; what is selected among the points is selected here."""

    def __init__(self, style: Any, colors: Any) -> None:
        self.colors, self.corners = colors, ColumnDataSource({"x": [0, 1], "y": [0, 1]})
        self.figure, models = _scatter("scaling", "classical scaling of the last distances", 260, style, self)
        self.source, self.note = models["points"], html("", style)
        self.models = {"scaled": self.source, "scaled_marks": models["marks"], "scaling": self.figure}
        self.card = card(
            "Scaling (MDS)", "2-D embedding of the last distances", [self.figure, self.note], style, "small"
        )

    def show(self, scene: Scene) -> None:
        """Show the embedding of a scene."""
        self.card.visible = scene.embedding is not None
        if scene.embedding is None:
            return
        points = np.arange(scene.n) if scene.embedded is None else scene.embedded
        x, y = scene.embedding.T.copy()
        self.source.data = {
            "x": x, "y": y, "c": np.zeros(len(x), np.float32), "size": np.full(len(x), dot_size(len(x)), np.float32),
            "point": points.astype(np.int32),
        }  # fmt: skip
        finite = scene.embedding[np.isfinite(scene.embedding).all(axis=1)]
        ends = np.stack([finite.min(axis=0), finite.max(axis=0)]) if len(finite) else np.eye(2)
        self.corners.data = {"x": ends[:, 0].astype(float).tolist(), "y": ends[:, 1].astype(float).tolist()}
        write_note(self.note, f"{len(points):,} of {scene.n:,} points" if len(points) < scene.n else "")


def _scatter(name: str, text: str, height: int, style: Any, view: PointsView | EmbeddingView) -> tuple[Any, Any]:
    """A figure of points with the numbers of clusters, so that they can be told apart in gray scale."""
    made = empty_figure(
        name, text, height, style, tools=PLOT_TOOLS, match_aspect=True, css_classes=["cloud"] * (name == "points"),
        x_range=DataRange1d(range_padding=0.08), y_range=DataRange1d(range_padding=0.08),
    )  # fmt: skip
    source = ColumnDataSource({"x": [], "y": [], "c": [], "size": []})
    marks = ColumnDataSource({"x": [], "y": [], "text": []})
    image = ColumnDataSource({"image": [np.zeros((1, 1), np.uint32)], "x": [0], "y": [0], "dw": [1], "dh": [1]})
    box = made.scatter("x", "y", source=view.corners, fill_alpha=0, line_alpha=0)
    made.image_rgba("image", x="x", y="y", dw="dw", dh="dh", source=image)
    made.scatter(
        "x", "y", source=source, size="size", fill_color={"field": "c", "transform": view.colors}, line_color=None,
        fill_alpha=0.85, nonselection_fill_alpha=0.12, selection_fill_alpha=1.0,
    )  # fmt: skip
    made.text(
        "x", "y", text="text", source=marks, text_align="center", text_baseline="middle", text_font_size="13px",
        text_font_style="bold", x_offset=14, y_offset=-14, background_fill_color="#FFFFFF", padding=3,
        background_fill_alpha=0.85, border_radius=4, border_line_color="#767676", name="number",
    )  # fmt: skip
    made.x_range.renderers = made.y_range.renderers = [box]
    return made, {"points": source, "marks": marks, "image": image}


def dot_size(n: int) -> float:
    """Diameter of one of n dots in pixels."""
    return float(np.clip(2 + 90 / np.sqrt(n), 2.2, 9))


def corners(scene: Scene) -> dict[str, list[float]]:
    """Two corners of the box around all frames."""
    positions = scene.frames.reshape(-1, 2)
    first, last = positions.min(axis=0), positions.max(axis=0)
    if not np.isfinite([first, last]).all():
        positions = positions[np.isfinite(positions).all(axis=1)]
        first, last = (positions.min(axis=0), positions.max(axis=0)) if len(positions) else (np.zeros(2), np.ones(2))
    return {"x": [float(first[0]), float(last[0])], "y": [float(first[1]), float(last[1])]}


def columns(scene: Scene) -> dict[str, Any]:
    """Data of each point for the browser: frames, covariances, labels."""
    data: dict[str, Any] = {"row": scene.rows.astype(np.int32)}
    for t in range(scene.n_frames):
        data |= {f"x{t}": scene.frames[t, :, 0].copy(), f"y{t}": scene.frames[t, :, 1].copy()}
    if scene.covariances is not None and scene.n <= MAX_SHAPES:
        for t, covs in enumerate(scene.covariances):
            data |= {f"{name}{t}": column.copy() for name, column in zip("abd", covs.T, strict=True)}
    for name, labels in (("truth", scene.truth), ("labels", scene.labels)):
        if labels is not None:
            data[name] = labels.astype(np.int32)
    return data
