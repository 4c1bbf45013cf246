"""The operations a backend answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine
from ..kernels.patches import Window
from .forms import Form
from .frame import Extent, Frame
from .images import Features, Grid, Image, Links, Motion, Moved, Picture
from .memory import Memory
from .records import Balls, Nearest, Neighborhoods, ReachTree, Report, Rows
from .words import ContextRows, Packed, Singles, Spreads, Stretch

_TOGETHER = 1 << 18  # distances that are looked at together


@dataclass(frozen=True)
class Ground:
    """What discrete measures live on: a metric, whether the triangle inequality holds, and the order p of W_p."""

    form: Form
    triangle: bool
    p: float


class Backend(ABC):
    """Who computes: distances, neighborhoods, trees and transport, of metrics given as forms.

    A backend of one's own derives from `Cpu`, answers what it is good at, and leaves the rest to that. Results must
    agree within its stated tolerance; the laws of the test suite run over every backend in `BACKENDS`.
    """

    name: str

    def n_cores(self, engine: Engine) -> float:
        """How many cores of a CPU it is worth, about: for estimates of time."""
        return engine.n_threads

    @abstractmethod
    def block(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        """Distances of the points `rows` to the points `cols`."""

    def n_within(self, form: Form, rows: Ints, radius: float, engine: Engine) -> Ints:
        """How many points lie within the radius of each of the points `rows`, itself included."""
        everybody, step = np.arange(form.n), max(1, _TOGETHER // form.n)
        blocks = (self.block(form, rows[k : k + step], everybody, engine) for k in range(0, len(rows), step))
        counts = [np.count_nonzero(block <= radius, axis=1) for block in blocks]
        return np.concatenate([np.empty(0, np.intp), *counts])

    @abstractmethod
    def pairs(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        """Distances of the points rows[k] and cols[k]."""

    @abstractmethod
    def dense(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        """Fill the n × n matrix `out`, float32 or float64, perhaps of a file."""

    @abstractmethod
    def condensed(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        """Fill the n(n−1)/2 distances in SciPy's order."""

    @abstractmethod
    def movement(self, before: Form, after: Form, engine: Engine) -> float:
        """The largest distance of a point to its later self; both forms are of the same kind."""

    @abstractmethod
    def part_movement(self, before: Form, after: Form, unit: float, planar: bool, engine: Engine) -> tuple[float, bool]:
        """The same of a part of a cloud, in the unit of the whole, by the formulas of the plane or others.

        The second answer is whether these formulas are good for all points of the part.
        """

    @abstractmethod
    def balls(self, form: Form, radius: float, engine: Engine) -> Balls:
        """The closed balls of the given radius around every point."""

    @abstractmethod
    def nearest(self, form: Form, k: int, of: Form | None, engine: Engine) -> Nearest:
        """The k nearest other points of every point, or the k nearest points of `form` for every point of `of`."""

    @abstractmethod
    def neighborhoods(
        self, form: Form, weights: Floats, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
    ) -> Neighborhoods:
        """What the points from `first` on see within `reach`, weighted by profile(d²/ε²)."""

    @abstractmethod
    def working_bytes(self, form: Form, state: float, engine: Engine) -> float:
        """Memory that a step of means and covariances takes beside its result, which holds `state` bytes."""

    @abstractmethod
    def ridge_step(self, points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine) -> Floats:
        """Where points move: towards means, off the `dim` leading eigenvectors of their covariances, 0 < dim < m.

        Leading ones that agree with the next are none.
        """

    @abstractmethod
    def leaders(self, form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
        """For every point the earliest that leads and lies within `tol`, points with mass before others."""

    @abstractmethod
    def frame(self, form: Form, reach: float, engine: Engine) -> Frame | None:
        """The frame of a whole cloud for neighborhoods of that reach; None where parts cannot be computed alone."""

    @abstractmethod
    def extent(self, form: Form, engine: Engine) -> Extent:
        """What the frame of a cloud depends on, of a part of it or of all."""

    @abstractmethod
    def frame_of_parts(self, extent: Extent, reach: float, occupied: Callable[[Frame], list[Floats]]) -> Frame:
        """The frame of a whole cloud of that extent, as `frame` gives it.

        `occupied(frame)` tells, along each axis of a frame, the cells that hold points, rising: of a few clouds the
        extent does not say enough.
        """

    @abstractmethod
    def cells(self, form: Form, frame: Frame) -> Floats:
        """The cell of each point, a row of whole numbers; no ball reaches farther than `per_reach` + 1 cells."""

    @abstractmethod
    def spanning_tree(self, form: Form, engine: Engine) -> tuple[Ints, Floats]:
        """Edges and heights of the minimum spanning tree, in no order."""

    @abstractmethod
    def reach_tree(self, form: Form, cores: Floats, engine: Engine) -> ReachTree:
        """The minimum spanning tree of max(d(x, y), cores[x], cores[y]), among equal ones by d."""

    @abstractmethod
    def exact_among(self, ground: Ground, measures: Rows, engine: Engine) -> tuple[Floats, Report]:
        """W_p of all pairs of measures, as a full matrix."""

    @abstractmethod
    def exact_between(self, ground: Ground, A: Rows, B: Rows, engine: Engine) -> tuple[Floats, Report]:
        """W_p from every measure of A to every measure of B."""

    @abstractmethod
    def exact_listed(
        self, ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine,
        rank: Ints | None = None, homes: Ints | None = None, memory: Memory | None = None,
    ) -> tuple[Floats, Report]:  # fmt: skip
        """W_p from each measure i of A to the measures `targets[indptr[i]:indptr[i+1]]` of B, in that order.

        `rank` orders the measures of B such that near ones are near. On a network, paths are looked for around
        `homes[i]`, by default where the measure i has most of its mass. `memory` is for problems that come again.
        """

    @abstractmethod
    def exact_at_most(self, ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine) -> Floats:
        """Upper bounds of the same: costs of plans that are at hand."""

    @abstractmethod
    def line_among(self, places: Floats, p: float, measures: Rows, engine: Engine) -> Floats:
        """W_p of all pairs of measures on the real line, as a full matrix."""

    @abstractmethod
    def line_between(self, places: Floats, p: float, A: Rows, B: Rows, engine: Engine) -> Floats:
        """W_p from every measure of A to every measure of B on the real line."""

    @abstractmethod
    def range_features(self, picture: Picture, engine: Engine) -> Features:
        """The numbers that values of a picture are compared by."""

    @abstractmethod
    def painted(self, picture: Picture, modes: Floats, engine: Engine) -> np.ndarray:
        """The picture with the range features that `modes` end with, in its dtype and range.

        What is outside the mask stays as it is, as does a channel of opacity.
        """

    @abstractmethod
    def shift_pixels(self, image: Image, window: Window, motion: Motion, engine: Engine) -> Moved:
        """Take each pixel to the mean of the pixels that its window holds, again and again, until it rests.

        The window is that of the pixel's own place; of its pixels count those within `motion.range` of where its value
        has moved to, and for λ > 0 those alike in shape: ‖x − y‖² + λ·dcov²(Σ(y), Σ) ≤ spatial², Σ(y) the covariance
        of the places that the window of y holds near its value. Pixels themselves stay as they are: each moves alone.
        """

    @abstractmethod
    def link_touching(self, modes: Floats, grid: Grid, links: Links, engine: Engine) -> tuple[Ints, int]:
        """The region of each moved pixel, by first pixels, −1 outside the mask; and the number of regions.

        Regions are what hangs together by links of pixels that touch along an axis. `modes` are one row a pixel, and
        may lie where `shift_pixels` left them.
        """

    @abstractmethod
    def region_sums(self, labels: Ints, values: Floats, first: int, engine: Engine) -> tuple[Floats, Ints]:
        """Sums over each region, and sizes; of the columns of `values`, one row a pixel, from `first` on.

        −1 is no region. `values` may lie where `shift_pixels` left them.
        """

    @abstractmethod
    def touching(self, labels: Ints, engine: Engine) -> Ints:
        """Pairs of regions that touch along an axis, each once, the smaller number first, sorted. −1 is no region."""

    @abstractmethod
    def count_contexts(self, text: Stretch, weights: Floats, n: int, engine: Engine) -> ContextRows:
        """Who of n words stands within len(weights) places of whom; at distance d that counts weights[d − 1].

        A window ends at a border between documents.
        """

    @abstractmethod
    def word_factors(self, spreads: Spreads, rows: Ints, starts: Ints, out: Singles, engine: Engine) -> None:
        """Fill `out`, perhaps of a file, with packed factors of the covariances of the words `rows`.

        That of rows[k] is out[starts[k]:starts[k + 1]], of as many rows as it has contexts, and those of the pooled
        root, at most m.
        """

    @abstractmethod
    def word_gaps(self, factors: Packed, ends: Ints, engine: Engine) -> Floats:
        """dcov² of pairs of covariances, a row of `ends` each."""

    @abstractmethod
    def word_means(
        self, contexts: ContextRows, points: Singles, squares: Floats, rows: Ints, engine: Engine
    ) -> tuple[Singles, Floats]:
        """Weighted means over the contexts of the words `rows`, of points and of numbers; 0 where there are none."""

    @abstractmethod
    def factor_forms(self, factors: Packed, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
        """xᵀΣx, xᵀΣy and yᵀΣy of each covariance, a row each; x is the direction of each, y the fixed one."""

    @abstractmethod
    def context_forms(
        self, contexts: ContextRows, points: Singles, rows: Ints, directions: Floats, fixed: Floats, offsets: Floats,
        engine: Engine,
    ) -> Floats:  # fmt: skip
        """The same of Σ weight·(v − c)(v − c)ᵀ over the contexts v of the words `rows`; `offsets` are x·c and y·c."""
