"""A grid crossed by a dense line: the GT ball of a point of the line flattens along it as λ grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .. import plotting
from .._types import Floats
from ..datasets import Labelled, grid_with_line
from ..engine import Engine
from ..spaces import Space
from ..transforms import gaussian_transform, iterate
from .claims import Choice, Claim
from .experiment import Experiment, Picture, Table
from .layout import mosaic
from .parameters import Anisotropy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CENTER = (0.5, 0.5)


@dataclass(frozen=True, eq=False)
class Result:
    """GT distances from the centre, by λ."""

    parameters: Anisotropy
    data: Labelled
    center: int
    distances: dict[float, Floats]

    def half_widths(self, lam: float) -> Floats:
        """How far the ball reaches across and along the line."""
        ball = self.data.points[self.distances[lam] <= self.parameters.eps * (1 + 1e-12)]
        return np.asarray(np.abs(ball - _CENTER).max(axis=0))

    def spread(self, lam: float) -> Floats:
        """Root mean square extent of the ball's grid points across and along the line."""
        inside = (self.distances[lam] <= self.parameters.eps * (1 + 1e-12)) & (self.data.labels == 0)
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
    return Result(parameters, data, center, distances)


def claims(result: Result) -> Sequence[Claim]:
    """Flatter with λ."""
    return [_flattens(result)]


def _flattens(result: Result) -> Claim:
    lams = result.parameters.lams
    return Claim(
        "anisotropy: ball",
        "Anisotropy properties of GT, illustration",
        "The GT ball of (0.5, 0.5) is anisotropic and flattens along the line as λ grows.",
        "extent across the line over extent along it: 1 for λ = 0, strictly falling with λ",
        (
            _falling("half-widths of the ball", [_ratio(result.half_widths(lam)) for lam in lams], lams),
            _falling("root mean square extent of its grid points", [_ratio(result.spread(lam)) for lam in lams], lams),
        ),
    )


def _ratio(extent: Floats) -> float:
    return float(extent[0] / extent[1])


def _falling(name: str, ratios: list[float], lams: Sequence[float]) -> Choice:
    round_first = abs(ratios[0] - 1) < 0.03  # the grid's half-widths are multiples of its spacing, the line's are finer
    falls = all(later < earlier for earlier, later in pairwise(ratios))
    measured = ", ".join(f"λ = {lam:g}: {ratio:.2f}" for lam, ratio in zip(lams, ratios, strict=True))
    return Choice(name, round_first and falls, measured)


def tables(result: Result) -> Sequence[Table]:
    """Extents and sizes."""
    rows = []
    for lam, distances in result.distances.items():
        across, along = result.half_widths(lam)
        inside = int(np.count_nonzero(distances <= result.parameters.eps * (1 + 1e-12)))
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
    figure, axes = mosaic([["data", "balls"]], height=3.6)
    plotting.cloud(result.data.points, result.data.labels, ax=axes["data"], size=0.4, title="data")
    ax = plotting.balls(
        result.data.points, result.center, result.parameters.eps, result.parameters.lams, ax=axes["balls"]
    )
    ax.set_title("ball of (0.5, 0.5)", fontsize=8)
    return figure


EXPERIMENT = Experiment(
    "anisotropy",
    "Anisotropy: balls along a line",
    "A grid with a dense line through it. Near the line neighbourhoods change quickly across it and not at all along "
    "it: "
    "under the GT distance the ball of a point of the line should be narrow across and long along it, the more so the "
    "larger λ.",
    run,
    claims,
    pictures,
    tables,
)
