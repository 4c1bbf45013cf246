"""The view of the points over τ, with balls, trails and numbers of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scene import Scene
from .palette import mapper
from .plot import blank, card, html, plain, row

MANY = 5_000  # more points are drawn with WebGL; for fewer it is not faster, and without a graphics card slower
_SHAPED = 20_000  # covariances are sent for at most this many points
_TRAILS = 2_000  # trails are offered for at most this many points
_WRITTEN = 1e9  # larger coordinates are written in scientific notation
_TOOLS = "pan,wheel_zoom,box_select,lasso_select,reset,save"


class Points:
    """The figure, its data sources and its controls."""

    def __init__(self, style: Any, webgl: bool) -> None:
        from bokeh.models import Checkbox, ColumnDataSource, DataRange1d, Label, Select, Slider, Spinner, Toggle

        self.source = ColumnDataSource(name="points")
        self.frames = ColumnDataSource(name="frames")
        self.corners = ColumnDataSource({"x": [], "y": []})
        self.ball = ColumnDataSource({"x": [], "y": []}, name="ball")
        self.ring = ColumnDataSource({"x": [], "y": []}, name="ring")
        self.ellipse = ColumnDataSource({"x": [], "y": []}, name="ellipse")
        self.trails = ColumnDataSource({"xs": [], "ys": []}, name="trails")
        self.marks = ColumnDataSource({"x": [], "y": [], "text": []}, name="marks")
        self.lines = ColumnDataSource({"xs": [], "ys": []})
        self.colors = mapper()
        self.figure = blank(
            "points", "the points, colored by cluster", 560, style, tools=_TOOLS, active_scroll=None, match_aspect=True,
            x_range=DataRange1d(range_padding=0.05), y_range=DataRange1d(range_padding=0.05), css_classes=["cloud"],
            output_backend="webgl" if webgl else "canvas",
        )  # fmt: skip
        self.tip = Label(
            name="tip", x=0, y=0, text=plain(""), visible=False, text_font_size="13px", padding=6,
            background_fill_alpha=0.95, border_line_width=1, x_offset=12, y_offset=12, text_line_height=1.35,
        )  # fmt: skip
        self._draw()
        kept = {"stylesheets": [style], "sizing_mode": "stretch_width"}
        self.frame = Slider(
            name="frame", title="iteration τ", start=0, end=1, step=0.05, value=1, format="0[.]00", **kept
        )
        self.play = Toggle(
            name="play", label="▶ play", width=96, stylesheets=[style], css_classes=["fixed"],
            html_attributes={"title": "let the points move over τ, again and again"},
        )  # fmt: skip
        self.color_by = Select(name="color_by", title="color by", options=[("one", "one color")], value="one", **kept)
        self.row = Spinner(name="row", title="ball of point (row)", low=0, step=1, mode="int", value=None, **kept)
        self.trailing = Checkbox(name="trailing", label="trails", active=False, width=80, stylesheets=[style])
        self._put = "one"  # the default of color_by
        self.caption = html("", style, "caption", kind="caption", live=True)
        self.moving = row(self.play, self.frame, self.trailing, style=style)
        self.card = card(
            "Points", "hover over a point, or name its row, to see its ball and its Gaussian",
            [self.figure, self.moving, row(self.color_by, self.row, style=style), self.caption],
            style, "wide",
        )  # fmt: skip

    def _draw(self) -> None:
        made, look = self.figure, {"field": "c", "transform": self.colors}
        corners = made.scatter("x", "y", source=self.corners, fill_alpha=0, line_alpha=0)
        made.multi_line("xs", "ys", source=self.trails, line_color="#888888", line_alpha=0.35, name="trail")
        self.dots = made.scatter(
            "x", "y", source=self.source, size=5, fill_color=look, line_color=None, fill_alpha=0.85,
            nonselection_fill_alpha=0.12, selection_fill_alpha=1.0, name="dots",
        )  # fmt: skip
        self.line = made.multi_line("xs", "ys", source=self.lines, line_width=2, line_color="#222222", name="ink")
        self.rim = made.line("x", "y", source=self.ring, line_width=1.5, line_dash="dashed", name="ink")
        self.member = made.scatter("x", "y", source=self.ball, size=6, fill_alpha=0.6, line_color=None, name="member")
        self.shape = made.line("x", "y", source=self.ellipse, line_width=3, line_color="#D55E00", name="shape")
        self.numbers = numbers(made, self.marks)
        made.x_range.renderers = made.y_range.renderers = [corners]
        made.add_layout(self.tip)

    def show(self, scene: Scene) -> None:
        """Show a scene, except for the colors, which `Views` sets."""
        self.move(scene)
        self.corners.data = corners(scene)
        self.lines.data = {"xs": [line[:, 0] for line in scene.lines], "ys": [line[:, 1] for line in scene.lines]}
        size = dot(scene.n)
        self.dots.glyph.size = size
        self.member.glyph.size = size + 1
        self.figure.xaxis.axis_label, self.figure.yaxis.axis_label = map(plain, scene.axes)
        for axis, ends in zip(self.figure.axis, self.corners.data.values(), strict=True):
            axis.formatter.use_scientific = not max(map(abs, ends)) < _WRITTEN
        self.row.update(high=int(scene.rows.max()))
        self._offer(scene)

    def move(self, scene: Scene) -> None:
        """Show other frames of the same number of points."""
        self.frames.data = columns(scene)
        first_tau, last_tau = scene.times[0], scene.times[-1]
        at_end = self.frame.value >= self.frame.end or self.frame.disabled
        self.frame.update(
            start=min(first_tau, max(1, last_tau) - 1), end=max(1, last_tau), step=0.05 if last_tau <= 40 else 1,
            value=last_tau if at_end else max(first_tau, min(self.frame.value, last_tau)),
            disabled=last_tau == first_tau, title=f"iteration τ of {last_tau}",
        )  # fmt: skip
        self.moving.visible = last_tau > first_tau
        self.play.disabled = last_tau == first_tau
        self.trailing.disabled = scene.n > _TRAILS or last_tau == first_tau

    def _offer(self, scene: Scene) -> None:
        ways = [
            ("labels", "labels found", scene.labels is not None),
            ("cut", "the cut of the tree", scene.tree is not None and len(scene.tree) > 0),
            ("truth", "known labels", scene.truth is not None),
            ("one", "one color", True),
        ]
        offered = [(way, words) for way, words, is_there in ways if is_there]
        now, is_new = dict(offered), scene.labels is not None and "labels" not in dict(self.color_by.options)
        chosen = self.color_by.value != self._put and self.color_by.value in now and not is_new
        self._put = self._put if chosen else offered[0][0]
        self.color_by.update(options=offered, value=self.color_by.value if chosen else self._put)


def numbers(made: Any, marks: Any) -> Any:
    """The numbers of the clusters, so that they can be told apart in gray scale."""
    return made.text(
        "x", "y", text="text", source=marks, text_align="center", text_baseline="middle", text_font_size="13px",
        text_font_style="bold", x_offset=14, y_offset=-14, background_fill_color="#FFFFFF",
        background_fill_alpha=0.85, padding=3, border_radius=4,
        border_line_color="#767676", name="number",
    )  # fmt: skip


def corners(scene: Scene) -> dict[str, list[float]]:
    """Two corners of the box around all frames."""
    known = scene.frames.reshape(-1, 2)
    first, last = known.min(axis=0), known.max(axis=0)
    if not np.isfinite([first, last]).all():
        known = known[np.isfinite(known).all(axis=1)]
        first, last = (known.min(axis=0), known.max(axis=0)) if len(known) else (np.zeros(2), np.ones(2))
    return {"x": [float(first[0]), float(last[0])], "y": [float(first[1]), float(last[1])]}


def dot(n: int) -> float:
    """Diameter of one of n dots in pixels."""
    return float(np.clip(2 + 90 / np.sqrt(n), 2.2, 9))


def columns(scene: Scene) -> dict[str, Any]:
    """Data of each point for the browser: frames, covariances, labels."""
    known: dict[str, Any] = {"row": scene.rows.astype(np.int32)}
    for t in range(scene.n_frames):
        known |= {f"x{t}": scene.frames[t, :, 0].copy(), f"y{t}": scene.frames[t, :, 1].copy()}
    if scene.covariances is not None and scene.n <= _SHAPED:
        for t, covs in enumerate(scene.covariances):
            known |= {f"{name}{t}": column.copy() for name, column in zip("abd", covs.T, strict=True)}
    for name, labels in (("truth", scene.truth), ("labels", scene.labels)):
        if labels is not None:
            known[name] = labels.astype(np.int32)
    return known
