"""The dendrogram with its cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._types import Ints
from ...hierarchy import Tree
from ...plotting.dendrograms import as_tree, branches, places, top
from ..scene import Scene
from .cuts import start
from .plot import blank, card, html, plain, row, tell

_LEAVES = 2_000  # most leaves drawn
_STEPS = 500  # steps of the slider


class Dendrogram:
    """The figure, its data sources, and the cut as a movable line and a slider."""

    def __init__(self, style: Any, colors: Any) -> None:
        from bokeh.models import ColumnDataSource, Range1d, Slider, Span

        self.tree = ColumnDataSource(name="tree")
        self.branches = ColumnDataSource(name="branches")
        self.stubs = ColumnDataSource(name="stubs")
        self.figure = blank(
            "dendrogram", "the dendrogram with the height at which it is cut", 270, style,
            tools="xpan,xwheel_zoom,reset,save", active_drag=None, active_scroll=None, x_range=Range1d(-0.5, 1.5),
            y_range=Range1d(0, 1),
        )  # fmt: skip
        look = {"field": "c", "transform": colors}
        self.figure.patches("xs", "ys", source=self.stubs, fill_color=look, fill_alpha=0.4, line_color=None)
        self.figure.multi_line("xs", "ys", source=self.branches, line_color=look, line_width=1.4, name="branch")
        self.figure.xaxis.visible = False
        self.figure.xgrid.visible = False
        self.figure.yaxis.axis_label = plain("height")
        self.line = Span(
            name="cut_line", dimension="width", location=0, editable=True, line_width=3, line_dash="dashed",
            hover_line_color="#D55E00", hover_line_alpha=1.0, level="overlay",
        )  # fmt: skip
        self.figure.add_layout(self.line)
        self.cut = Slider(
            name="cut", title="cut at height", start=0, end=1, step=0.002, value=0, format="0[.]0000",
            sizing_mode="stretch_width", stylesheets=[style],
        )  # fmt: skip
        self.said = html("", style, "said", live=True)
        self.note = html("", style, "tree_note")
        self.card = card(
            "Dendrogram", "drag the dashed line, or move the slider: all views take the colors of the cut",
            [self.figure, row(self.cut, style=style), self.said, self.note], style, "tree",
        )  # fmt: skip

    def show(self, scene: Scene, *, keep: bool) -> None:
        """Show the tree of a scene; `keep` leaves the cut at the same relative height."""
        if scene.tree is None or not len(scene.tree):
            self.tree.data = {"a": [], "b": [], "h": []}
            self.branches.data = {"xs": [], "ys": [], "c": [], "leaf": [], "h": []}
            self.stubs.data = {"xs": [], "ys": [], "c": [], "leaf": [], "h": []}
            self.cut.disabled, self.line.visible = True, False
            return
        tree, before = as_tree(scene.tree), float(self.cut.value) / float(self.cut.end)
        self.tree.data = {
            "a": tree.Z[:, 0].astype(np.int32), "b": tree.Z[:, 1].astype(np.int32), "h": tree.Z[:, 2].copy(),
        }  # fmt: skip
        highest = float(tree.heights[-1]) or 1.0
        end = 1.05 * highest
        at = before * end if keep and not self.cut.disabled else min(start(scene.tree), end)
        self.cut.update(end=end, step=end / _STEPS, value=at, disabled=False, format=_format(end))
        self.line.update(location=at, visible=True)
        self.figure.y_range.update(start=0, end=end, reset_start=0, reset_end=end)
        self._lay_out(tree)

    def _lay_out(self, tree: Tree) -> None:
        everything = branches(tree)
        drawn = top(everything, _LEAVES)
        along, leaf = places(drawn), _leaves(tree)
        a, b = drawn.pairs.T
        level = drawn.heights[drawn.n :]
        x = np.stack([along[a], along[a], along[b], along[b]], axis=1)
        y = np.stack([drawn.heights[a], level, level, drawn.heights[b]], axis=1)
        self.branches.data = {
            "xs": list(x), "ys": list(y), "h": level.copy(), "leaf": leaf[-len(level) :].astype(np.int32),
            "c": np.full(len(level), -2, np.float32),
        }  # fmt: skip
        hidden = np.flatnonzero(drawn.heights[: drawn.n] > 0)
        below = _hidden(tree.n, everything.pairs, drawn.n)
        foot, peak = along[hidden, None] + [0.0, -0.4, 0.4], drawn.heights[hidden, None] * [1.0, 0.0, 0.0]
        self.stubs.data = {
            "xs": list(foot), "ys": list(peak), "h": drawn.heights[hidden],
            "leaf": leaf[below[hidden]].astype(np.int32) if len(hidden) else np.zeros(0, np.int32),
            "c": np.full(len(hidden), -2, np.float32),
        }  # fmt: skip
        margin = max(0.5, 0.01 * drawn.n)
        edges = {"start": -margin, "end": drawn.n - 1 + margin}
        self.figure.x_range.update(**edges, **{f"reset_{name}": value for name, value in edges.items()})
        left_out = f"the {drawn.n:,} highest branches of {tree.n:,} leaves; the cut works on all"
        tell(self.note, left_out if tree.n > _LEAVES else "")


def _leaves(tree: Tree) -> Ints:
    """A leaf below each node."""
    leaf = np.arange(2 * tree.n - 1)
    for k, first in enumerate(tree.Z[:, 0].astype(np.intp).tolist()):
        leaf[tree.n + k] = leaf[first]
    return leaf


def _hidden(n: int, pairs: Any, most: int) -> Any:
    """The nodes that are drawn as leaves, in order."""
    if n <= most:
        return np.arange(n)
    first = 2 * n - most
    shown = pairs[n - most :]
    return np.unique(shown[shown < first])


def _format(end: float) -> str:
    return "0[.]0000" if 0.01 <= end < 1e6 else "0.000e+0"
