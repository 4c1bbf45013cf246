"""The picture of every result, as a figure; and charts of results that have no other picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..clustering import Clustering
from ..clustering.profile import Profile
from ..clustering.scoring import CRITERIA, Score
from ..curves import Denoised, Skeleton
from ..estimators.saving import Saved
from ..graphs import Communities, Curvature, Flow
from ..hierarchy import Tree
from ..image import Segmentation
from ..parameters import Suggestion
from ..spaces import Euclidean, GaussianMetric
from ..tables.features import Features
from ..transforms import Trajectory
from ..transport import Coupling
from .clouds import cloud
from .clusterings import draw as draw_clustering, draw_profile
from .colors import draw_scale, marker, plain
from .curves import denoised, skeleton
from .dendrograms import dendrogram
from .embedding import Embedding, mds
from .graphs import communities, curvature, flow
from .images import segmentation
from .style import GRAY, INK, LEGEND, TEXT, THIN, TICKS, canvas, color, expect, tidy, without_pyplot
from .walks import kept_points, walk

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CHART_SIZE = (5.2, 3.0)  # size of a chart in inches
DOT_SIZE = 3.5


def figure_of(result: Any, title: str | None = None, **options: Any) -> Figure:
    """Draw a result in a new figure, made without pyplot; `result.plot()` calls this."""
    draw = next(draw for kind, draw in PICTURES.items() if isinstance(result, kind))
    with without_pyplot():
        drawn = draw(result, title=title, **options)
    figure: Figure = drawn if hasattr(drawn, "savefig") else np.ravel(drawn)[0].figure
    return figure


def _draw_trajectory(result: Trajectory, title: str | None = None, **options: Any) -> Any:
    """The points over the iterations; the last ones, or the last distances, if that is all there is."""
    moved = isinstance(result.last.metric, Euclidean | GaussianMetric) and result.last.metric.coordinates.shape[1] <= 3
    if moved and kept_points(result):
        return walk(result, title=title, **options)
    return (cloud if moved else mds)(result.last, title=title, **options)


def _draw_estimator(fitted: Saved, title: str | None = None, **options: Any) -> Any:
    check_is_fitted(fitted)
    if (clusters := getattr(fitted, "clustering_", None)) is not None:
        return draw_clustering(clusters, title=title, **options)
    if hasattr(fitted, "tree_"):
        return dendrogram(fitted, title=title, **options)
    return _draw_trajectory(fitted.trajectory_, title, **options)  # type: ignore[attr-defined]


def _draw_coupling(coupling: Coupling, title: str | None = None) -> Axes:
    ax = canvas(None, size=(CHART_SIZE[1] * 1.4, CHART_SIZE[1] * 1.2))
    draw_scale(ax, ax.imshow(coupling.plan, cmap="Blues" if coupling.sources is not None else "viridis", aspect="auto"))
    ax.set_xlabel("targets", fontsize=TEXT, color=INK)
    ax.set_ylabel("sources", fontsize=TEXT, color=INK)
    return _named(ax, title, f"plan, W = {coupling.value:.4g}")


def _draw_score(score: Score, title: str | None = None) -> Axes:
    """Bars of the criteria that have a best and a worst value: full is best."""
    bounded = {name: criterion for name, criterion in CRITERIA.items() if criterion.best.lstrip("-").isdigit()}
    values = [getattr(score, name) for name in bounded]
    ends = [(float(criterion.worst), float(criterion.best)) for criterion in bounded.values()]
    filled = [
        np.clip((value - worst) / (best - worst), 0, 1) for value, (worst, best) in zip(values, ends, strict=True)
    ]
    ax = canvas(None, size=CHART_SIZE)
    texts = ["unknown" if np.isnan(value) else f"{value:.2f}" for value in values]
    _bars(ax, [criterion.name for criterion in bounded.values()], np.nan_to_num(filled), texts)
    ax.set_xlim(0, 1.12)
    ax.set_xticks([0, 1], ["worst", "best"])
    return _named(ax, title, score.summary)


def _draw_features(features: Features, title: str | None = None) -> Axes:
    """Boxes of the coordinates as they are compared."""
    points = features.matrix()[features.rows]
    ax = canvas(None, size=(CHART_SIZE[0], 0.8 + 0.22 * points.shape[1]))
    ax.boxplot(
        list(points.T), orientation="horizontal", widths=0.6,
        flierprops={"marker": ".", "ms": 2, "mfc": GRAY, "mec": "none"}, medianprops={"color": color(0)},
    )  # fmt: skip
    ax.set_yticks(range(1, points.shape[1] + 1), [plain(name) for name in features.names])
    ax.invert_yaxis()
    return _named(ax, title, f"coordinates, {features.reading}")


def _bars(ax: Any, names: list[str], lengths: Any, texts: list[str]) -> None:
    drawn = ax.barh(range(len(names)), lengths, color=color(0), height=0.65)
    ax.bar_label(drawn, texts, padding=2, fontsize=TICKS, color=INK)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)


def _named(ax: Any, title: str | None, usual: str) -> Axes:
    tidy(ax, plain(usual) if title is None else title)
    axes: Axes = ax
    return axes


def suggestion(found: Suggestion, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw what was measured at each radius, with a line at the radius chosen.

    For clusters: the share of points without neighbors, and the share of all points in a typical ball. For modes: the
    agreement of the clusters with those at the next radius, and their number. For curves and surfaces: the spread of
    the points across them.

    Parameters
    ----------
    found : Suggestion
        The result of `wt.suggest`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    title : str, optional
        Title above the Axes; none by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> wt.plotting.suggestion(wt.suggest(wt.datasets.dumbbell().points), ax).get_xscale()
    'log'
    """
    expect(found, Suggestion, "wt.suggest(X) makes one")
    if not found.table:
        raise ValueError(f"this suggestion has no table, so there is nothing to draw: {found.reason}")
    axes = canvas(ax, size=CHART_SIZE)
    _DRAWN_BY_PURPOSE[found.purpose](axes, found)
    axes.axvline(found.eps, color=INK, lw=THIN, zorder=0)
    _make_log(axes, "x")
    axes.set_xlabel(f"ε, chosen: {found.eps:.3g}", fontsize=TEXT, color=INK)
    tidy(axes, title, LEGEND if found.purpose == "clusters" else None)
    drawn: Axes = axes
    return drawn


