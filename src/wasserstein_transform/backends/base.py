"""The operations that a backend implements."""

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

_TOGETHER = 1 << 18  # distances computed at a time


@dataclass(frozen=True)
class Ground:
    """The ground of discrete measures: a metric, whether the triangle inequality holds, and the order p of W_p."""

    form: Form
    triangle: bool
    p: float


class Backend(ABC):
    """Base class of backends: distances, neighborhoods, trees and transport for metrics given as forms.

    A custom backend derives from `Cpu` and overrides the operations that it can do faster. Its results must agree
    within its stated tolerance; the general properties in the test suite are checked for every backend in `BACKENDS`.
    """

    name: str

    def n_cores(self, engine: Engine) -> float:
        """Approximate speed in CPU cores, for estimates of running time."""
        return engine.n_threads

    @abstractmethod
    def block(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        """Distances of the points `rows` to the points `cols`."""

    def n_within(self, form: Form, rows: Ints, radius: float, engine: Engine) -> Ints:
        """Number of points within the radius of each of the points `rows`, including itself."""
        everybody, step = np.arange(form.n), max(1, _TOGETHER // form.n)
        blocks = (self.block(form, rows[k : k + step], everybody, engine) for k in range(0, len(rows), step))
        counts = [np.count_nonzero(block <= radius, axis=1) for block in blocks]
        return np.concatenate([np.empty(0, np.intp), *counts])

    @abstractmethod
    def pairs(self, form: Form, rows: Ints, cols: Ints, engine: Engine) -> Floats:
        """Distances of the points rows[k] and cols[k]."""

    @abstractmethod
    def dense(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        """Fill the n × n matrix `out`, float32 or float64, which may be a memory-mapped file."""

    @abstractmethod
    def condensed(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        """Fill the n(n−1)/2 distances in SciPy's order."""

    @abstractmethod
    def movement(self, before: Form, after: Form, engine: Engine) -> float:
        """The largest distance between the same point before and after; both forms have the same type."""

    @abstractmethod
    def part_movement(self, before: Form, after: Form, unit: float, planar: bool, engine: Engine) -> tuple[float, bool]:
        """The same for a part of a cloud, in the unit of the whole, with the formulas for the plane or general ones.

        The second result is whether these formulas are accurate for all points of the part.
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
        """The neighborhoods within `reach` of the points from `first` on, weighted by profile(d²/ε²)."""

    @abstractmethod
    def working_bytes(self, form: Form, state: float, engine: Engine) -> float:
        """Bytes of memory for a step of means and covariances, besides its result of `state` bytes."""

    @abstractmethod
    def ridge_step(self, points: Floats, means: Floats, covs: Floats, dim: int, engine: Engine) -> Floats:
        """Positions after moving toward the means, orthogonally to the `dim` leading eigenvectors of the covariances.

        0 < dim < m. A leading eigenvector whose eigenvalue equals the next one is ignored.
        """

    @abstractmethod
    def leaders(self, form: Form, weights: Floats, tol: float, engine: Engine) -> Ints:
        """For every point, the first leader within `tol`; points with mass come before points without."""

    @abstractmethod
    def frame(self, form: Form, reach: float, engine: Engine) -> Frame | None:
        """The frame of a whole cloud for neighborhoods with this reach; None if it cannot be computed in parts."""

    @abstractmethod
    def extent(self, form: Form, engine: Engine) -> Extent:
        """The data that the frame of a cloud depends on, for a part of the cloud or all of it."""

    @abstractmethod
    def frame_of_parts(self, extent: Extent, reach: float, occupied: Callable[[Frame], list[Floats]]) -> Frame:
        """The frame of a whole cloud with this extent, equal to that of `frame`.

        `occupied(frame)` returns, for each axis of a frame, the cells that hold points in increasing order; it is
        needed for a few clouds whose extent is not enough.
        """

    @abstractmethod
    def cells(self, form: Form, frame: Frame) -> Floats:
        """The cell of each point, as a row of integers; no ball reaches farther than `per_reach` + 1 cells."""

    @abstractmethod
    def spanning_tree(self, form: Form, engine: Engine) -> tuple[Ints, Floats]:
        """Edges and heights of the minimum spanning tree, in any order."""

    @abstractmethod
    def reach_tree(self, form: Form, cores: Floats, engine: Engine) -> ReachTree:
        """The minimum spanning tree of max(d(x, y), cores[x], cores[y]), with ties broken by d."""

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

        `rank` orders the measures of B such that similar ones have similar ranks. On a network, paths are searched
        around the node `homes[i]`, by default the one with the largest mass of measure i. `memory` keeps solutions for
        problems that are solved again with other edge lengths.
        """

    @abstractmethod
    def exact_at_most(self, ground: Ground, A: Rows, B: Rows, indptr: Ints, targets: Ints, engine: Engine) -> Floats:
        """Upper bounds of the same distances: costs of feasible plans."""

    @abstractmethod
    def line_among(self, places: Floats, p: float, measures: Rows, engine: Engine) -> Floats:
        """W_p of all pairs of measures on the real line, as a full matrix."""

    @abstractmethod
    def line_between(self, places: Floats, p: float, A: Rows, B: Rows, engine: Engine) -> Floats:
        """W_p from every measure of A to every measure of B on the real line."""

    @abstractmethod
    def range_features(self, picture: Picture, engine: Engine) -> Features:
        """The features by which pixel values are compared."""

    @abstractmethod
    def painted(self, picture: Picture, modes: Floats, engine: Engine) -> np.ndarray:
        """The image with the range features in the last columns of `modes`, in its dtype and range.

        Pixels outside the mask and the opacity channel stay unchanged.
        """

    @abstractmethod
    def shift_pixels(self, image: Image, window: Window, motion: Motion, engine: Engine) -> Moved:
        """Move each pixel to the mean of the pixels in its window repeatedly, until it converges.

        The window is centered at the original position of the pixel. A pixel y of the window counts if its value is
        within `motion.range` of the moved value and, for λ > 0, if ‖x − y‖² + λ·dcov²(Σ(y), Σ) ≤ spatial², where Σ(y)
        is the covariance of the positions in the window of y with values near that of y. Neighbors are always original
        pixels: pixels move independently.
        """

    @abstractmethod
    def link_touching(self, modes: Floats, grid: Grid, links: Links, engine: Engine) -> tuple[Ints, int]:
        """The region of each moved pixel, numbered by first pixels, −1 outside the mask; and the number of regions.

        Regions are the connected components of links between adjacent pixels. `modes` has one row per pixel and may be
        on the device, as `shift_pixels` returns it.
        """

    @abstractmethod
    def region_sums(self, labels: Ints, values: Floats, first: int, engine: Engine) -> tuple[Floats, Ints]:
        """Sums over each region of the columns of `values` from `first` on (one row per pixel), and sizes of regions.

        −1 is no region. `values` may be on the device, as `shift_pixels` returns it.
        """

    @abstractmethod
    def touching(self, labels: Ints, engine: Engine) -> Ints:
        """Pairs of adjacent regions, each once, with the smaller number first, sorted. −1 is no region."""

    @abstractmethod
    def count_contexts(self, text: Stretch, weights: Floats, n: int, engine: Engine) -> ContextRows:
        """Counts of word pairs within len(weights) positions of each other; distance d counts weights[d − 1].

        Windows do not cross borders between documents. There are n words.
        """

    @abstractmethod
    def word_factors(self, spreads: Spreads, rows: Ints, starts: Ints, out: Singles, engine: Engine) -> None:
        """Fill `out`, which may be a memory-mapped file, with packed factors of the covariances of the words `rows`.

        The factor of rows[k] is out[starts[k]:starts[k + 1]], with one row for each context and for each row of the
        pooled root, at most m.
        """

    @abstractmethod
    def word_gaps(self, factors: Packed, ends: Ints, engine: Engine) -> Floats:
        """dcov² of pairs of covariances, one for each row of `ends`."""

    @abstractmethod
    def word_means(
        self, contexts: ContextRows, points: Singles, squares: Floats, rows: Ints, engine: Engine
    ) -> tuple[Singles, Floats]:
        """Weighted means of points and of numbers over the contexts of the words `rows`; 0 without contexts."""

    @abstractmethod
    def factor_forms(self, factors: Packed, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
        """xᵀΣx, xᵀΣy and yᵀΣy of each covariance, one row each; x is its own direction, y the fixed one."""

    @abstractmethod
    def context_forms(
        self, contexts: ContextRows, points: Singles, rows: Ints, directions: Floats, fixed: Floats, offsets: Floats,
        engine: Engine,
    ) -> Floats:  # fmt: skip
        """The same for Σ weight·(v − c)(v − c)ᵀ over the contexts v of the words `rows`; `offsets` are x·c and y·c."""
