"""The views of points: over τ with balls, and their embedding by the last metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, DataRange1d, Label, Select, Slider, Toggle

from .._types import Floats
from .figures import card, empty_figure, html, plain, side_by_side, write_note
from .scene import Scene

MAX_DOTS = 5_000  # more points are drawn as an image of pixels, which takes milliseconds
MAX_PLAIN_COORDINATE = 1e9  # larger coordinates are written in scientific notation
PLOT_TOOLS = "pan,wheel_zoom,box_select,lasso_select,reset,save"

MAX_ROUNDING = 1e-5  # of the extent: a hundredth of a pixel


class PointsView:
    """The points over τ. The browser fills `source` from `frames`: positions at τ, and colors."""

    def __init__(self, style: Any, colors: Any) -> None:
        self.frames = ColumnDataSource(name="frames")
        self.corners = ColumnDataSource({"x": [0, 1], "y": [0, 1]})
        self.lines = ColumnDataSource({"xs": [], "ys": []})
        self.figure, self.source = _scatter(
            "points", "the points, colored by cluster", 560, style, colors, self.corners
        )
        self.image = ColumnDataSource(
            {"image": [np.zeros((1, 1), np.uint32)], "x": [0], "y": [0], "dw": [1], "dh": [1]}
        )
        self.figure.image_rgba("image", x="x", y="y", dw="dw", dh="dh", source=self.image)
        self.marks = {name: ColumnDataSource({"x": [], "y": []}) for name in ("ring", "ball", "ellipse")}
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
        self.color_by = Select(title="color by", options=[("cut", "the cut of the tree")], value="cut", **options)
        self.caption = html("", style, kind="caption", live=True)
        self.moving = side_by_side(self.play, self.frame, style=style)
        self.card = card(
            "Points", "hover over a point to see its ball and its Gaussian; click to keep them",
            [self.figure, self.moving, side_by_side(self.color_by, style=style), self.caption], style, "wide",
        )  # fmt: skip
        self.models = {
            "frames": self.frames, "corners": self.corners, "points": self.source, "image": self.image, **self.marks,
            "tip": self.tip, "frame": self.frame, "play": self.play, "color_by": self.color_by,
            "caption": self.caption, "cloud": self.figure,
        }  # fmt: skip

    def _draw_above(self) -> None:
        """Lines of a skeleton, and what belongs to the point that is pointed at."""
        made, (ring, ball, ellipse) = self.figure, self.marks.values()
        made.multi_line("xs", "ys", source=self.lines, line_width=2, line_color="#222222", name="ink")
        made.line("x", "y", source=ring, line_width=1.5, line_dash="dashed", name="ink")
        made.scatter("x", "y", source=ball, size=6, fill_alpha=0.6, line_color=None, name="member")
        made.line("x", "y", source=ellipse, line_width=3, line_color="#D55E00")
        made.add_layout(self.tip)

    def show(self, scene: Scene) -> None:
        """Show a scene."""
        self.move(scene)
        self.corners.data = corners(scene.frames)
        self.lines.data = {"xs": [line[:, 0] for line in scene.lines], "ys": [line[:, 1] for line in scene.lines]}
        for axis, name, ends in zip(self.figure.axis, scene.axes, self.corners.data.values(), strict=True):
            axis.axis_label.text = name
            axis.formatter.use_scientific = not max(map(abs, ends)) < MAX_PLAIN_COORDINATE

    def move(self, scene: Scene) -> None:
        """Show other frames."""
        self.frames.data = columns(scene)
        first, last = scene.times[0], scene.times[-1]
        at_end = self.frame.value >= self.frame.end or self.frame.disabled
        self.frame.update(
            start=min(first, max(1, last) - 1), end=max(1, last), step=0.05 if last <= 40 else 1,
            value=last if at_end else max(first, min(self.frame.value, last)),
            disabled=last == first, title=f"iteration τ of {last}",
        )  # fmt: skip
        self.moving.visible = last > first

    def offer_colors(self, scene: Scene) -> None:
        """Offer the labels that a scene has; labels that are new are shown at once."""
        ways = {"labels": "the clusters found", "cut": "the cut of the tree", "truth": "known labels"}
        parts = {"labels": scene.labels, "cut": scene.tree, "truth": scene.truth}
        offered = {way: words for way, words in ways.items() if parts[way] is not None} | {"one": "one color"}
        chosen = self.color_by.value
        if chosen not in offered or ("labels" in offered and "labels" not in dict(self.color_by.options)):
            chosen = next(iter(offered))
        self.color_by.update(options=list(offered.items()), value=chosen)


class EmbeddingView:
    """A 2-D embedding of the last metric by classical scaling; what is selected among the points is selected here."""

    def __init__(self, style: Any, colors: Any) -> None:
        self.corners, self.note = ColumnDataSource({"x": [0, 1], "y": [0, 1]}), html("", style)
        text = "classical scaling of the last distances"
        self.figure, self.source = _scatter("scaling", text, 260, style, colors, self.corners)
        self.models = {"scaled": self.source, "scaling": self.figure}
        self.card = card(
            "Scaling (MDS)", "2-D embedding of the last distances", [self.figure, self.note], style, "small"
        )

    def show(self, scene: Scene) -> None:
        """Show the embedding of a scene."""
        self.card.visible = scene.embedding is not None
        if scene.embedding is None or scene.shown is None:
            return
        k, (x, y) = len(scene.shown), scene.embedding.T.copy()
        self.source.data = {
            "x": x, "y": y, "c": np.zeros(k, np.float32), "size": np.full(k, dot_size(k), np.float32),
            "point": scene.shown.astype(np.int32),
        }  # fmt: skip
        self.corners.data = corners(scene.embedding)
        write_note(self.note, f"{k:,} of {scene.n:,} points" if k < scene.n else "")


def _scatter(name: str, text: str, height: int, style: Any, colors: Any, box: ColumnDataSource) -> tuple[Any, Any]:
    """A figure of points, and their source; its limits are those of the box."""
    made = empty_figure(
        name, text, height, style, tools=PLOT_TOOLS, match_aspect=True, css_classes=["cloud"] * (name == "points"),
        x_range=DataRange1d(range_padding=0.08), y_range=DataRange1d(range_padding=0.08),
    )  # fmt: skip
    source = ColumnDataSource({"x": [], "y": [], "c": [], "size": []})
    made.x_range.renderers = made.y_range.renderers = [made.scatter("x", "y", source=box, fill_alpha=0, line_alpha=0)]
    made.scatter(
        "x", "y", source=source, size="size", fill_color={"field": "c", "transform": colors}, line_color=None,
        fill_alpha=0.85, nonselection_fill_alpha=0.12, selection_fill_alpha=1.0,
    )  # fmt: skip
    return made, source


def dot_size(n: int) -> float:
    """Diameter of one of n dots in pixels."""
    return float(np.clip(2 + 90 / np.sqrt(n), 2.2, 9))


def corners(positions: Floats) -> dict[str, list[float]]:
    """Two corners of the box around positions, shape (…, 2)."""
    flat = positions.reshape(-1, 2)
    return dict(zip("xy", np.transpose([flat.min(axis=0), flat.max(axis=0)]).tolist(), strict=True))


def _single(values: Floats) -> Any:
    """Numbers of many points in single precision, which halves what is sent, if a picture shows no difference."""
    if len(values) <= MAX_DOTS:
        return values.copy()
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    return rounded if np.abs(rounded - values).max(initial=0.0) <= MAX_ROUNDING * np.ptp(values) else values.copy()


def columns(scene: Scene) -> dict[str, Any]:
    """Data of each point for the browser: frames, covariances, labels."""
    data: dict[str, Any] = {"row": scene.rows.astype(np.int32)}
    for t, frame in enumerate(scene.frames):
        data |= {f"x{t}": _single(frame[:, 0]), f"y{t}": _single(frame[:, 1])}
    for t, covs in enumerate(() if scene.covariances is None else scene.covariances):
        data |= {f"{name}{t}": _single(entries) for name, entries in zip("abd", covs.T, strict=True)}
    for name, labels in (("truth", scene.truth), ("labels", scene.labels)):
        if labels is not None:
            data[name] = labels.astype(np.int32)
    return data
