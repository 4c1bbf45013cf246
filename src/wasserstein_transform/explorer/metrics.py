"""The views of the last metric: the dendrogram with its cut, a matrix of distances, the neighbors of each radius."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bokeh.models import (
    ColorBar,
    ColumnDataSource,
    CustomJS,
    CustomJSTickFormatter,
    FixedTicker,
    LinearColorMapper,
    Range1d,
    Slider,
    Span,
)  # fmt: skip
from bokeh.palettes import Magma256

from .._display import counted
from .._types import Floats
from ..hierarchy import Tree
from ..plotting import Branches, branches, highest_merges, node_positions
from .figures import card, empty_figure, html, plain, side_by_side, static, write_note
from .scene import NeighborCounts, Scene

MAX_LEAVES = 2_000  # most leaves drawn
# smallest size of a numbered cluster: in points, and as a share of all points
MIN_CLUSTER_POINTS, MIN_CLUSTER_SHARE = 2, 0.01
# most labeled powers of ten; a ratio of limits up to which 2 and 5 are labeled as well
MAX_POWER_TICKS, MAX_RATIO_WITH_2_AND_5 = 5, 200
SLIDER_DECADES = 2.0  # range of the slider to each side, in powers of ten, if there is no curve


class DendrogramView:
    """The figure, its data sources, and the cut as a movable line and a slider; the browser sets height and colors."""

    def __init__(self, style: Any, colors: Any) -> None:
        empty: dict[str, Any] = {"xs": [], "ys": [], "h": [], "c": [], "node": []}
        self.tree, self.branches, self.stubs = ColumnDataSource(), ColumnDataSource(empty), ColumnDataSource(empty)
        self.figure = empty_figure(
            "dendrogram", "the dendrogram with the height at which it is cut", 270, style,
            tools="xpan,xwheel_zoom,reset,save", active_drag=None, x_range=Range1d(-0.5, 1.5), y_range=Range1d(0, 1),
        )  # fmt: skip
        look = {"field": "c", "transform": colors}
        self.figure.patches("xs", "ys", source=self.stubs, fill_color=look, fill_alpha=0.4, line_color=None)
        self.figure.multi_line("xs", "ys", source=self.branches, line_color=look, line_width=1.4)
        self.figure.xaxis.visible = False
        self.figure.xgrid.visible = False
        self.figure.yaxis.axis_label = plain("height")
        self.line = _movable("width")
        self.figure.add_layout(self.line)
        self.cut = Slider(
            title="cut at height", start=0, end=1, step=0.002, value=0, format="0[.]0000", sizing_mode="stretch_width",
            stylesheets=[style],
        )  # fmt: skip
        self.said, self.note = html("", style, live=True), html("", style)
        self.card = card(
            "Dendrogram", "drag the dashed line, or move the slider: all views take the colors of the cut",
            [self.figure, side_by_side(self.cut, style=style), self.said, self.note], style, "tree",
        )  # fmt: skip
        self.models = {
            "tree": self.tree, "branches": self.branches, "stubs": self.stubs, "cut": self.cut, "cut_line": self.line,
            "said": self.said, "dendrogram": self.figure,
        }  # fmt: skip

    def show(self, scene: Scene) -> None:
        """Show the tree of a scene."""
        self.card.visible = scene.tree is not None
        Z = np.empty((0, 4)) if scene.tree is None else scene.tree.Z
        self.tree.data = {"a": Z[:, 0].astype(np.int32), "b": Z[:, 1].astype(np.int32), "h": Z[:, 2].copy()}
        if scene.tree is not None:
            end = 1.05 * (float(Z[-1, 2]) or 1.0)
            self.figure.y_range.update(start=0, end=end, reset_start=0, reset_end=end)
            self._lay_out(branches(scene.tree))

    def _lay_out(self, tree: Branches) -> None:
        drawn = highest_merges(tree, MAX_LEAVES)
        along, n, level = node_positions(drawn), tree.n, drawn.heights[drawn.n :]
        a, b = drawn.pairs.T
        x = np.stack([along[a], along[a], along[b], along[b]], axis=1)
        y = np.stack([drawn.heights[a], level, level, drawn.heights[b]], axis=1)
        self.branches.data = {
            "xs": x.tolist(), "ys": y.tolist(), "h": level.copy(), "c": np.full(len(level), -2, np.float32),
            "node": np.arange(2 * n - 1 - len(level), 2 * n - 1, dtype=np.int32),
        }  # fmt: skip
        hidden = np.flatnonzero(drawn.heights[: drawn.n] > 0)  # leaves that stand for a whole subtree
        foot, peak = along[hidden, None] + [0.0, -0.4, 0.4], drawn.heights[hidden, None] * [1.0, 0.0, 0.0]
        self.stubs.data = {
            "xs": foot.tolist(), "ys": peak.tolist(), "h": drawn.heights[hidden],
            "c": np.full(len(hidden), -2, np.float32), "node": _hidden_nodes(tree, drawn.n)[hidden].astype(np.int32),
        }  # fmt: skip
        margin = max(0.5, 0.01 * drawn.n)
        edges = {"start": -margin, "end": drawn.n - 1 + margin}
        self.figure.x_range.update(**edges, **{f"reset_{name}": value for name, value in edges.items()})
        left_out = f"the {drawn.n:,} highest branches of {n:,} leaves; the cut works on all"
        write_note(self.note, left_out if n > MAX_LEAVES else "")


def _hidden_nodes(tree: Branches, max_leaves: int) -> Any:
    """The nodes that are drawn as leaves, in order."""
    if tree.n <= max_leaves:
        return np.arange(tree.n)
    shown = tree.pairs[tree.n - max_leaves :]
    return np.unique(shown[shown < 2 * tree.n - max_leaves])


def _movable(dimension: str) -> Any:
    """A dashed line that can be dragged."""
    return Span(
        dimension=dimension, location=None, editable=True, line_width=3, line_dash="dashed", level="overlay",
        hover_line_color="#D55E00", hover_line_alpha=1.0,
    )  # fmt: skip


def smallest_size(n: int) -> int:
    """Smallest size of a numbered cluster of n points."""
    return max(MIN_CLUSTER_POINTS, math.ceil(MIN_CLUSTER_SHARE * n))


def first_cut(tree: Tree) -> float:
    """The initial height of the cut: the middle of the longest interval with a constant number of large clusters.

    Only intervals with at least two large clusters count; if there is none, the cut lies above the tree.
    """
    heights, n, smallest = tree.heights, tree.n, smallest_size(tree.n)
    enough = np.concatenate([np.zeros(n, bool), tree.Z[:, 3] >= smallest])
    a, b = tree.Z[:, :2].astype(np.intp).T
    change = enough[n:].astype(np.intp) - enough[a] - enough[b]
    large = np.cumsum(change)  # number of large clusters after each merge
    after = np.append(0, np.flatnonzero(change)) if n > 2 else np.zeros(0, np.intp)
    stays = heights[np.append(after[1:], n - 2)] - heights[after] if len(after) else np.zeros(0)
    stays = np.where(large[after] >= 2, stays, 0.0)
    if not (stays > 0).any():
        return 1.02 * float(heights[-1])
    k = int(stays.argmax())
    return float(heights[after[k]] + stays[k] / 2)


class DistanceView:
    """The matrix of distances, in the order of the leaves."""

    def __init__(self, style: Any, colors: Any) -> None:
        self.image, self.strip = ColumnDataSource({"image": []}), ColumnDataSource()
        self.shades = LinearColorMapper(palette=Magma256, low=0, high=1, nan_color="#999999")
        self.figure = empty_figure(
            "heat", "matrix of distances, dark where points are near", 260, style, tools="pan,wheel_zoom,reset,save",
            x_range=Range1d(-0.04, 1), y_range=Range1d(0, 1),
        )  # fmt: skip
        self.figure.image(
            "image", x=0, y=0, dw=1, dh=1, source=self.image, color_mapper=self.shades, anchor="bottom_left",
            origin="top_left",
        )  # fmt: skip
        self.figure.rect(
            "x", "y", width=0.03, height="size", source=self.strip, fill_color={"field": "c", "transform": colors},
            line_color=None,
        )  # fmt: skip
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        bar = ColorBar(
            color_mapper=self.shades, width=10, padding=4, background_fill_alpha=0, bar_line_color=None,
            major_label_text_font_size="12px",
        )  # fmt: skip
        self.figure.add_layout(bar, "right")
        self.note = html("", style)
        self.card = card(
            "Distances", "in the order of the leaves; dark is near", [self.figure, self.note], style, "small"
        )
        self.models = {"strip": self.strip, "matrix": self.figure}

    def show(self, scene: Scene) -> None:
        """Show the matrix of a scene."""
        self.card.visible = scene.matrix is not None and scene.shown is not None
        if scene.matrix is None or scene.shown is None:
            self.strip.data = {"x": [], "y": [], "size": [], "point": [], "c": []}
            return
        matrix, k = np.where(np.isfinite(scene.matrix), scene.matrix, np.nan), len(scene.shown)
        self.image.data = {"image": [matrix]}
        self.shades.update(high=float(np.nanmax(matrix)) or 1.0)
        self.strip.data = {
            "x": np.full(k, -0.02), "y": 1 - (np.arange(k) + 0.5) / k, "size": np.full(k, 1.02 / k),
            "point": scene.shown.astype(np.int32), "c": np.full(k, -1, np.float32),
        }  # fmt: skip
        write_note(self.note, f"{k:,} of {counted(scene.n, 'point')}" if k < scene.n else "")


class NeighborView:
    """The number of neighbors as a function of the radius, with ε as a line and a slider for log₁₀ ε.

    `radius.value_throttled` changes on release. Without `moving` the radius cannot be changed.
    """

    def __init__(self, style: Any, *, moving: bool = True) -> None:
        self.curve = ColumnDataSource({"r": [], "k": []})
        self.figure = empty_figure(
            "neighbors", "points within a radius, on logarithmic scales", 260, style, tools="reset,save",
            active_drag=None, x_axis_type="log", y_axis_type="log", x_range=Range1d(0.1, 10), y_range=Range1d(0.8, 10),
        )  # fmt: skip
        self.figure.line("r", "k", source=self.curve, line_width=2.5, line_color="#0072B2", name="line")
        self.figure.xaxis.axis_label, self.figure.yaxis.axis_label = plain("radius ε"), plain("points within ε")
        for axis, grid in zip(self.figure.axis, self.figure.grid, strict=True):
            axis.ticker = grid.ticker = FixedTicker(ticks=[])
            axis.formatter = CustomJSTickFormatter(code="return String(Number(tick.toPrecision(3)))")
        self.suggested = Span(dimension="height", location=None, line_dash="dotted", line_width=2)
        self.line = _movable("height")
        self.figure.add_layout(self.suggested)
        self.radius = Slider(
            title="ε of the balls", start=-1, end=1, step=0.01, value=0, sizing_mode="stretch_width",
            format=CustomJSTickFormatter(code="return String(Number((10 ** tick).toPrecision(3)))"),
            stylesheets=[style],
        )  # fmt: skip
        self.note = html("", style)
        hint, controls = "dotted: suggested ε", []
        if moving:
            self.figure.add_layout(self.line)
            hint, controls = f"dashed: current ε, drag to change; {hint}", [side_by_side(self.radius, style=style)]
        self.card = card("Neighbors", hint, [self.figure, *controls, self.note], style, "small near")
        self.models = {
            "radius": self.radius, "eps_line": self.line, "suggested": self.suggested, "near": self.figure,
        }  # fmt: skip

    def follow_theme(self) -> None:
        """Switch between light and dark colors without `Views`, as the only view on a page."""
        code = f"{static('theme.js')}\nconst dress = () => dressed([figure], [suggested]); whenDark(dress); dress()"
        act = CustomJS(args={"figure": self.figure, "suggested": self.suggested}, code=code)
        self.figure.js_on_change("inner_width", act)

    def show(self, curve: NeighborCounts | None, eps: float) -> None:
        """Show a curve, if there is one, and the radius."""
        self.card.visible = curve is not None
        is_known = math.isfinite(eps) and eps > 0
        self.line.update(location=eps if is_known else None, visible=is_known)
        current = math.log10(eps) if is_known else 0.0
        low, high = current - SLIDER_DECADES, current + SLIDER_DECADES
        if curve is not None:
            keep = (curve.radii > 0) & (curve.counts > 0)
            radii = np.asarray(curve.radii, np.float64)[keep]
            self.curve.data = {"r": radii, "k": np.asarray(curve.counts, np.float64)[keep]}
            self.suggested.location = curve.suggested
            write_note(self.note, f"suggested: {curve.suggested:.4g}{', ' + curve.reason if curve.reason else ''}")
            marked = [value for value in (*radii, curve.suggested, eps) if value > 0 and math.isfinite(value)]
            if len(radii):
                ends = [math.log10(radii[0]), math.log10(radii[-1])] + [current] * is_known
                low, high = min(ends), max(ends)
                self._frame((min(marked), max(marked)), self.curve.data["k"])
        if high - low < 1e-6:
            low, high = low - SLIDER_DECADES, high + SLIDER_DECADES
        value = current if is_known else (low + high) / 2
        self.radius.update(
            start=low, end=high, step=(high - low) / 400, value=value, disabled=not is_known, visible=is_known
        )

    def _frame(self, across: tuple[float, float], counts: Floats) -> None:
        """Set the limits to show the whole curve and the marked radii."""
        for axis, grid, range_, (low, high) in zip(
            (self.figure.xaxis, self.figure.yaxis), (self.figure.xgrid, self.figure.ygrid),
            (self.figure.x_range, self.figure.y_range), (across, (float(counts.min()), float(counts.max()))),
            strict=True,
        ):  # fmt: skip
            room = max((high / low) ** 0.04, 1.05)
            ends = {"start": low / room, "end": high * room}
            range_.update(**ends, **{f"reset_{name}": value for name, value in ends.items()})
            axis[0].ticker.ticks = grid[0].ticker.ticks = ticks(low / room, high * room)


def ticks(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis: powers of ten, or 1, 2 and 5 times them if the range is short."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if high / low <= MAX_RATIO_WITH_2_AND_5:
        values = [float(f"{k}e{e}") for e in powers for k in (1, 2, 5)]
    else:
        inside = [e for e in powers if low <= 10.0**e <= high]
        values = [float(f"1e{e}") for e in inside[:: math.ceil(len(inside) / MAX_POWER_TICKS)]]
    return [value for value in values if low <= value <= high]
