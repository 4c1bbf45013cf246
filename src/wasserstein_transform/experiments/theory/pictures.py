"""The figures. matplotlib is an optional dependency and is imported when they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import squareform

from ..._types import Floats
from ...hierarchy import cut_tree, spanning_tree
from ...localize import Truncation
from ...plotting import PALETTE, dendrogram
from ...spaces import Space
from ...theory import SPHERE, SamplingConvergence, predicted
from ...transforms import Transform
from ...transport import Exact
from .curvature import FORMS, Curvature
from .ellipsoid import PRINTED, RIGHT, Ellipsoid
from .expansions import Expansion
from .prokhorov import Prokhorov
from .sides import Sides
from .stability import ONE, PLACES, Stability

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


def expansion(found: Expansion) -> Figure:
    """Errors against ε, with the slopes 3 and 4."""
    figure, (axis,) = _figure(6.5, 3.4)
    for k, (row, (x, y)) in enumerate(zip(found.errors, found.pairs, strict=True)):
        label = f"x = {x:g}, x' = {y:g} (order {found.orders[k]:.2f})".replace("-", "−")
        axis.loglog(found.eps, np.abs(row), "o-", color=PALETTE[k % 6], markersize=3, linewidth=1, label=label)
    top = np.abs(found.errors).max()
    for slope, line in ((3, ":"), (4, "--")):
        guide = 2.5 * top * (found.eps / found.eps[0]) ** slope
        axis.loglog(found.eps, guide, line, color=GRAY, linewidth=1, label=f"slope {slope}")
    _plain_ticks(axis.xaxis, found.eps)
    axis.set_xlabel("ε")
    axis.set_ylabel("|d$^{(ε)}$ − expansion|")
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), **_LEGEND)
    return figure


def ellipsoid(found: Ellipsoid) -> Figure:
    """Half-widths over ε with both limits, and a ball of the plane."""
    figure, (line, plane) = _figure(7, 3.3, 2, width_ratios=[1.25, 1])
    for k, x in enumerate(found.centers):
        color = PALETTE[k % 6]
        line.semilogx(
            found.eps,
            found.widths[k],
            "o-",
            color=color,
            markersize=3,
            linewidth=1,
            label=f"x = {x:g}".replace("-", "−"),
        )
        line.axhline(found.limits[RIGHT][k], color=color, linestyle="--", linewidth=0.8)
        line.axhline(found.limits[PRINTED][k], color=color, linestyle=":", linewidth=0.8)
    line.plot([], [], "--", color=GRAY, linewidth=0.8, label="limit with 15")
    line.plot([], [], ":", color=GRAY, linewidth=0.8, label="limit with 9, as printed")
    _plain_ticks(line.xaxis, found.eps)
    line.set_xlabel("ε")
    line.set_ylabel("half-width of the GT ball, in ε")
    line.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, **_LEGEND)
    _balls(plane, found)
    return figure


def _balls(axis: Any, found: Ellipsoid) -> None:
    around = np.append(found.angles, found.angles[0])
    for k in (0, 1, len(found.eps) - 1):
        color, radii = PALETTE[(0, 1, 2)[min(k, 2)]], np.append(found.radii[k], found.radii[k][0])
        axis.plot(
            radii * np.cos(around), radii * np.sin(around), color=color, linewidth=1, label=f"ε = {found.eps[k]:g}"
        )
    radii = np.append(found.ellipses[-1], found.ellipses[-1][0])
    axis.plot(radii * np.cos(around), radii * np.sin(around), "--", color="black", linewidth=0.8, label="ellipse")
    axis.plot(np.cos(around), np.sin(around), ":", color=GRAY, linewidth=0.8, label="Euclidean ball")
    axis.set_aspect("equal")
    axis.set_xticks([-1, 0, 1])
    axis.set_yticks([-1, 0, 1])
    axis.set_xlabel("(x − x₀)/ε")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, **_LEGEND)


def curvature(found: Curvature) -> Figure:
    """Contractions over ε², and those of a sample."""
    figure, (surfaces, sample) = _figure(7, 3.0, 2, width_ratios=[1.3, 1])
    dense = np.linspace(0, found.eps.max(), 50)
    for color, (name, form) in zip(PALETTE, FORMS.items(), strict=False):
        surfaces.plot(dense**2, predicted(form, dense), "--", color=color, linewidth=0.8)
        surfaces.plot(found.eps**2, found.contractions[name], "o", color=color, markersize=4, label=name)
    surfaces.plot([], [], "--", color=GRAY, linewidth=0.8, label="ε²/(2(n + 2)) · Ric(v, v)")
    surfaces.set_xlabel("ε²")
    surfaces.set_ylabel("contraction 1 − d$^{(ε)}$/d")
    surfaces.legend(loc="upper left", **_LEGEND)
    _histogram(sample, found)
    return figure


def _histogram(axis: Any, found: Curvature) -> None:
    counts = axis.hist(found.sampled, bins=12, color="#CCCCCC", edgecolor="white")[0]
    mean, error = found.sampled.mean(), found.sampled.std(ddof=1) / np.sqrt(len(found.sampled))
    formula = float(predicted(SPHERE, found.sample_eps))
    axis.axvspan(
        mean - error, mean + error, 0, 0.7, color=PALETTE[0], alpha=0.5, linewidth=0, label="mean ± std. error"
    )
    axis.axvline(found.expected, 0, 0.7, color=PALETTE[1], linewidth=1.2, label="quadrature")
    axis.axvline(formula, 0, 0.7, color="black", linestyle="--", linewidth=1, label="ε²/(2(n + 2)) · Ric(v, v)")
    axis.set_ylim(0, counts.max() / 0.68)
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.set_xlabel(f"contraction, {found.n} points, ε = {found.sample_eps:g}, d ≈ {found.sample_apart:g}")
    axis.set_ylabel("pairs")
    axis.legend(loc="upper left", **_LEGEND)


def stability(found: Stability) -> Figure:
    """Left against right sides, in one panel for kernels and one for truncation."""
    figure, axes = _figure(7, 3.6, 2)
    for axis, kind in zip(axes, ("kernel", "truncation"), strict=True):
        names = [name for name in PLACES if name.endswith(kind)]
        for color, size, name in zip(PALETTE, _SIZES, names, strict=False):
            some = {by: sides for by, sides in found.sides[name].items() if by != ONE}
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


def sampling(found: SamplingConvergence) -> Figure:
    """Bounds against n, for single samples and their mean."""
    figure, (axis,) = _figure(6.5, 3.0)
    means = found.bounds.mean(axis=1)
    for column in found.bounds.T:
        axis.loglog(found.sizes, column, "o", color=PALETTE[3], markersize=2.5, alpha=0.8)
    axis.loglog(
        found.sizes,
        means,
        "o-",
        color=PALETTE[0],
        markersize=4,
        linewidth=1.2,
        label=f"mean, exponent {found.rate:.2f}".replace("-", "−"),
    )
    for slope, line, name in ((-0.5, "--", "−1/2"), (-1 / 3, ":", "−1/3, as proven")):
        guide = 1.4 * means[0] * (found.sizes / found.sizes[0]) ** slope
        axis.loglog(found.sizes, guide, line, color=GRAY, linewidth=1, label=f"slope {name}")
    axis.plot([], [], "o", color=PALETTE[3], markersize=2.5, label="single samples")
    _plain_ticks(axis.xaxis, found.sizes)
    axis.set_xlabel("n")
    axis.set_ylabel("upper bound of d$_{GW,1}$")
    axis.legend(loc="lower left", **_LEGEND)
    return figure


def prokhorov(found: Prokhorov) -> Figure:
    """W1 against the Prokhorov distance, with both bounds of every trial."""
    figure, (axis,) = _figure(6.5, 3.0)
    dp, w1 = np.sqrt(found.lower.left), found.lower.right
    some = dp > 0
    axis.loglog(dp[some], w1[some], "o", color=PALETTE[0], markersize=3, label="W1")
    axis.loglog(dp[some], found.upper.right[some], "_", color=PALETTE[1], markersize=6, label="(1 + diam)·d$_P$")
    ends = np.array([dp[some].min(), dp[some].max()])
    axis.loglog(ends, ends**2, "--", color=GRAY, linewidth=1, label="d$_P$²")
    _plain_ticks(axis.xaxis, np.array([0.05, 0.1, 0.2, 0.5]))
    axis.set_xlabel("Prokhorov distance d$_P$")
    axis.set_ylabel("W1 and its bounds")
    axis.legend(loc="lower right", **_LEGEND)
    return figure
