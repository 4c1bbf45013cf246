"""Cost of one iteration, compared with the orders in the paper."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine
from wasserstein_transform.plotting.style import PALETTE
from wasserstein_transform.spaces import Space
from wasserstein_transform.transforms import iterate

from .experiment import Choice, Claim, Experiment, Picture, Table
from .layout import cost_panels, label_axes, legend_of
from .methods import method, timed
from .parameters import Complexity, Size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WHERE = "Algorithms, “Complexity analysis”, and its table"
_ALL = ", all distances"
MIN_SECONDS = 0.02  # work that takes fewer seconds is repeated
_METHODS = {"MS": PALETTE[0], "GT": PALETTE[1], "GT, all distances": PALETTE[4], "LT-WT1": PALETTE[2]}


@dataclass(frozen=True)
class Order:
    """A complexity in the paper, and its leading term in each variable."""

    text: str
    terms: dict[str, Callable[[float], float]]


_GT = Order("O(nNm² + n²m³)", {"n": lambda n: n**2, "N": lambda N: N, "m": lambda m: m**3})
ORDERS = {
    "MS": Order("O(n²m + nNm)", {"n": lambda n: n**2, "N": lambda N: N, "m": lambda m: m}),
    "GT": _GT,
    "GT, all distances": _GT,
    "LT-WT1": Order("O(n²N³ log N)", {"n": lambda n: n**2, "N": lambda N: N**3 * np.log(N), "m": lambda m: 1.0}),
}


@dataclass(frozen=True)
class Sweep:
    """Seconds of a method while one variable grows."""

    method: str
    variable: str
    sizes: tuple[Size, ...]
    seconds: tuple[float, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """Values of the variable."""
        return tuple(getattr(size, self.variable) for size in self.sizes)

    @property
    def exponent(self) -> float:
        """Fitted exponent of the measured seconds."""
        return fit_power(self.values, self.seconds)[0]

    @property
    def last(self) -> float:
        """Exponent between the two largest sizes: closer to the limit, but noisier."""
        return fit_power(self.values[-2:], self.seconds[-2:])[0]

    @property
    def order(self) -> float:
        """Exponent of the paper's order, fitted over the same sizes; a logarithm adds a little."""
        return fit_power(self.values, [self.term(v) for v in self.values])[0]

    def term(self, value: float) -> float:
        """The paper's order as a function of the variable."""
        return ORDERS[self.method].terms[self.variable](value)


@dataclass(frozen=True)
class Result:
    """The measured sweeps, and the seconds of all methods at the common sizes."""

    parameters: Complexity
    sweeps: tuple[Sweep, ...]
    common: dict[Size, dict[str, float]]


