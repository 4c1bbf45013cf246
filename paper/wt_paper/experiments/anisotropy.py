"""A grid crossed by a dense line: the GT ball of a point of the line flattens along it as λ grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform._types import Floats
from wasserstein_transform.datasets import Labeled, grid_with_line
from wasserstein_transform.engine import Engine
from wasserstein_transform.spaces import Space, closed, rim
from wasserstein_transform.transforms import gaussian_transform, iterate
from wasserstein_transform.transport import bures_pairs

from .experiment import Choice, Claim, Experiment, Picture, Table
from .layout import mosaic
from .parameters import Anisotropy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CENTER = (0.5, 0.5)
_STEPS = 801  # positions along an axis


@dataclass(frozen=True, eq=False)
class Result:
    """GT distances from the center by λ, and for each λ the extent of the ball across the line over that along it."""

    parameters: Anisotropy
    data: Labeled
    center: int
    distances: dict[float, Floats]
    reach: tuple[float, ...]

    def half_widths(self, lam: float) -> Floats:
        """Half-widths of the ball across and along the line."""
        ball = self.data.points[self.distances[lam] <= rim(self.parameters.eps)]
        return np.asarray(np.abs(ball - _CENTER).max(axis=0))

    def spread(self, lam: float) -> Floats:
        """Root mean square extent of the ball's grid points across and along the line."""
        inside = (self.distances[lam] <= rim(self.parameters.eps)) & (self.data.labels == 0)
        return np.asarray(np.sqrt(((self.data.points[inside] - _CENTER) ** 2).mean(axis=0)))


def run(parameters: Anisotropy, engine: Engine) -> Result:
    """Distances of all points from the one in the middle of the line."""
    data = grid_with_line()
    center = int(np.flatnonzero((data.points == _CENTER).all(axis=1))[0])
    space = Space.from_points(data.points)
    everybody = np.arange(space.n)
    distances = {}
    for lam in parameters.lams:
        metric = iterate(gaussian_transform(parameters.eps, lam), space, n_iter=0, engine=engine).last.metric
        distances[lam] = metric.block(np.array([center]), everybody)[0]
    across, along = (_reaches(data.points, parameters, axis) for axis in (0, 1))
    return Result(parameters, data, center, distances, tuple((across / along).tolist()))


def _reaches(points: Floats, parameters: Anisotropy, axis: int) -> Floats:
    """Half-width of the ball along an axis for each λ, at any position, not only at points: where d² exceeds ε²."""
    eps = parameters.eps
    steps = np.linspace(0.0, eps, _STEPS)
    places = np.tile(_CENTER, (_STEPS, 1))
    places[:, axis] += steps
    covs = np.array([np.cov(points[np.hypot(*(points - x).T) <= rim(eps)].T, bias=True) for x in places])
    apart = bures_pairs(covs[:1], covs)[0] ** 2
    inside = [steps**2 + lam * apart <= closed(eps) for lam in parameters.lams]
    return np.array([steps[np.flatnonzero(row)[-1]] for row in inside])


def claims(result: Result) -> Sequence[Claim]:
    """The claim that the ball flattens as λ grows."""
    return [_flattens(result)]


def _flattens(result: Result) -> Claim:
    lams = result.parameters.lams
    spacing = 1 / 99 / result.parameters.eps  # resolution of the grid, relative to ε
    return Claim(
        "anisotropy: ball flattens",
        "Anisotropy properties of GT, illustration",
        "The GT ball of (0.5, 0.5) is anisotropic and flattens along the line as λ grows.",
        "extent across the line over extent along it: 1 for λ = 0, decreasing with λ; if measured at points of the "
        f"data, up to the spacing of the grid, {spacing:.2f} ε",
        (
            _falling("places on the two axes, wherever they are", result.reach, lams, 0.0),
            _falling("half-widths of the ball", [_ratio(result.half_widths(lam)) for lam in lams], lams, spacing),
            _falling("root mean square extent", [_ratio(result.spread(lam)) for lam in lams], lams, spacing),
        ),
    )


def _ratio(extent: Floats) -> float:
    return float(extent[0] / extent[1])


def _falling(name: str, ratios: Sequence[float], lams: Sequence[float], slack: float) -> Choice:
    falls = all(later < earlier + slack for earlier, later in pairwise(ratios)) and ratios[-1] < ratios[0] - slack
    measured = ", ".join(f"λ = {lam:g}: {ratio:.2f}" for lam, ratio in zip(lams, ratios, strict=True))
    return Choice(name, abs(ratios[0] - 1) <= max(slack, 1e-9) and falls, measured)


def tables(result: Result) -> Sequence[Table]:
    """Extent and size of the balls."""
    rows = []
    for lam, distances in result.distances.items():
        across, along = result.half_widths(lam)
        inside = int(np.count_nonzero(distances <= rim(result.parameters.eps)))
        rows.append((f"{lam:g}", f"{across:.3f}", f"{along:.3f}", str(inside)))
    return [
        Table("The ball of radius 0.2 about (0.5, 0.5)", ("λ", "half-width across", "along", "points"), tuple(rows))
    ]


def pictures(result: Result) -> Sequence[Picture]:
    """Data and balls, as in the paper."""
    return [
        Picture(
            "anisotropy",
            f"Left: a grid of 100 × 100 points and 1001 on x = 0.5. Right: the ball of radius "
            f"{result.parameters.eps:g} about "
            "(0.5, 0.5) under the GT distance, for several λ.",
            partial(draw, result),
        )
    ]


def draw(result: Result) -> Figure:
    """The data beside the balls."""
    from matplotlib import colormaps
    from matplotlib.patches import Circle

    eps = result.parameters.eps
    figure, axes = mosaic([["data", "balls"]], 3.2)
    plotting.cloud(result.data.points, result.data.labels, ax=axes["data"], size=0.5, title="data")
    ax = plotting.cloud(result.data.points, ax=axes["balls"], size=7, colors="#D0D0D0")
    shades = colormaps["viridis"](np.linspace(0.15, 0.95, len(result.distances)))  # sequential: the balls are nested
    for (lam, distances), shade in zip(result.distances.items(), shades, strict=True):
        inside = result.data.points[distances <= rim(eps)]
        ax.scatter(inside[:, 0], inside[:, 1], s=14, color=shade, linewidths=0, label=f"λ = {lam:g} ({len(inside)})")
    ax.add_patch(Circle((0.5, 0.5), eps, fill=False, ec=plotting.style.INK, lw=0.6, ls=(0, (4, 3))))
    for panel, (low, high) in ((axes["data"], (0.0, 1.0)), (ax, (0.5 - 1.15 * eps, 0.5 + 1.15 * eps))):
        panel.set_aspect("equal", adjustable="box")
        panel.set(xlim=(low, high), ylim=(low, high))
    ax.legend(*ax.get_legend_handles_labels(), loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    ax.set_title("ball of (0.5, 0.5)", loc="left", fontsize=9)
    return figure


EXPERIMENT = Experiment(
    "anisotropy",
    "Anisotropy: balls along a line",
    "A grid with a dense line through it. Near the line, neighborhoods change quickly across it and not at all along "
    "it. Under the GT distance the ball of a point on the line should be narrow across the line and long along it, and "
    "more so for larger λ.",
    run,
    claims,
    pictures,
    tables,
)
