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
from ..transforms import Trajectory
from .clouds import cloud
from .clusterings import draw as draw_clustering, draw_profile
from .colors import draw_legend_above
from .curves import denoised, skeleton
from .dendrograms import dendrogram
from .embedding import mds
from .graphs import communities, curvature, flow
from .images import segmentation
from .style import INK, LEGEND, TEXT, THIN, TICKS, canvas, color, expect, tidy, without_pyplot
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


def _draw_score(score: Score, title: str | None = None) -> Any:
    """Bars of the criteria that have a best and a worst value: full is best."""
    bounded = {name: criterion for name, criterion in CRITERIA.items() if criterion.best.lstrip("-").isdigit()}
    values = [getattr(score, name) for name in bounded]
    ends = [(float(criterion.worst), float(criterion.best)) for criterion in bounded.values()]
    filled = [
        np.clip((value - worst) / (best - worst), 0, 1) for value, (worst, best) in zip(values, ends, strict=True)
    ]
    ax = canvas(None, size=CHART_SIZE)
    texts = ["unknown" if np.isnan(value) else f"{value:.2f}" for value in values]
    bars = ax.barh([criterion.name for criterion in bounded.values()], np.nan_to_num(filled), color=color(0))
    ax.bar_label(bars, texts, padding=2, fontsize=TICKS, color=INK)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.12)
    ax.set_xticks([0, 1], ["worst", "best"])
    tidy(ax, score.summary if title is None else title)
    return ax


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
    ax = canvas(ax, size=CHART_SIZE)
    radii, columns = found.table["eps"], COLUMNS_OF_PURPOSE[found.purpose]
    for k, (name, label) in enumerate(columns.items()):
        ax.plot(radii, found.table[name], f"{'os'[k]}-", ms=DOT_SIZE, lw=1, color=color(k), label=label)
    for eps, count in zip(radii, found.table.get("clusters", []), strict=False):
        ax.text(eps, 0.02, count, transform=ax.get_xaxis_transform(), ha="center", fontsize=TICKS, color=INK)
    ax.axvline(found.eps, color=INK, lw=THIN, zorder=0)
    _make_log(ax, ax.xaxis)
    if "noise" in columns:
        _make_log(ax, ax.yaxis)
    else:
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set_xlabel(f"ε, chosen: {found.eps:.3g}", fontsize=TEXT, color=INK)
    draw_legend_above(ax)
    tidy(ax, title, LEGEND)
    return ax


COLUMNS_OF_PURPOSE = {
    "clusters": {"alone": "points without neighbors", "share": "points in a typical ball"},
    "modes": {"stability": "agreement with the next ε (numbers: clusters)"},
    "curve": {"noise": "noise across lines"},
    "surface": {"noise": "noise across planes"},
}
"""The columns of a suggestion that are drawn, and their names in the legend."""


def _make_log(ax: Any, axis: Any) -> None:
    """Make an axis logarithmic, with plain numbers at 1, 2 and 5 times powers of ten."""
    from matplotlib.ticker import LogLocator, NullLocator

    ax.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(NullLocator())


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
    Curvature: curvature,
    Flow: flow,
    Communities: communities,
    Segmentation: lambda found, **options: segmentation(found.image, found.labels, **options),
}
"""The function that draws each class of results."""