def fit_power(values: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Fit a·x^b by least squares of the logarithms; returns b and a.

    Examples
    --------
    >>> b, a = fit_power([1, 2, 4], [5, 20, 80])
    >>> round(b, 6), round(a, 6)
    (2.0, 5.0)
    """
    b, log_a = np.polyfit(np.log(values), np.log(seconds), 1)
    return float(b), float(np.exp(log_a))


def run(parameters: Complexity, engine: Engine) -> Result:
    """Time all sizes with one thread."""
    p, alone = parameters, replace(engine, n_jobs=1)
    _warm_up(p, alone)
    sweeps = [
        Sweep(name, variable, sizes, tuple(_seconds(name, size, p, alone) for size in sizes))
        for (name, variable), sizes in p.sweeps.items()
    ]
    common = {size: {name: _seconds(name, size, p, alone) for name in _METHODS} for size in p.common}
    return Result(p, tuple(sweeps), common)


def _warm_up(p: Complexity, engine: Engine) -> None:
    """Compile all kernels before the timing starts; there are different ones for m = 2 and m > 2."""
    sizes = {size.m for sizes in p.sweeps.values() for size in sizes} | {size.m for size in p.common}
    for m in {min(m, 3) for m in sizes}:
        for name in _METHODS:
            _work(name, Size(40, 8, m), p, engine)()


def _seconds(name: str, size: Size, p: Complexity, engine: Engine) -> float:
    """The minimum over some runs, because other load on the machine only adds time.

    Short work is repeated, because the clock ticks only 64 times a second on some systems.
    """
    work = _work(name, size, p, engine)
    once = min(timed(work, p.repeats, time.process_time)[0])
    count = 1 if once > MIN_SECONDS else int(MIN_SECONDS / max(once, 1e-4)) + 1
    if count == 1:
        return once
    return min(timed(lambda: [work() for _ in range(count)], p.repeats, time.process_time)[0]) / count


def _work(name: str, size: Size, p: Complexity, engine: Engine) -> Callable[[], object]:
    """One iteration, starting from the state at τ = 0."""
    points = sphere(size.n, size.m, p.seed)
    family = name.removesuffix(_ALL)
    process = method(f"GT-{p.lam}" if family == "GT" else family, radius_of(points, size.N))
    start = iterate(process, Space.from_points(points), n_iter=0, engine=engine).last
    step = process.at(0)
    if name.endswith(_ALL):
        return lambda: step(start, engine).metric.dense(engine).size
    return lambda: step(start, engine)


def sphere(n: int, m: int, seed: int = 0) -> Floats:
    """n uniform points on the unit sphere of R^m.

    A cube has a boundary: in R^16 its largest ball is many times larger than a typical one, and N says little about the
    work. A sphere has no boundary.

    Examples
    --------
    >>> sphere(100, 3).shape
    (100, 3)
    """
    points = np.random.default_rng(seed).normal(size=(n, m))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


def radius_of(points: Floats, N: int) -> float:
    """An ε for which the largest closed ball has exactly N points, including its center; N < n.

    Examples
    --------
    >>> import numpy as np
    >>> radius_of(np.array([[0.0], [1.0], [3.0]]), 2)
    1.5
    """
    nearest = cKDTree(points).query(points, k=[N, N + 1])[0].min(axis=0)
    return float(nearest.mean())


def claims(result: Result) -> Sequence[Claim]:
    """The complexities, and the ranking of the methods."""
    return _orders_claim(result), _ranking_claim(result)


def _orders_claim(result: Result) -> Claim:
    tolerance = result.parameters.tolerance
    choices = tuple(
        Choice(
            f"{s.method} in {s.variable}",
            s.exponent <= s.order + tolerance,
            f"exponent {s.exponent:.2f} ({s.last:.2f} between the largest sizes), the paper's order {s.order:.2f}",
        )
        for s in result.sweeps
    )
    return Claim(
        name="complexity: orders",
        where=_WHERE,
        statement="An iteration costs at most O(n²m + nNm) for MS, O(n²N³ log N) for LT-WT, O(nNm² + n²m³) for GT.",
        quantity="Exponent of the seconds of one thread in each variable, by least squares of logarithms: at most the "
        f"exponent of the order plus {tolerance:g}.",
        choices=choices,
        note="Orders are upper bounds, and smaller exponents are expected: cell lists visit only near points, so that "
        "MS and GT grow like n, not n²; GT does not compute distances that are not needed; LT-WT starts each problem "
        "from the solution of a near one. Constant costs lower the exponents at small sizes: the exponent between the "
        "two largest sizes is given as well.",
        timed=True,
    )


def _ranking_claim(result: Result) -> Claim:
    return Claim(
        name="complexity: MS < GT < LT-WT",
        where=_WHERE,
        statement="If balls have more points than the space has dimensions, MS costs less than GT, and GT less than "
        "LT-WT.",
        quantity="Seconds of one thread at the same size: MS < GT < LT-WT1, for GT with and without all its distances.",
        choices=tuple(_ranking_choice(size, seconds) for size, seconds in result.common.items()),
        timed=True,
    )


def _ranking_choice(size: Size, seconds: dict[str, float]) -> Choice:
    order = [seconds[name] for name in ("MS", "GT", "GT, all distances", "LT-WT1")]
    figures = ", ".join(f"{name} {1e3 * spent:.1f} ms" for name, spent in seconds.items())
    return Choice(f"n = {size.n}, N = {size.N}, m = {size.m}", order == sorted(order), figures)


def tables(result: Result) -> Sequence[Table]:
    """Exponents by method and variable."""
    names = {s.method: None for s in result.sweeps}
    rows = tuple((name, ORDERS[name].text, *(_cell(result, name, v) for v in "nNm")) for name in names)
    return (
        Table(
            title="Exponents of the cost of one iteration: fitted, between the two largest sizes (the paper's order)",
            header=("method", "the paper's order", "in n", "in N", "in m"),
            rows=rows,
            note="Uniform points of the sphere of R^m, ε such that the largest ball has exactly N points; one thread. "
            "“GT” moves the points and their covariances, as the library does; the paper also counts all "
            "distances.",
        ),
    )


def _cell(result: Result, name: str, variable: str) -> str:
    sweep = next(s for s in result.sweeps if (s.method, s.variable) == (name, variable))
    return f"{sweep.exponent:.2f}, {sweep.last:.2f} ({sweep.order:.2f})"


def pictures(result: Result) -> Sequence[Picture]:
    """Seconds against n, N and m."""
    caption = (
        "Seconds of one iteration on one thread, against the number of points n, the size N of the largest ball and "
        "the dimension m: measured (dots), fitted (solid, with its exponent) and the paper's order through the first "
        "dot (dashed). Each method is run at its own sizes."
    )
    return (Picture("complexity", caption, lambda: _draw(result)),)


def _draw(result: Result) -> Figure:
    from matplotlib.lines import Line2D

    figure, axes = cost_panels(3, 3.4)
    labels = {"n": "points n", "N": "largest ball N", "m": "dimension m"}
    for ax, (variable, label) in zip(axes, labels.items(), strict=True):
        ax.set(xscale="log", yscale="log")
        for sweep in (s for s in result.sweeps if s.variable == variable):
            _draw_sweep(ax, sweep)
        ax.margins(x=0.2)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_major_formatter("{x:g}")
        if variable == "m":  # the range is less than a decade, which has no default ticks
            ax.set_xticks(sorted({m for s in result.sweeps if s.variable == "m" for m in s.values}))
            ax.minorticks_off()
        label_axes(ax, f"in {variable}", label, "seconds" if ax is axes[0] else "")
    handles = [Line2D([], [], color=color, marker="o", markersize=4, label=name) for name, color in _METHODS.items()]
    handles.append(Line2D([], [], color="0.3", linestyle="--", linewidth=1, label="the paper's order"))
    legend_of(figure, handles, 5)
    return figure


def _draw_sweep(ax: Axes, sweep: Sweep) -> None:
    values, color = np.array(sweep.values, float), _METHODS[sweep.method]
    b, a = fit_power(sweep.values, sweep.seconds)
    ax.plot(values, sweep.seconds, color=color, marker="o", markersize=4, linestyle="")
    ax.plot(values, a * values**b, color=color, linewidth=1.5)
    order = np.array([sweep.term(v) for v in values])
    ax.plot(values, sweep.seconds[0] * order / order[0], color=color, linestyle="--", linewidth=1)
    ax.annotate(
        f"{b:.1f}", (values[-1], a * values[-1] ** b), (4, 0), textcoords="offset points", va="center", fontsize=7,
        color=color,
    )  # fmt: skip


EXPERIMENT = Experiment(
    name="complexity",
    title="Cost of one iteration",
    about="Seconds of one iteration of MS, LT-WT1 and GT on one thread as the number n of points, the size N of the "
    "largest ball or the dimension m grows, with fitted exponents, compared with the orders in the paper's table. "
    "Points are uniform on the sphere of R^m: it has no boundary, so all balls have similar sizes. ε is chosen such "
    "that the largest ball has exactly N points. Each method is measured at sizes where the variable matters: LT-WT on "
    "hundreds of points, MS on thousands.",
    run=run,
    claims=claims,
    pictures=pictures,
    tables=tables,
)
