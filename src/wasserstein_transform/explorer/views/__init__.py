"""Linked views of a scene. Interactions that need no new computation run in the browser (static/views.js)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._types import Ints
from ...plotting.style import N_COLORS
from ..scene import Scene
from .balls import DEVIATIONS, RIM, ball, is_known
from .cuts import cut, in_words, least
from .dendrogram import Dendrogram
from .metrics import Heat, Scaling
from .neighbors import Neighbors
from .palette import DARK, LIGHT, look
from .plot import sheet, static
from .points import MANY, Points, corners, dot

__all__ = ["Views", "ball", "cut", "in_words"]


class Views:
    """Views of a scene that share colors, selection and the highlighted point.

    Parameters
    ----------
    scene : Scene
    webgl : bool, optional
        Whether to draw points with WebGL. Default None: if there are more than 5,000.
    hide : bool, default False
        Leave out views of parts that are None, as a report does; otherwise they say that the part is not computed
        yet.
    beside : bool, default False
        Use the layout for the narrower space beside a panel.

    Attributes
    ----------
    layout : Bokeh layout
        All views, side by side, or stacked in a narrow window.
    frame, play, color_by, cut, radius : widgets
        The iteration shown, the play button, the meaning of colors, the height of the cut, log₁₀ of ε (its
        `value_throttled` changes on release).
    """

    def __init__(self, scene: Scene, *, webgl: bool | None = None, hide: bool = False, beside: bool = False) -> None:
        from bokeh.models import ColumnDataSource, Row

        style, webgl = sheet(), scene.n > MANY if webgl is None else webgl
        self.points = Points(style, webgl)
        colors = self.points.colors
        self.dendrogram = Dendrogram(style, colors)
        self.scaling = Scaling(style, self.points.source.selected, colors, webgl)
        self.heat = Heat(style, colors)
        self.neighbors = Neighbors(style)
        self.meta = ColumnDataSource(name="meta")
        self.frame, self.play, self.color_by = self.points.frame, self.points.play, self.points.color_by
        self.cut, self.radius = self.dendrogram.cut, self.neighbors.radius
        self._before, self._set = scene, 0.0
        self.layout = Row(sizing_mode="stretch_width", css_classes=["views"], stylesheets=[style], name="views")
        cards = [view.card for view in self._shown(scene, hide)]
        for card in cards if beside else ():
            card.css_classes = [*card.css_classes, "beside"]
        self.layout.children = cards
        self.show(scene)
        self._connect()

    def show(self, scene: Scene) -> None:
        """Show another scene in the same Bokeh models; n and T may change.

        If tree, embedding and distances are not computed yet and the points are the same, the old ones stay, dimmed.
        """
        scene, stale = _carried(scene, self._before)
        if stale:
            self._move(scene)
            return
        self.points.show(scene)
        self._show_metric(scene)
        self.neighbors.show(scene)
        first = _at(scene, float(self.frame.value))
        self.points.source.data = {
            "x": first[:, 0].copy(), "y": first[:, 1].copy(), "c": look(self.labels(scene))
        }  # fmt: skip
        self.points.source.selected.indices = []
        self._before = scene
        self.meta.data = _meta(scene)  # last: the browser updates everything when this arrives

    def _move(self, scene: Scene) -> None:
        """Show other positions of the same points, as fast as possible."""
        self.points.move(scene)
        self._before = scene
        self.meta.data = _meta(scene, True)  # the browser does the rest in one step: every message may cause a redraw

    def _show_metric(self, scene: Scene) -> None:
        """Show tree, embedding and distances. A cut chosen by the user stays at the same relative height."""
        chosen = not self.cut.disabled and float(self.cut.value) != self._set
        self.dendrogram.show(scene, keep=chosen)
        self._set = self._set if chosen else float(self.cut.value)
        self.scaling.show(scene, dot(scene.n), look(self.labels(scene)))
        self.heat.show(scene)
        has_tree = scene.tree is not None and len(scene.tree) > 0
        self.dendrogram.said.text = in_words(self.by_cut(scene)) if has_tree else scene.missing

    def _shown(self, scene: Scene, hide: bool) -> list[Any]:
        """The views to put on the page."""
        parts = (
            (self.points, True), (self.dendrogram, scene.tree is not None), (self.scaling, scene.embedding is not None),
            (self.heat, scene.matrix is not None), (self.neighbors, scene.curve is not None),
        )  # fmt: skip
        shown = [view for view, is_there in parts if is_there or not hide]
        if self.dendrogram not in shown:  # the remaining views get more space
            for view in shown:
                view.card.css_classes = [*view.card.css_classes, "bare"]
        return shown

    def by_cut(self, scene: Scene) -> Ints:
        """Clusters of the current cut; one cluster without a tree."""
        if scene.tree is None or not len(scene.tree):
            return np.zeros(scene.n, np.intp)
        return cut(scene.tree, float(self.cut.value))

    def labels(self, scene: Scene) -> Ints:
        """The labels that the points are colored by: those of the cut, found ones, known ones, or all 0."""
        way = self.color_by.value
        if way == "truth" and scene.truth is not None:
            return scene.truth
        if way == "labels" and scene.labels is not None:
            return scene.labels
        return self.by_cut(scene) if way == "cut" else np.zeros(scene.n, np.intp)

    @property
    def models(self) -> dict[str, Any]:
        """All Bokeh models that static/views.js uses, by name."""
        points, tree, heat, near = self.points, self.dendrogram, self.heat, self.neighbors
        return {
            "points": points.source, "corners": points.corners, "frames": points.frames, "ball": points.ball,
            "ring": points.ring,
            "ellipse": points.ellipse, "trails": points.trails, "marks": points.marks, "scaled": self.scaling.source,
            "scaled_marks": self.scaling.marks, "tip": points.tip, "caption": points.caption, "frame": points.frame,
            "play": points.play, "color_by": points.color_by, "row": points.row, "trailing": points.trailing,
            "colors": points.colors, "tree": tree.tree, "branches": tree.branches, "stubs": tree.stubs,
            "cut": tree.cut, "cut_line": tree.line, "said": tree.said, "heat": heat.glyph, "bar": heat.bar,
            "strip": heat.strip, "shade": heat.scale, "linear": heat.linear, "log": heat.log, "radius": near.radius,
            "eps_line": near.line, "suggested": near.suggested, "meta": self.meta, "cloud": points.figure,
            "dendrogram": tree.figure, "dimmed": [self.dendrogram.card, self.scaling.card, self.heat.card],
            "scaling": self.scaling.figure, "matrix": heat.figure, "near": near.figure,
        }  # fmt: skip

    def act(self, name: str) -> Any:
        """A callback that runs the function with this name in static/views.js."""
        from bokeh.models import CustomJS

        return CustomJS(args={"brain": self._brain}, code=f"return brain.execute(cb_obj, {{act: {name!r}}})")

    def _connect(self) -> None:
        from bokeh.events import MouseLeave, MouseMove, Tap
        from bokeh.models import CustomJS

        models = self.models
        names = ", ".join(models)
        code = f"{static('theme.js')}\n{static('views.js')}\nreturn pageOf({{{names}}})[cb_data.act](cb_obj)"
        self._brain = CustomJS(args=models, code=code)
        for widget, attribute, name in (
            (self.frame, "value", "move"), (self.play, "active", "run"), (self.color_by, "value", "paint"),
            (self.points.trailing, "active", "trail"), (self.points.row, "value", "name"),
            (self.cut, "value", "slide"), (self.dendrogram.line, "location", "drag"),
            (self.radius, "value", "widen"), (self.neighbors.line, "location", "pull"),
            (self.heat.scale, "value", "shadeBy"), (self.meta, "data", "load"),
        ):  # fmt: skip
            widget.js_on_change(attribute, self.act(name))
        self.points.figure.js_on_change("inner_width", self.act("begin"))  # fires once the figure is on a page
        self.points.figure.js_on_event(MouseMove, self.act("hover"))
        self.points.figure.js_on_event(MouseLeave, self.act("leave"))
        self.points.figure.js_on_event(Tap, self.act("pin"))


def _carried(scene: Scene, before: Scene) -> tuple[Scene, bool]:
    """The scene with tree, embedding and distances of the previous one if they are missing; whether any were used."""
    same = scene.n == before.n and scene.title == before.title and np.array_equal(scene.rows, before.rows)
    if scene is before or scene.tree is not None or before.tree is None or not same:
        return scene, False
    known = {name: getattr(before, name) for name in ("tree", "embedding", "matrix", "shown")}
    return replace(scene, **known), True


def _at(scene: Scene, tau: float) -> Any:
    """Positions of the points at iteration τ, interpolated between frames."""
    times = scene.times
    k = int(np.clip(np.searchsorted(times, tau, side="right") - 1, 0, len(times) - 1))
    if k == len(times) - 1:
        return scene.frames[k]
    share = (tau - times[k]) / (times[k + 1] - times[k])
    return (scene.frames[k] + share * (scene.frames[k + 1] - scene.frames[k])).astype(scene.frames.dtype)


def _meta(scene: Scene, is_moving: bool = False) -> dict[str, Any]:
    known = [is_known(scene, t) for t in range(scene.n_frames)]
    values: dict[str, Any] = {
        "title": scene.title, "eps": float(scene.eps), "lam": float(scene.lam), "times": list(scene.times),
        "known": known, "least": least(scene.n), "rim": RIM, "deviations": DEVIATIONS, "n_colors": N_COLORS,
        "light": list(LIGHT), "dark": list(DARK), "axes": list(scene.axes), "is_moving": is_moving,
        "corners": corners(scene), "missing": scene.missing,
    }  # fmt: skip
    return {name: [value] for name, value in values.items()}
