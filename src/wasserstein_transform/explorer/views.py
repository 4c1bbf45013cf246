"""Linked views of a scene. Interactions that need no new computation run in the browser (static/views.js)."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.events import MouseLeave, MouseMove, Tap
from bokeh.models import ColumnDataSource, CustomJS, Row

from ..plotting import N_COLORS
from .figures import DARK_COLORS, LIGHT_COLORS, static, style_sheet
from .metrics import DendrogramView, DistanceView, NeighborView, first_cut
from .points import MAX_DOTS, EmbeddingView, PointsView, corners, dot_size
from .scene import Scene

BALL_TOLERANCE = 1e-6  # relative tolerance of ε²: coordinates on the page are rounded
ELLIPSE_DEVIATIONS = 2.0  # size of the ellipse of a Gaussian, in standard deviations


class Views:
    """Views of a scene that share colors, selection and the highlighted point. Views without data are hidden.

    Parameters
    ----------
    scene : Scene
    beside : bool, default False
        Use the layout for the narrower space beside a panel.

    Attributes
    ----------
    layout : Bokeh layout
        All views, side by side, or stacked in a narrow window.
    """

    def __init__(self, scene: Scene, *, beside: bool = False) -> None:
        style = style_sheet()
        self.points = PointsView(style)
        self.dendrogram, self.heat = DendrogramView(style, self.points.colors), DistanceView(style, self.points.colors)
        self.scaling, self.neighbors = EmbeddingView(style, self.points.colors), NeighborView(style)
        self.meta = ColumnDataSource(name="meta")
        parts = (self.points, self.dendrogram, self.scaling, self.heat, self.neighbors)
        for part in parts:
            has_room = not beside and scene.tree is None
            part.card.css_classes = [*part.card.css_classes, *["beside"] * beside, *["bare"] * has_room]
        self.layout = Row(
            children=[part.card for part in parts], sizing_mode="stretch_width", css_classes=["views"],
            stylesheets=[style], name="views",
        )  # fmt: skip
        self.models: dict[str, Any] = {"meta": self.meta}
        self.models["dimmed"] = [part.card for part in (self.dendrogram, self.scaling, self.heat)]
        for part in parts:
            self.models |= part.models
        self._title: str | None = None
        self.show(scene)
        self._connect()

    def show(self, scene: Scene, *, is_partial: bool = False) -> None:
        """Show another scene in the same Bokeh models; n and T may change.

        A partial scene shows its points; what is not computed yet stays as it was, dimmed, if the data are the same.
        """
        if is_partial and scene.title == self._title:
            self.points.move(scene)
        else:
            self.points.show(scene)
            self.dendrogram.show(scene)
            self.scaling.show(scene)
            self.heat.show(scene)
            self.neighbors.show(scene.curve, scene.eps)
        self._title = scene.title
        self.meta.data = _meta(scene, is_partial)  # last: the browser updates everything when this arrives

    def act(self, name: str) -> Any:
        """A callback that runs the function with this name in static/views.js."""
        return CustomJS(args={"brain": self._brain}, code=f"return brain.execute(cb_obj, {{act: {name!r}}})")

    def _connect(self) -> None:
        names = ", ".join(self.models)
        code = f"{static('theme.js')}\n{static('views.js')}\nreturn pageOf({{{names}}})[cb_data.act](cb_obj)"
        self._brain = CustomJS(args=self.models, code=code)
        points, tree, neighbors = self.points, self.dendrogram, self.neighbors
        for model, attribute, name in (
            (points.frame, "value", "move"), (points.play, "active", "run"), (points.color_by, "value", "paint"),
            (points.trailing, "active", "trail"), (points.row, "value", "name"), (tree.cut, "value", "slide"),
            (tree.line, "location", "drag"), (neighbors.radius, "value", "widen"), (neighbors.line, "location", "pull"),
            (self.models["points"].selected, "indices", "select"), (self.scaling.source.selected, "indices", "select"),
            (self.meta, "data", "load"), (points.figure, "inner_width", "begin"),  # fires once the figure is on a page
        ):  # fmt: skip
            model.js_on_change(attribute, self.act(name))
        for event, name in ((MouseMove, "hover"), (MouseLeave, "leave"), (Tap, "pin")):
            points.figure.js_on_event(event, self.act(name))


def has_balls(scene: Scene, frame: int) -> bool:
    """Whether balls in a frame can be computed from positions and covariances: not if only distances changed."""
    if not scene.planar or not np.isfinite(scene.eps):
        return False
    moved = scene.n_frames == 1 or not np.array_equal(scene.frames[0], scene.frames[-1])
    return frame == 0 or moved or scene.covariances is not None


def _meta(scene: Scene, is_partial: bool) -> dict[str, Any]:
    values: dict[str, Any] = {
        "title": scene.title, "eps": float(scene.eps), "lam": float(scene.lam), "times": list(scene.times),
        "known": [has_balls(scene, t) for t in range(scene.n_frames)], "rim": BALL_TOLERANCE,
        "deviations": ELLIPSE_DEVIATIONS, "n_colors": N_COLORS, "light": list(LIGHT_COLORS), "dark": list(DARK_COLORS),
        "axes": list(scene.axes), "is_partial": is_partial, "corners": corners(scene), "many": MAX_DOTS,
        "dot": dot_size(scene.n), "answer": scene.answer, "cut": None,
    }  # fmt: skip
    if scene.tree is not None:
        end = 1.05 * (float(scene.tree.heights[-1]) or 1.0)
        fits = scene.cut is None or bool(np.isfinite(scene.cut))
        height = scene.cut if scene.cut is not None and fits else first_cut(scene.tree)
        values["cut"] = {"end": end, "at": min(height, end), "fits": fits}
    return {name: [value] for name, value in values.items()}
