"""The picture of the front page: four kinds of data before and after.

Saves front.png and, for narrow screens, front-narrow.png: `python examples/front.py [FILE]`, by default in docs/images.
The photograph comes with scikit-image; nothing is downloaded.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from skimage import data
from skimage.transform import resize

import wasserstein_transform as wt
from wasserstein_transform.plotting.style import color

FILE = Path(__file__).parents[1] / "docs" / "images" / "front.png"
FAINT, INK = "#8D949B", "#222222"


def clusters(before: Any, after: Any) -> str:
    """No parameters: the number of clusters comes from the data, two discs and the bar that joins them."""
    X = wt.datasets.dumbbell().points
    found = wt.cluster(X)
    _dots(before, X, FAINT, 4)
    noise = found.labels < 0
    _dots(after, X[noise], "#C8C8C8", 3)
    for label in range(found.labels.max() + 1):
        _dots(after, X[found.labels == label], color(label), 4)
    return f"{found.labels.max() + 1} clusters, {noise.sum()} noise points"


def tracks(before: Any, after: Any) -> str:
    """GPS fixes of trips through a town, and the streets made of them."""
    X, trips, _ = wt.datasets.streets(2, n_trips=120)
    lines = wt.skeleton(wt.denoise(X, order=trips))
    _dots(before, X, FAINT, 1.5)
    _dots(after, X, "#DADCE0", 0.8)
    after.add_collection(LineCollection([np.asarray(line) for line in lines.lines], colors=color(0), lw=1.6))
    return f"{len(X):,} fixes, {sum(lines.lengths) / 1000:.0f} km of streets"


def photo(before: Any, after: Any) -> str:
    """The regions people would draw."""
    image = (255 * resize(data.coffee(), (300, 450), anti_aliasing=True)).astype(np.uint8)
    found = wt.segment(image)
    before.imshow(image)
    wt.plotting.segmentation(found.filtered, found.labels, after, edge="white", lw=1.0)
    return f"{found.labels.max() + 1} regions"


def curve(before: Any, after: Any) -> str:
    """Noisy points onto the curve they were drawn from."""
    drawn = wt.datasets.spiral(0, n=1500, noise=0.9, n_outliers=0)
    X, found = drawn.points, wt.denoise(drawn.points)
    error, rest = (np.median(drawn.curve.distance(points)) for points in (X, found.points))
    _dots(before, X, FAINT, 3)
    _dots(after, found.points, color(1), 3)
    return f"median error {error:.2f} → {rest:.2f}"


def _dots(ax: Any, X: np.ndarray, ink: Any, size: float) -> None:
    ax.scatter(*X.T, s=size, color=ink, linewidths=0)
    ax.set_aspect("equal")


COLUMNS = {
    "wt.cluster(X)": clusters,
    "wt.skeleton(wt.denoise(X))": tracks,
    "wt.segment(photo)": photo,
    "wt.denoise(X)": curve,
}


def wide() -> Figure:
    """Before above after, a column for each kind of data."""
    figure = Figure(figsize=(13.0, 5.6), facecolor="white")
    for place, name in ((0.70, "before"), (0.25, "after")):
        figure.text(0.012, place, name, rotation=90, va="center", ha="center", fontsize=14, color=INK)
    for column, (call, draw) in enumerate(COLUMNS.items()):
        left = 0.03 + 0.243 * column
        before, after = (figure.add_axes((left, bottom, 0.228, 0.405)) for bottom in (0.515, 0.075))
        told = draw(before, after)
        figure.text(left + 0.114, 0.965, call, ha="center", va="center", fontsize=12.5, family="monospace", color=INK)
        figure.text(left + 0.114, 0.035, told, ha="center", va="center", fontsize=14, color=INK)
    return figure


def narrow() -> Figure:
    """Before beside after, a row for each kind of data: for phones."""
    figure = Figure(figsize=(5.2, 9.6), facecolor="white")
    for row, (call, draw) in enumerate(COLUMNS.items()):
        bottom = 0.76 - 0.25 * row
        before, after = (figure.add_axes((left, bottom, 0.46, 0.19)) for left in (0.02, 0.52))
        told = draw(before, after)
        figure.text(0.02, bottom + 0.222, call, va="center", fontsize=12.5, family="monospace", color=INK)
        figure.text(0.02, bottom + 0.203, told, va="center", fontsize=12, color=INK)
    return figure


def main(file: str | Path = FILE) -> None:
    """Draw and save both."""
    path = Path(file)
    for figure, name in ((wide(), path.name), (narrow(), f"{path.stem}-narrow{path.suffix}")):
        for ax in figure.axes:
            ax.set_axis_off()
        figure.savefig(path.with_name(name), dpi=130)
        print(f"figure saved as {name}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