def _draw_clusters(ax: Any, result: Suggestion) -> None:
    _line(ax, result, "alone", 0, "points without neighbors")
    _line(ax, result, "share", 1, "points in a typical ball")
    _shares(ax)
    ax.legend(fontsize=TICKS, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, handlelength=1.2)
    top = max(*result.table["alone"], *result.table["share"], 0.1)
    ax.set_ylim(-0.05 * top, 1.1 * top)


def _draw_modes(ax: Any, result: Suggestion) -> None:
    _line(ax, result, "stability", 0, "")
    for eps, count, y in zip(result.table["eps"], result.table["clusters"], result.table["stability"], strict=True):
        ax.annotate(str(count), (eps, y), (0, 5), textcoords="offset points", ha="center", fontsize=TICKS, color=INK)
    _shares(ax)
    ax.set_ylim(-0.05, 1.15)
    ax.set_yticks([0, 0.5, 1])
    ax.set_ylabel("agreement with the next ε\n(numbers: clusters)", fontsize=TEXT, color=INK)


def _draw_shapes(ax: Any, result: Suggestion) -> None:
    _line(ax, result, "noise", 0, "")
    _make_log(ax, "y")
    if result.chosen is not None:
        level = result.table["noise"][result.chosen]
        ax.axhline(level, color=GRAY, lw=THIN, zorder=0)
        ax.annotate(
            f"noise {level:.3g}", (1, level), (-2, 3), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", fontsize=TICKS, color=INK,
        )  # fmt: skip
    across = "lines" if result.purpose == "curve" else "planes"
    ax.set_ylabel(f"noise across {across}", fontsize=TEXT, color=INK)


_DRAWN_BY_PURPOSE = {"clusters": _draw_clusters, "modes": _draw_modes, "curve": _draw_shapes, "surface": _draw_shapes}


def _line(ax: Any, result: Suggestion, name: str, k: int, label: str) -> None:
    ax.plot(result.table["eps"], result.table[name], f"{marker(k)}-", ms=DOT_SIZE, lw=1, color=color(k), label=label)


def _shares(ax: Any) -> None:
    ax.set_ylim(-0.03, 1.03)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")


def _make_log(ax: Any, name: str) -> None:
    ax.set(**{f"{name}scale": "log"})
    axis = getattr(ax, f"{name}axis")
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(_sparse)
    ax.tick_params(which="both", labelsize=TICKS)


def _sparse(value: float, _: int | None = None) -> str:
    """Minor tick labels of a logarithmic axis: only 2 and 5 are shown."""
    return f"{value:g}" if f"{value:e}"[0] in "25" else ""


PICTURES: dict[type, Callable[..., Any]] = {
    Clustering: draw_clustering,
    Profile: draw_profile,
    Score: _draw_score,
    Suggestion: suggestion,
    Denoised: denoised,
    Skeleton: skeleton,
    Trajectory: _draw_trajectory,
    Saved: _draw_estimator,
    Tree: dendrogram,
    Coupling: _draw_coupling,
    Embedding: lambda found, **options: cloud(found.points, **options),
    Features: _draw_features,
    Curvature: curvature,
    Flow: flow,
    Communities: communities,
    Segmentation: lambda found, **options: segmentation(found.image, found.labels, **options),
}
"""The function that draws each class of results."""
