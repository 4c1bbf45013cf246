"""Linked views of a scene. Interactions that need no new computation run in the browser (static/views.js)."""

from __future__ import annotations

from typing import Any

from bokeh.events import MouseLeave, MouseMove, Tap
from bokeh.models import ColumnDataSource, CustomJS, InlineStyleSheet, LinearColorMapper, Row

from ..plotting import N_COLORS
from .distances import DendrogramView, DistanceView, first_cut
from .figures import DARK_COLORS, LIGHT_COLORS, static
from .points import MAX_DOTS, EmbeddingView, PointsView, corners, dot_size
from .scene import Scene

BALL_TOLERANCE = 2e-12  # relative tolerance of ε²
ELLIPSE_DEVIATIONS = 2.0  # size of the ellipse of a Gaussian, in standard deviations


class Views:
    """Views of a scene that share colors, selection and the highlighted point. Views without data are hidden.

    Attributes
    ----------
    layout : Bokeh layout
        All views, side by side, or stacked in a narrow window.
    """

    def __init__(self, scene: Scene, *, is_partial: bool = False) -> None:
        style = InlineStyleSheet(css=static("views.css"))  # widgets are where the style of the page has no effect
        colors = LinearColorMapper(palette=list(LIGHT_COLORS), low=-2.5, high=N_COLORS - 0.5, nan_color="#00000000")
        self.points, self.scaling = PointsView(style, colors), EmbeddingView(style, colors)
        self.dendrogram, self.heat = DendrogramView(style, colors), DistanceView(style, colors)
        self.meta = ColumnDataSource(name="meta")
        of_metric = (self.dendrogram, self.scaling, self.heat)
        self.layout = Row(
            children=[part.card for part in (self.points, *of_metric)], sizing_mode="stretch_width",
            css_classes=["views"], stylesheets=[style], name="views",
        )  # fmt: skip
        self.models: dict[str, Any] = {"meta": self.meta, "colors": colors, "dimmed": [part.card for part in of_metric]}
        for part in (self.points, *of_metric):
            self.models |= part.models
        self._title: str | None = None
        self.show(scene, is_partial=is_partial)
        self._connect()

    def show(self, scene: Scene, *, is_partial: bool = False) -> None:
        """Show another scene in the same Bokeh models; n and T may change.

        A partial scene shows its points; what is not computed yet stays as it was, dimmed, if the data are the same.
        """
        if is_partial and scene.title == self._title:
            self.points.move(scene)
        else:
            for part in (self.points, self.dendrogram, self.scaling, self.heat):
                part.show(scene)
        if not is_partial:
            self.points.offer_colors(scene)
        self._title = scene.title
        self.meta.data = _meta(scene, is_partial)  # last: the browser updates everything when this arrives

    def _connect(self) -> None:
        """Let changes and events run functions of static/views.js."""
        names = ", ".join(self.models)
        code = f"{static('theme.js')}\n{static('views.js')}\nreturn pageOf({{{names}}})[cb_data.act](cb_obj)"
        brain = CustomJS(args=self.models, code=code)
        acts = {
            name: CustomJS(args={"brain": brain}, code=f"return brain.execute(cb_obj, {{act: {name!r}}})")
            for name in (
                "move", "run", "paint", "slide", "drag", "select", "load", "begin", "hover", "leave", "pin",
            )
        }  # fmt: skip
        points, tree = self.points, self.dendrogram
        for model, attribute, name in (
            (points.frame, "value", "move"), (points.play, "active", "run"), (points.color_by, "value", "paint"),
            (tree.cut, "value", "slide"), (tree.line, "location", "drag"),
            (points.source.selected, "indices", "select"), (self.scaling.source.selected, "indices", "select"),
            (self.meta, "data", "load"), (points.figure, "inner_width", "begin"),  # fires once the figure is on a page
        ):  # fmt: skip
            model.js_on_change(attribute, acts[name])
        for event, name in ((MouseMove, "hover"), (MouseLeave, "leave"), (Tap, "pin")):
            points.figure.js_on_event(event, acts[name])


def _meta(scene: Scene, is_partial: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        "title": scene.title, "eps": float(scene.eps), "lam": float(scene.lam), "times": list(scene.times),
        "known": [scene.has_balls(t) for t in range(len(scene.frames))], "rim": BALL_TOLERANCE,
        "deviations": ELLIPSE_DEVIATIONS, "n_colors": N_COLORS, "light": list(LIGHT_COLORS), "dark": list(DARK_COLORS),
        "axes": list(scene.axes), "is_partial": is_partial, "corners": corners(scene.frames), "many": MAX_DOTS,
        "dot": dot_size(scene.n), "cut": None,
    }  # fmt: skip
    if scene.tree is not None:
        values["cut"] = {"end": 1.05 * (float(scene.tree.heights[-1]) or 1.0), "at": first_cut(scene.tree)}
    return {name: [value] for name, value in values.items()}
