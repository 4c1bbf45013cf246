"""The CPU backend, compiled by Numba."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ...kernels.patches import Window
from ..base import Backend, Ground
from ..forms import Cloud, Form, GaussianCloud
from ..frame import Extent, Frame, unit_of_size
from ..images import Features, Grid, Image, Links, Motion, Moved, Picture
from ..memory import Memory
from ..records import Balls, Nearest, Neighborhoods, ReachTree, Report, Rows
from ..words import ContextRows, Packed, Singles, Spreads, Stretch
from . import (
    balls,
    colors,
    gaussian,
    line,
    matrices,
    merging,
    nearest,
    neighborhoods,
    pixels,
    reach,
    regions,
    ridges,
    trees,
    words,
)
from .exact import batch
from .passes import bounds
from .search import frame_of_extent, raw_cells
from .sorting import cells_along, cells_among


class Cpu(Backend):
    """All operations on the CPU, compiled by Numba; tiles are run by the executor of the engine."""

    name = "cpu"

    def block(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        return matrices.block(form, rows, cols, engine)

    def pairs(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        return matrices.pairs(form, rows, cols, engine)

    def dense(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        matrices.dense(form, out, engine)

    def condensed(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        matrices.condensed(form, out, engine)

    def movement(self, before: Form, after: Form, engine: Engine) -> float:
        return matrices.movement(before, after, engine)

    def balls(self, form: Form, radius: float, engine: Engine) -> Balls:
        return balls.balls(form, radius, engine)

    def nearest(self, form: Form, k: int, of: Form | None, engine: Engine) -> Nearest:
        return nearest.nearest(form, k, of, engine)

    def neighborhoods(
        self, form: Form, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
    ) -> Neighborhoods:
        found = neighborhoods.Neighborhoods.of(form, weights, profile, eps, reach, engine, first)
        return found.cached() if found.is_expensive else found

    def working_bytes(self, form: Form, state: float, engine: Engine) -> float:
        return neighborhoods.working_bytes(form, state, engine)

    def ridge_step(self, points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine) -> Floats:
        return ridges.ridge_step(points, means, covs, dim, engine)

    def leaders(self, form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
        return merging.leaders(form, weights, tol, engine)

    def part_movement(self, before: Form, after: Form, unit: float, planar: bool, engine: Engine) -> tuple[float, bool]:
        return matrices.part_movement(before, after, unit, planar, engine)

    def frame(self, form: Form, reach: float, engine: Engine) -> Frame | None:
        if not np.isfinite(reach) or not isinstance(form, Cloud | GaussianCloud):
            return None
        extent, points = self.extent(form, engine), _points(form)
        low, high = np.array(extent.low), np.array(extent.high)
        return _frame(extent, reach, lambda frame: cells_along(points, frame, low, high, engine))

    def extent(self, form: Form, engine: Engine) -> Extent:
        assert isinstance(form, Cloud | GaussianCloud)
        low, high = bounds(_points(form), engine)
        sizes = gaussian.sizes(form, engine) if isinstance(form, GaussianCloud) else ()
        return Extent(form.n, tuple(low.tolist()), tuple(high.tolist()), *sizes)

    def frame_of_parts(self, extent: Extent, reach: float, occupied: Callable[[Frame], list[Floats]]) -> Frame:
        return _frame(extent, reach, lambda frame: cells_among(occupied(frame), frame))

    def cells(self, form: Form, frame: Frame) -> Floats:
        assert isinstance(form, Cloud | GaussianCloud)
        return raw_cells(_points(form), frame)

    def spanning_tree(self, form: Form, engine: Engine) -> tuple[Ints, Floats]:
        return trees.spanning_tree(form, engine)

    def reach_tree(self, form: Form, cores: Floats, engine: Engine) -> ReachTree:
        return reach.reach_tree(form, cores, engine)

    def exact_among(self, ground: Ground, measures: Rows, engine: Engine) -> tuple[Floats, Report]:
        return batch.among(ground, measures, engine)

    def exact_between(self, ground: Ground, A: Rows, B: Rows, engine: Engine) -> tuple[Floats, Report]:
        return batch.between(ground, A, B, engine)

    def exact_listed(
        self, ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine,
        rank: Ints | None = None, homes: Ints | None = None, memory: Memory | None = None,
    ) -> tuple[Floats, Report]:  # fmt: skip
        return batch.listed(ground, A, B, indptr, targets, engine, rank, homes, memory)

    def exact_at_most(self, ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine) -> Floats:
        return batch.at_most(ground, A, B, indptr, targets, engine)

    def line_among(self, places: Floats, p: float, measures: Rows, engine: Engine) -> Floats:
        return line.among(places, p, measures, engine)

    def line_between(self, places: Floats, p: float, A: Rows, B: Rows, engine: Engine) -> Floats:
        return line.between(places, p, A, B, engine)

    def range_features(self, picture: Picture, engine: Engine) -> Features:
        return colors.range_features(picture, engine)

    def painted(self, picture: Picture, modes: Floats, engine: Engine) -> np.ndarray:
        return colors.painted(picture, modes, engine)

    def shift_pixels(self, image: Image, window: Window, motion: Motion, engine: Engine) -> Moved:
        return pixels.shift_pixels(image, window, motion, engine)

    def link_touching(self, modes: Floats, grid: Grid, links: Links, engine: Engine) -> tuple[Ints, int]:
        return regions.link_touching(modes, grid, links, engine)

    def region_sums(self, labels: Ints, values: Floats, first: int, engine: Engine) -> tuple[Floats, Ints]:
        return regions.region_sums(labels, values, first)

    def touching(self, labels: Ints, engine: Engine) -> Ints:
        return regions.touching(labels, engine)

    def count_contexts(self, text: Stretch, weights: Floats, n: int, engine: Engine) -> ContextRows:
        return words.count_contexts(text, weights, n, engine)

    def word_factors(self, spreads: Spreads, rows: Ints, starts: Ints, out: Singles, engine: Engine) -> None:
        words.word_factors(spreads, rows, starts, out, engine)

    def word_gaps(self, factors: Packed, ends: Ints, engine: Engine) -> Floats:
        return words.word_gaps(factors, ends, engine)

    def word_means(
        self, contexts: ContextRows, points: Singles, squares: Floats, rows: Ints, engine: Engine
    ) -> tuple[Singles, Floats]:
        return words.word_means(contexts, points, squares, rows, engine)

    def factor_forms(self, factors: Packed, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
        return words.factor_forms(factors, directions, fixed, engine)

    def context_forms(
        self, contexts: ContextRows, points: Singles, rows: Ints, directions: Floats, fixed: Floats, offsets: Floats,
        engine: Engine,
    ) -> Floats:  # fmt: skip
        return words.context_forms(contexts, points, rows, directions, fixed, offsets, engine)


def _points(form: Cloud | GaussianCloud) -> Floats:
    return form.points if isinstance(form, Cloud) else form.means


def _frame(extent: Extent, reach: float, cells_along: Callable[[Frame], Floats]) -> Frame:
    frame = frame_of_extent(np.array(extent.low), np.array(extent.high), extent.n, reach, cells_along)
    if extent.largest is None:
        return frame
    unit = unit_of_size(extent.largest)
    return frame._replace(unit=unit, planar=len(extent.low) == 2 and gaussian.is_plain(extent.least, unit))
