"""The backend in numba: cells, bits, geometries and k-d trees are its own business."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ...kernels.patches import Window
from ..base import Backend, Ground
from ..forms import Cloud, Form, GaussianCloud
from ..frame import Frame
from ..images import Image, Motion, Moved
from ..memory import Memory
from ..records import Balls, Nearest, Neighborhoods, ReachTree, Report, Rows
from ..words import ContextRows, Packed, Singles, Spreads, Stretch
from . import balls, gaussian, line, matrices, merging, nearest, neighborhoods, pixels, reach, trees, words
from .exact import batch
from .search import frame_of, raw_cells


class Cpu(Backend):
    """All operations on the host, compiled by numba, tiles run by the engine's executor."""

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

    def leaders(self, form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
        return merging.leaders(form, weights, tol, engine)

    def frame(self, form: Form, reach: float, engine: Engine) -> Frame | None:
        if not np.isfinite(reach):
            return None
        if isinstance(form, Cloud):
            return frame_of(form.points, reach, engine)
        if isinstance(form, GaussianCloud):
            unit = gaussian.unit_of(form.covs, engine)
            return frame_of(form.means, reach, engine)._replace(unit=unit, planar=gaussian.is_planar(form.covs, unit))
        return None

    def cells(self, form: Form, frame: Frame) -> Floats:
        assert isinstance(form, Cloud | GaussianCloud)
        return raw_cells(form.points if isinstance(form, Cloud) else form.means, frame)

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

    def shift_pixels(self, image: Image, window: Window, motion: Motion, engine: Engine) -> Moved:
        return pixels.shift_pixels(image, window, motion, engine)

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
