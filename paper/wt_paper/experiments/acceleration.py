"""The paper's table of accelerations of the Gaussian Transform, measured row by row."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wasserstein_transform._types import Floats
from wasserstein_transform.datasets import grid
from wasserstein_transform.engine import Engine
from wasserstein_transform.plotting.style import PALETTE
from wasserstein_transform.spaces import Space
from wasserstein_transform.transforms import Process, iterate
from wasserstein_transform.transport import Bures, Stored

from .experiment import Choice, Claim, Experiment, Picture, Table
from .layout import cost_panels, label_axes, legend_of
from .methods import PAPER_FULL, V1, V2, V3, V4, VARIANTS, Variant, accelerated, time_steps, timed
from .parameters import Acceleration

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_WHERE = "Algorithms, “Acceleration”, and its table"
_EQUAL = 1e-12  # tolerance in ε, for sums in another order
_GREY = "0.3"
_HERE: dict[str, Any] = {"marker": "o", "markersize": 4, "linewidth": 1.5}
_PAPER: dict[str, Any] = {
    "marker": "o", "markersize": 3.5, "markerfacecolor": "white", "linestyle": "--", "linewidth": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Timing:
    """Seconds of each iteration of a variant, and the number of points at its start."""

    variant: Variant
    merge: float | None
    seconds: tuple[float, ...]
    n_points: tuple[int, ...]

    @property
    def label(self) -> str:
        """The name, and the merge tolerance if there is one."""
        return self.variant.name if self.merge is None else f"{self.variant.name}, within {self.merge:g} ε"


@dataclass(frozen=True)
class Result:
    """The measured times and differences.

    Attributes
    ----------
    parameters : Acceleration
    timings : tuple of Timing
    full : float or None
        Seconds for all distances of the grid; None if they are not requested, or do not fit into memory.
    stored, lazy : float
        Seconds of an iteration on the smaller grid with the full matrix, and with v1.
    differences : tuple of (Variant, merge, float)
        Largest difference of a coordinate, in ε, from the full-matrix algorithm on the smaller grid.
    """

    parameters: Acceleration
    timings: tuple[Timing, ...]
    full: float | None
    stored: float
    lazy: float
    differences: tuple[tuple[Variant, float | None, float], ...]

    def timing(self, variant: Variant, merge: float | None = None) -> Timing:
        """The timing of one variant."""
        return next(t for t in self.timings if t.variant == variant and t.merge == merge)


def run(parameters: Acceleration, engine: Engine) -> Result:
    """Time all rows, and compare the points they give."""
    p = parameters
    _warm_up(p, engine)
    space = Space.from_points(grid(p.n).points)
    timings = [
        Timing(v, merge, *time_steps(accelerated(p.eps, p.lam, v.once), space, p.n_iter, merge, p.repeats, engine))
        for v, merge in _rows(p)
    ]
    stored, lazy = _small_steps(p, engine)
    return Result(p, tuple(timings), _full_matrix(space, p, engine), stored, lazy, _differences(p, engine))


def _rows(p: Acceleration) -> list[tuple[Variant, float | None]]:
    plain: list[tuple[Variant, float | None]] = [(v, None) for v in VARIANTS if not v.merges]
    return plain + [(v, merge) for merge in p.merges for v in VARIANTS if v.merges]


def _warm_up(p: Acceleration, engine: Engine) -> None:
    """Compile every kernel before the timing starts."""
    space = Space.from_points(grid(8).points)
    for once in (False, True):
        time_steps(accelerated(0.5, p.lam, once), space, 1, 0.0, 1, engine)
    start = iterate(accelerated(0.5, p.lam, transport=Stored(Bures())), space, n_iter=1, engine=engine).last
    start.metric.dense(engine, np.float32)


def _full_matrix(space: Space, p: Acceleration, engine: Engine) -> float | None:
    if not p.full or not engine.fits(5.0 * space.n**2):
        return None
    metric = iterate(accelerated(p.eps, p.lam), space, n_iter=0, engine=engine).last.metric
    return timed(lambda: metric.dense(engine, np.float32).size, 1, time.perf_counter)[0][0]


def _small_steps(p: Acceleration, engine: Engine) -> tuple[float, float]:
    space = Space.from_points(grid(p.n_small).points)
    stored, lazy = (
        time_steps(accelerated(p.eps, p.lam, transport=t), space, 1, None, p.repeats, engine)[0][0]
        for t in (Stored(Bures()), Bures())
    )
    return stored, lazy


def _differences(p: Acceleration, engine: Engine) -> tuple[tuple[Variant, float | None, float], ...]:
    """The largest difference over all iterations, for each row."""
    expected = _walk(p, accelerated(p.eps, p.lam, transport=Stored(Bures())), None, engine)
    result = []
    for variant, merge in _rows(p):
        moved = _walk(p, accelerated(p.eps, p.lam, variant.once), merge, engine)
        result.append((variant, merge, float(np.abs(moved - expected).max()) / p.eps))
    return tuple(result)


def _walk(p: Acceleration, process: Process, merge: float | None, engine: Engine) -> Floats:
    """The points of all iterations on the smaller grid."""
    space = Space.from_points(grid(p.n_small).points)
    walk = iterate(process, space, n_iter=p.n_iter, merge=merge, keep="all", engine=engine)
    return np.stack([q.points for q in walk.quotients if q.points is not None])


def claims(result: Result) -> Sequence[Claim]:
    """One claim for each acceleration, and two on the results."""
    return _neighborhood_claim(result), _once_claim(result), _merging_claim(result), *_same_points_claims(result)


def _neighborhood_claim(result: Result) -> Claim:
    p = result.parameters
    choices = [
        _faster(f"a step of the {p.n_small} × {p.n_small} grid", result.lazy, "v1", result.stored, "full matrix")
    ]
    if result.full is not None:
        first = result.timing(V1).seconds[0]
        whole = _faster(f"the {p.n} × {p.n} grid, distances alone", first, "v1", result.full, "full matrix")
        choices.insert(0, whole)
    return Claim(
        name="acceleration: neighborhood mechanism",
        where=_WHERE,
        statement="Searching GT neighbors only among the Euclidean neighbors is faster than computing all distances.",
        quantity="Seconds of the first iteration: fewer for v1 than for the full matrix.",
        choices=tuple(choices),
        note=f"The paper: {V1.paper[0]} s against {PAPER_FULL} s. On the large grid the full matrix is float32, and "
        "only its distances are timed, so v1 is compared with a part of an iteration.",
        timed=True,
    )


def _once_claim(result: Result) -> Claim:
    pairs = [("not merging", result.timing(V2), result.timing(V1))]
    pairs += [(f"merging within {m:g} ε", result.timing(V4, m), result.timing(V3, m)) for m in result.parameters.merges]
    return Claim(
        name="acceleration: each pair once",
        where=_WHERE,
        statement="Testing each pair once, for both of its points, is faster than testing it from both sides.",
        quantity="Seconds of all iterations together: fewer for v2 than for v1, and for v4 than for v3.",
        choices=tuple(
            _faster(name, sum(once.seconds), once.variant.name, sum(twice.seconds), twice.variant.name)
            for name, once, twice in pairs
        ),
        note=f"The paper: v2 {sum(V2.paper):.1f} s, v1 {sum(V1.paper):.1f} s. In the plane a GT distance has a "
        "vectorized closed form here, and computing it again costs less than storing and reading a bit for each pair: "
        "v2 is expected to be slower. For m ≥ 3, where distances cost more, the library stores the bits by default.",
        timed=True,
    )


def _merging_claim(result: Result) -> Claim:
    return Claim(
        name="acceleration: merging",
        where=_WHERE,
        statement="Merging collocated points makes the later iterations faster.",
        quantity="Seconds of the last iteration: fewer for v3 than for v1, and for v4 than for v2.",
        choices=tuple(_merging_choice(result, merge) for merge in result.parameters.merges),
        note=f"The paper, iteration 5: v1 {V1.paper[4]} s, v3 {V3.paper[4]} s; v2 {V2.paper[4]} s, v4 {V4.paper[4]} s. "
        "The paper does not say within what distance points count as collocated. Neighbors in the 200 × 200 grid are "
        "0.05 ε apart: a larger tolerance merges them before the first iteration.",
        timed=True,
    )


def _merging_choice(result: Result, merge: float) -> Choice:
    rows = [(result.timing(merging, merge), result.timing(plain)) for merging, plain in ((V3, V1), (V4, V2))]
    last = result.parameters.n_iter
    figures = [
        f"{merging.variant.name} {merging.seconds[-1]:.3f} s, {plain.variant.name} {plain.seconds[-1]:.3f} s"
        for merging, plain in rows
    ]
    left = rows[0][0].n_points[-1] / rows[0][1].n_points[-1]
    return Choice(
        f"within {merge:g} ε",
        all(merging.seconds[-1] < plain.seconds[-1] for merging, plain in rows),
        f"iteration {last}: {'; '.join(figures)}; {left:.0%} of the points are left",
    )


def _same_points_claims(result: Result) -> tuple[Claim, Claim]:
    exact = [_same(v.name, gap, _EQUAL) for v, merge, gap in result.differences if merge is None]
    merged = [_same(f"{v.name}, {m:g} ε", gap, max(m, _EQUAL)) for v, m, gap in result.differences if m is not None]
    p = result.parameters
    grid_used = f"over {p.n_iter} iterations of the {p.n_small} × {p.n_small} grid"
    return (
        Claim(
            name="acceleration: same points",
            where=_WHERE,
            statement="The neighborhood mechanism and testing each pair once change the cost, not the result.",
            quantity=f"Largest difference to the full-matrix algorithm {grid_used}: at most {_EQUAL:g} ε.",
            choices=tuple(exact),
        ),
        Claim(
            name="acceleration: same points, merged",
            where=_WHERE,
            statement="Merging collocated points moves no point by more than the merge tolerance.",
            quantity=f"Largest difference to the full-matrix algorithm {grid_used}: at most the tolerance.",
            choices=tuple(merged),
            note="The paper merges points whose distance converges to 0 and does not discuss errors. With a larger "
            "tolerance a merged point leaves some balls and enters others, so later means can move by more.",
        ),
    )


def _faster(name: str, ours: float, mine: str, other: float, theirs: str) -> Choice:
    ratio = other / ours
    said = f"{ratio:.1f} times faster" if ratio >= 1 else f"{1 / ratio:.1f} times slower"
    return Choice(name, ours < other, f"{mine} {ours:.3f} s, {theirs} {other:.3f} s: {said}")


def _same(name: str, gap: float, tolerance: float) -> Choice:
    return Choice(name, gap <= tolerance, f"{gap:.1e} ε")


def tables(result: Result) -> Sequence[Table]:
    """The table of the paper, with the measured times."""
    n_iter, side = result.parameters.n_iter, result.parameters.n
    full = "not run" if result.full is None else f"{result.full:.2f}"
    rows = [("full matrix", full, *("",) * (n_iter - 1), f"{PAPER_FULL}")]
    for t in result.timings:
        paper = " / ".join(f"{s:g}" for s in t.variant.paper)
        rows.append((f"{t.label} ({t.variant.about})", *(f"{s:.3f}" for s in t.seconds), paper))
    return (
        Table(
            title=f"Seconds of each iteration of GT, {side} × {side} grid",
            header=("variant", *(f"τ = {k}" for k in range(1, n_iter + 1)), "the paper, τ = 1 … 5"),
            rows=tuple(rows),
            note="The paper's seconds: 200 × 200 grid, C++ on 48 cores. Full matrix: only its distances, in float32.",
        ),
    )


def pictures(result: Result) -> Sequence[Picture]:
    """The table as a figure."""
    side = result.parameters.n
    caption = (
        f"Seconds of each iteration of the Gaussian Transform on the {side} × {side} grid: solid measured here, dashed "
        "from the paper (200 × 200 grid, C++ on 48 cores); one panel for each merge tolerance."
    )
    return (Picture("acceleration", caption, lambda: _draw(result)),)


def _draw(result: Result) -> Figure:
    merges = result.parameters.merges
    figure, axes = cost_panels(len(merges), 3.2)
    for ax, merge in zip(axes, merges, strict=True):
        _draw_rows(ax, result, merge)
        label_axes(ax, f"v3, v4 merge within {merge:g} ε", "iteration τ", "seconds" if ax is axes[0] else "")
    legend_of(figure, _handles(), 4)
    return figure


def _draw_rows(ax: Axes, result: Result, merge: float) -> None:
    n_iter = result.parameters.n_iter
    for variant, color in zip(VARIANTS, PALETTE, strict=False):
        seconds = result.timing(variant, merge if variant.merges else None).seconds
        ax.plot(range(1, n_iter + 1), seconds, color=color, **_HERE)
        ax.plot(range(1, n_iter + 1)[: len(variant.paper)], variant.paper[:n_iter], color=color, **_PAPER)
    ax.plot(1, PAPER_FULL, color=_GREY, marker="s", markerfacecolor="white", markersize=5)
    if result.full is not None:
        ax.plot(1, result.full, color=_GREY, marker="s", markersize=5)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xticks(range(1, n_iter + 1))


def _handles() -> list[Line2D]:
    from matplotlib.lines import Line2D

    rows = [Line2D([], [], color=c, label=f"{v.name}: {v.about}") for v, c in zip(VARIANTS, PALETTE, strict=False)]
    return [
        *rows,
        Line2D([], [], color=_GREY, label="here", **_HERE),
        Line2D([], [], color=_GREY, label="the paper", **_PAPER),
        Line2D([], [], color=_GREY, marker="s", linestyle="", label="full matrix"),
    ]


EXPERIMENT = Experiment(
    name="acceleration",
    title="Accelerations of the Gaussian Transform",
    about="The paper's table of accelerations on the 200 × 200 grid: the full matrix, the neighborhood mechanism (v1), "
    "each pair tested once (v2), and both with collocated points merged (v3, v4). The paper does not give the merge "
    "tolerance; several are tried. Each iteration is timed separately; the points are compared with those of the "
    "full-matrix algorithm on a smaller grid.",
    run=run,
    claims=claims,
    pictures=pictures,
    tables=tables,
)
