"""The views of the last metric: the dendrogram with its cut, and a matrix of distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bokeh.models import ColorBar, ColumnDataSource, LinearColorMapper, Range1d, Slider, Span
from bokeh.palettes import Magma256

from .._display import counted
from ..hierarchy import Tree
from ..plotting import branches, highest_merges, node_positions
from .figures import card, empty_figure, html, plain, side_by_side, write_note
from .scene import Scene

MAX_LEAVES = 2_000  # most leaves drawn
# smallest size of a numbered cluster: in points, and as a share of all points
MIN_CLUSTER_POINTS, MIN_CLUSTER_SHARE = 2, 0.01


class DendrogramView:
    """The figure, its data sources, and the cut as a movable line and a slider; the browser sets height and colors."""

    def __init__(self, style: Any, colors: Any) -> None:
        self.tree = ColumnDataSource()
        self.branches = ColumnDataSource({"xs": [], "ys": [], "h": [], "c": [], "node": []})
        self.figure = empty_figure(
            "dendrogram", "the dendrogram with the height at which it is cut", 270, style,
            tools="xpan,xwheel_zoom,reset,save", active_drag=None, x_range=Range1d(-0.5, 1.5), y_range=Range1d(0, 1),
        )  # fmt: skip
        look = {"field": "c", "transform": colors}
        self.figure.multi_line("xs", "ys", source=self.branches, line_color=look, line_width=1.4)
        self.figure.xaxis.visible = False
        self.figure.xgrid.visible = False
        self.figure.yaxis.axis_label = plain("height")
        self.line = Span(
            dimension="width", location=None, editable=True, line_width=3, line_dash="dashed", level="overlay",
            hover_line_color="#D55E00", hover_line_alpha=1.0,
        )  # fmt: skip
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
            "tree": self.tree, "branches": self.branches, "cut": self.cut, "cut_line": self.line, "said": self.said,
            "dendrogram": self.figure,
        }  # fmt: skip

    def show(self, scene: Scene) -> None:
        """Show the tree of a scene, of a large tree the highest merges."""
        self.card.visible = scene.tree is not None
        Z = np.empty((0, 4)) if scene.tree is None else scene.tree.Z
        self.tree.data = {"a": Z[:, 0].astype(np.int32), "b": Z[:, 1].astype(np.int32), "h": Z[:, 2].copy()}
        if scene.tree is None:
            return
        n, drawn = scene.tree.n, highest_merges(branches(scene.tree), MAX_LEAVES)
        along, level, (a, b) = node_positions(drawn), drawn.heights[drawn.n :], drawn.pairs.T
        self.branches.data = {
            "xs": np.stack([along[a], along[a], along[b], along[b]], axis=1).tolist(),
            "ys": np.stack([drawn.heights[a], level, level, drawn.heights[b]], axis=1).tolist(),
            "h": level.copy(), "c": np.full(len(level), -2, np.float32),
            "node": np.arange(2 * n - 1 - len(level), 2 * n - 1, dtype=np.int32),
        }  # fmt: skip
        end, margin = 1.05 * (float(Z[-1, 2]) or 1.0), max(0.5, 0.01 * drawn.n)
        for limits, start, stop in (
            (self.figure.y_range, 0, end),
            (self.figure.x_range, -margin, drawn.n - 1 + margin),
        ):
            limits.update(start=start, end=stop, reset_start=start, reset_end=stop)
        left_out = f"the {drawn.n:,} highest branches of {n:,} leaves; the cut works on all"
        write_note(self.note, left_out if drawn.n < n else "")


def smallest_size(n: int) -> int:
    """Smallest size of a numbered cluster of n points."""
    return max(MIN_CLUSTER_POINTS, math.ceil(MIN_CLUSTER_SHARE * n))


def first_cut(tree: Tree) -> float:
    """The initial height of the cut: the middle of the longest interval with a constant number of large clusters.

    Only intervals with at least two large clusters count; if there is none, the cut lies above the tree.
    """
    heights, n = tree.heights, tree.n
    is_large = np.concatenate([np.zeros(n, bool), tree.Z[:, 3] >= smallest_size(n)])
    a, b = tree.Z[:, :2].astype(np.intp).T
    change = is_large[n:].astype(np.intp) - is_large[a] - is_large[b]
    n_large, changed = np.cumsum(change), np.flatnonzero(change)  # the number of large clusters after each merge
    starts, ends = heights[changed[:-1]], heights[changed[1:]]
    lengths = np.where(n_large[changed[:-1]] >= 2, ends - starts, 0.0)
    if not (lengths > 0).any():
        return 1.02 * float(heights[-1])
    k = int(lengths.argmax())
    return float(starts[k] + lengths[k] / 2)


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
        bar = ColorBar(color_mapper=self.shades, width=10, padding=4, background_fill_alpha=0, bar_line_color=None)
        self.figure.add_layout(bar, "right")
        self.note = html("", style)
        self.card = card(
            "Distances", "in the order of the leaves; dark is near", [self.figure, self.note], style, "small"
        )
        self.models = {"strip": self.strip, "matrix": self.figure}

    def show(self, scene: Scene) -> None:
        """Show the matrix of a scene."""
        self.card.visible = scene.matrix is not None
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
