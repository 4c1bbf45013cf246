"""The figures. matplotlib is an optional dependency and is imported when they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import squareform

from wasserstein_transform._types import Floats
from wasserstein_transform.hierarchy import cut_tree, spanning_tree
from wasserstein_transform.localize import Truncation
from wasserstein_transform.plotting import dendrogram
from wasserstein_transform.plotting.style import PALETTE
from wasserstein_transform.spaces import Space
from wasserstein_transform.transforms import Transform
from wasserstein_transform.transport import Exact

from ...theory import SPHERE, SamplingConvergence, predicted
from .inequalities import ONE, PLACES, Prokhorov, Stability
from .limits import PRINTED, RIGHT, Ellipsoid, Expansion
from .ricci import FORMS, Curvature
from .trials import Sides

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRAY = "#777777"
_HEIGHT = 2.5  # ε of the figure of the quotient
_STYLE: dict[str, Any] = {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
_SIZES = (4.0, 3.2, 1.8, 2.5, 2.5)  # means often move as far as measures: different sizes keep both visible
_LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 7}


def _figure(width: float, height: float, columns: int = 1, **shares: Any) -> tuple[Figure, list[Any]]:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots(1, columns, squeeze=False, **shares)[0]
    for axis in axes:
        axis.tick_params(labelsize=7)
    return figure, list(axes)


def _plain_ticks(axis: Any, values: Floats) -> None:
    """Label a logarithmic axis with the values themselves."""
    axis.set_ticks(values, [f"{value:g}" for value in values])
    axis.set_ticks([], minor=True)


def quotient() -> Figure:
    """An ultrametric space before and after local truncation, as trees."""
    heights = squareform([1, 3, 3, 6, 6, 6, 8, 3, 3, 6, 6, 6, 8, 2, 6, 6, 6, 8, 6, 6, 6, 8, 1.5, 4, 8, 4, 8, 8])
    before = Space.from_distances(heights, triangle=True)
    after = Transform(Truncation(_HEIGHT), Exact(p=1))(before)
    labels = cut_tree(spanning_tree(before), cut="height", height=_HEIGHT)
    figure, axes = _figure(7, 2.2, 2, sharey=True)
    for axis, space, title in zip(axes, (before, after), ("an ultrametric space", "after LT-WT1"), strict=True):
        dendrogram(spanning_tree(space), labels, ax=axis)
        axis.axhline(_HEIGHT, color=GRAY, linestyle="--", linewidth=0.8)
        axis.set_title(title, fontsize=8, loc="left")
    axes[0].annotate("ε", (0.01, _HEIGHT), (2, 2), ("axes fraction", "data"), "offset points", fontsize=8)
    axes[1].set_ylabel("")
    return figure


def expansion(result: Expansion) -> Figure:
    """Errors against ε, with the slopes 3 and 4."""
    figure, (axis,) = _figure(6.5, 3.4)
    for k, (row, (x, y)) in enumerate(zip(result.errors, result.pairs, strict=True)):
        label = f"x = {x:g}, x' = {y:g} (order {result.orders[k]:.2f})".replace("-", "−")
        axis.loglog(result.eps, np.abs(row), "o-", color=PALETTE[k % 6], markersize=3, linewidth=1, label=label)
    top = np.abs(result.errors).max()
    for slope, line in ((3, ":"), (4, "--")):
        guide = 2.5 * top * (result.eps / result.eps[0]) ** slope
        axis.loglog(result.eps, guide, line, color=GRAY, linewidth=1, label=f"slope {slope}")
    _plain_ticks(axis.xaxis, result.eps)
    axis.set_xlabel("ε")
    axis.set_ylabel("|d$^{(ε)}$ − expansion|")
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), **_LEGEND)
    return figure


def ellipsoid(result: Ellipsoid) -> Figure:
    """Half-widths over ε with both limits, and a ball of the plane."""
    figure, (line, plane) = _figure(7, 3.3, 2, width_ratios=[1.25, 1])
    for k, x in enumerate(result.centers):
        color = PALETTE[k % 6]
        line.semilogx(
            result.eps,
            result.widths[k],
            "o-",
            color=color,
            markersize=3,
            linewidth=1,
            label=f"x = {x:g}".replace("-", "−"),
        )
        line.axhline(result.limits[RIGHT][k], color=color, linestyle="--", linewidth=0.8)
        line.axhline(result.limits[PRINTED][k], color=color, linestyle=":", linewidth=0.8)
    line.plot([], [], "--", color=GRAY, linewidth=0.8, label="limit with 15")
    line.plot([], [], ":", color=GRAY, linewidth=0.8, label="limit with 9, as printed")
    _plain_ticks(line.xaxis, result.eps)
    line.set_xlabel("ε")
    line.set_ylabel("half-width of the GT ball, in ε")
    line.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, **_LEGEND)
    _balls(plane, result)
    return figure


def _balls(axis: Any, result: Ellipsoid) -> None:
    around = np.append(result.angles, result.angles[0])
    for k in (0, 1, len(result.eps) - 1):
        color, radii = PALETTE[(0, 1, 2)[min(k, 2)]], np.append(result.radii[k], result.radii[k][0])
        axis.plot(
            radii * np.cos(around), radii * np.sin(around), color=color, linewidth=1, label=f"ε = {result.eps[k]:g}"
        )
    radii = np.append(result.ellipses[-1], result.ellipses[-1][0])
    axis.plot(radii * np.cos(around), radii * np.sin(around), "--", color="black", linewidth=0.8, label="ellipse")
    axis.plot(np.cos(around), np.sin(around), ":", color=GRAY, linewidth=0.8, label="Euclidean ball")
    axis.set_aspect("equal")
    axis.set_xticks([-1, 0, 1])
    axis.set_yticks([-1, 0, 1])
    axis.set_xlabel("(x − x₀)/ε")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, **_LEGEND)


def curvature(result: Curvature) -> Figure:
    """Contractions over ε², and those of a sample."""
    figure, (surfaces, sample) = _figure(7, 3.0, 2, width_ratios=[1.3, 1])
    dense = np.linspace(0, result.eps.max(), 50)
    for color, (name, form) in zip(PALETTE, FORMS.items(), strict=False):
        surfaces.plot(dense**2, predicted(form, dense), "--", color=color, linewidth=0.8)
        surfaces.plot(result.eps**2, result.contractions[name], "o", color=color, markersize=4, label=name)
    surfaces.plot([], [], "--", color=GRAY, linewidth=0.8, label="ε²/(2(n + 2)) · Ric(v, v)")
    surfaces.set_xlabel("ε²")
    surfaces.set_ylabel("contraction 1 − d$^{(ε)}$/d")
    surfaces.legend(loc="upper left", **_LEGEND)
    _histogram(sample, result)
    return figure


def _histogram(axis: Any, result: Curvature) -> None:
    counts = axis.hist(result.sampled, bins=12, color="#CCCCCC", edgecolor="white")[0]
    mean, error = result.sampled.mean(), result.sampled.std(ddof=1) / np.sqrt(len(result.sampled))
    formula = float(predicted(SPHERE, result.sample_eps))
    axis.axvspan(
        mean - error, mean + error, 0, 0.7, color=PALETTE[0], alpha=0.5, linewidth=0, label="mean ± std. error"
    )
    axis.axvline(result.expected, 0, 0.7, color=PALETTE[1], linewidth=1.2, label="quadrature")
    axis.axvline(formula, 0, 0.7, color="black", linestyle="--", linewidth=1, label="ε²/(2(n + 2)) · Ric(v, v)")
    axis.set_ylim(0, counts.max() / 0.68)
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.set_xlabel(f"contraction, {result.n} points, ε = {result.sample_eps:g}, d ≈ {result.sample_apart:g}")
    axis.set_ylabel("pairs")
    axis.legend(loc="upper left", **_LEGEND)


def stability(result: Stability) -> Figure:
    """Left against right sides, in one panel for kernels and one for truncation."""
    figure, axes = _figure(7, 3.6, 2)
    for axis, kind in zip(axes, ("kernel", "truncation"), strict=True):
        names = [name for name in PLACES if name.endswith(kind)]
        for color, size, name in zip(PALETTE, _SIZES, names, strict=False):
            some = {by: sides for by, sides in result.sides[name].items() if by != ONE}
            for mark, sides in zip(("o", "^"), some.values(), strict=False):
                label = name.removesuffix(f", {kind}") if mark == "o" else None
                _scatter(axis, sides, mark, color, size, label)
        _diagonal(axis)
        axis.set_xlabel("right side")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, **_LEGEND)
    axes[0].set_title("Lipschitz kernels (● gaussian, ▲ rational)", fontsize=8)
    axes[1].set_title("local truncation, Λ for each pair of radii", fontsize=8)
    axes[0].set_ylabel("left side")
    return figure


def _scatter(axis: Any, sides: Sides, mark: str, color: str, size: float, label: str | None) -> None:
    """Draw at most a hundred trials."""
    some = np.flatnonzero((sides.left > 0) & (sides.right > 0))
    some = some[:: max(1, len(some) // 100)]
    axis.loglog(sides.right[some], sides.left[some], mark, color=color, markersize=size, alpha=0.8, label=label)


def _diagonal(axis: Any) -> None:
    (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
    axis.loglog([low, right], [low, right], color=GRAY, linewidth=0.8, label="equality")
    axis.set_xlim(left / 10, right)
    axis.set_ylim(low, 10 * high)


def sampling(result: SamplingConvergence) -> Figure:
    """Bounds against n, for single samples and their mean."""
    figure, (axis,) = _figure(6.5, 3.0)
    means = result.bounds.mean(axis=1)
    for column in result.bounds.T:
        axis.loglog(result.sizes, column, "o", color=PALETTE[3], markersize=2.5, alpha=0.8)
    axis.loglog(
        result.sizes,
        means,
        "o-",
        color=PALETTE[0],
        markersize=4,
        linewidth=1.2,
        label=f"mean, exponent {result.rate:.2f}".replace("-", "−"),
    )
    for slope, line, name in ((-0.5, "--", "−1/2"), (-1 / 3, ":", "−1/3, as proven")):
        guide = 1.4 * means[0] * (result.sizes / result.sizes[0]) ** slope
        axis.loglog(result.sizes, guide, line, color=GRAY, linewidth=1, label=f"slope {name}")
    axis.plot([], [], "o", color=PALETTE[3], markersize=2.5, label="single samples")
    _plain_ticks(axis.xaxis, result.sizes)
    axis.set_xlabel("n")
    axis.set_ylabel("upper bound of d$_{GW,1}$")
    axis.legend(loc="lower left", **_LEGEND)
    return figure


def prokhorov(result: Prokhorov) -> Figure:
    """W1 against the Prokhorov distance, with both bounds of every trial."""
    figure, (axis,) = _figure(6.5, 3.0)
    dp, w1 = np.sqrt(result.lower.left), result.lower.right
    some = dp > 0
    axis.loglog(dp[some], w1[some], "o", color=PALETTE[0], markersize=3, label="W1")
    axis.loglog(dp[some], result.upper.right[some], "_", color=PALETTE[1], markersize=6, label="(1 + diam)·d$_P$")
    ends = np.array([dp[some].min(), dp[some].max()])
    axis.loglog(ends, ends**2, "--", color=GRAY, linewidth=1, label="d$_P$²")
    _plain_ticks(axis.xaxis, np.array([0.05, 0.1, 0.2, 0.5]))
    axis.set_xlabel("Prokhorov distance d$_P$")
    axis.set_ylabel("W1 and its bounds")
    axis.legend(loc="lower right", **_LEGEND)
    return figure
