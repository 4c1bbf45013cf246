"""Pictures of the documentation that no other example and no experiment draws.

Saves cluster.png, suggest.png and curves.png: `python examples/docs_pictures.py [FOLDER]`, by default docs/images.
Of the others demo.png is made by demo.py, ridge.png by ridge.py; t-junction.png and choosing.png are the figures
t-junction-2 and choosing of `python -m wt_paper t-junction choosing`, explore.png is the page of `wt explore`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import wasserstein_transform as wt

FOLDER = Path(__file__).parents[1] / "docs" / "images"
FAINT = "#C8C8C8"


def cluster() -> Any:
    """The dumbbell's clusters, as docs/clustering.md finds them."""
    return wt.cluster(wt.datasets.dumbbell().points).plot(details=True)


def suggest() -> Any:
    """A radius for a noisy spiral, and one step at it, as docs/choosing.md has them."""
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


def curves() -> Any:
    """Fixes of trips through streets, and the lines made of them, as docs/curves.md has them."""
    X, trips, _ = wt.datasets.streets(2, n_trips=120)
    found = wt.denoise(X, order=trips)
    figure, (left, right) = wt.plotting.panels(1, 2, width=11.0, height=4.2)
    wt.plotting.denoised(found, ax=left, title="fixes before and after", legend=True)
    wt.plotting.skeleton(wt.skeleton(found), ax=right, title="lines; dots are junctions")
    return figure


def main(folder: str | Path = FOLDER) -> None:
    """Draw and save them all."""
    for draw in (cluster, suggest, curves):
        file = Path(folder) / f"{draw.__name__}.png"
        draw().savefig(file, dpi=140)
        print(f"figure saved as {file.name}, {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*sys.argv[1:2])
