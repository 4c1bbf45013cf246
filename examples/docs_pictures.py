"""Pictures of the documentation that no other example and no experiment draws, of the files that its pages read.

Saves tables.png, tracks.png, scans.png, images.png, distances.png and suggest.png:
`python examples/docs_pictures.py [FOLDER]`, by default docs/images. Of the others front.png is made by front.py,
communities.png by communities.py, ridge.png by ridge.py; t-junction.png is the figure t-junction-2 of
`python -m wt_paper t-junction`, explore.png is the page of `wt explore`.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import dendrogram
from skimage import data

import wasserstein_transform as wt

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "docs"))
from building.samples import make_files  # noqa: E402

FAINT = "#C8C8C8"


def tables() -> Any:
    """The plants of docs/tables.md."""
    return wt.cluster(wt.read("plants.csv")).plot()


def tracks() -> Any:
    """Fixes of trips through streets, and the lines made of them, as docs/tracks.md has them."""
    found = wt.denoise(wt.read("trips.csv"))
    figure, (left, right) = wt.plotting.panels(1, 2, width=11.0, height=4.2)
    wt.plotting.denoised(found, ax=left, title="fixes before and after", legend=True)
    wt.plotting.skeleton(wt.skeleton(found), ax=right, title="lines; dots are junctions")
    return figure


def scans() -> Any:
    """A strip of the hill of docs/scans.md, from the side."""
    table = wt.read("scan.las")
    found = wt.denoise(table)
    strip = np.abs(table["y"] - 20) < 1
    figure, axes = wt.plotting.panels(1, 2, width=10.0, height=3.0)
    for ax, points, title in zip(axes, (found.before, found.points), ("before", "after"), strict=True):
        wt.plotting.cloud(points[strip][:, [0, 2]], ax=ax, title=f"a strip of 2 m, {title}")
        ax.set(xlabel="x, meters", ylabel="height, meters", ylim=(-1, 6), aspect="auto")
    return figure


def images() -> Any:
    """Regions of a photograph, and the strength of its boundaries."""
    found = wt.segment(data.chelsea())
    figure, axes = wt.plotting.panels(1, 3, width=11.0, height=3.0)
    axes[0].imshow(found.image.astype(np.uint8))
    axes[0].set_title("a photograph", loc="left", fontsize=10)
    wt.plotting.segmentation(found.filtered, found.labels, axes[1], title=f"{found.n_segments} regions")
    axes[2].imshow(found.tree.contours(), cmap="gray_r")
    axes[2].set_title("strength of every boundary", loc="left", fontsize=9)
    for ax in axes:
        ax.set_axis_off()
    return figure


def distances() -> Any:
    """Trees of the cities of docs/distances.md, before and after local truncation."""
    D = wt.io.read_matrix("cities.csv")
    space = wt.Space.from_distances(D)
    found = wt.cluster(D, 3, metric="precomputed")
    trees = {
        "kilometers": wt.hierarchy.linkage(space),
        "after local truncation": wt.LocalTruncation("auto").fit(space).linkage(),
    }
    figure, axes = wt.plotting.panels(1, 2, width=9.0, height=4.6)
    names = list(D.index)
    for ax, (title, tree) in zip(axes, trees.items(), strict=True):
        dendrogram(tree, ax=ax, orientation="left", labels=names, link_color_func=lambda _: "#777777")
        for text in ax.get_yticklabels():
            text.set_color(wt.plotting.color(int(found.labels[names.index(text.get_text())])))
            text.set_fontsize(9)
        ax.set_title(title, loc="left", fontsize=10)
        ax.spines[["top", "left", "right"]].set_visible(False)
    return figure


def suggest() -> Any:
    """A radius for a noisy spiral, and one step at it, as docs/parameters.md has them."""
    X = wt.datasets.spiral(0, n=900, noise=0.8, n_outliers=60).points
    found = wt.suggest(X, "curve")
    moved = wt.GaussianTransform(found.eps, found.lam, ridge=1, n_iter=1).fit(X).trajectory_.points
    before, after = "before", f"one step at ε = {found.eps:.2g}"
    figure, (left, right) = wt.plotting.panels(1, 2, width=9.5, height=4.0)
    wt.plotting.suggestion(found, left, title="radii that were tried")
    both, when = np.vstack([X, moved]), np.repeat([before, after], len(X))
    colors = {before: FAINT, after: wt.plotting.color(0)}
    wt.plotting.cloud(both, when, ax=right, colors=colors, legend=True, title="GaussianTransform(ridge=1)")
    return figure


def main(folder: str | Path = FOLDER) -> None:
    """Draw and save them all."""
    target = Path(folder).resolve()
    with tempfile.TemporaryDirectory() as files, contextlib.chdir(files):
        make_files()
        for draw in (tables, tracks, scans, images, distances, suggest):
            file = target / f"{draw.__name__}.png"
            draw().savefig(file, dpi=130)
            print(f"figure saved as {file.name}, {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*sys.argv[1:2])
