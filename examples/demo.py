"""Single linkage before and after the Gaussian Transform, on the dumbbell and the T-junction.

Prints what a robust cut of its tree finds, saves one figure, and beside it the dumbbell as a table, points.csv:
`python examples/demo.py [FILE]`.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt


@dataclass(frozen=True)
class Case:
    """A data set, the transform for it, and how many clusters it has."""

    title: str
    data: wt.datasets.Labeled
    transform: wt.GaussianTransform
    n_clusters: int


CASES = (
    Case("dumbbell", wt.datasets.dumbbell(), wt.GaussianTransform(eps=0.2, lam=1.0, n_iter=2), 3),
    Case("T-junction", wt.datasets.t_junction(), wt.GaussianTransform(eps=10.0, lam=5.0, n_iter=2), 2),
)


def cluster(case: Case, space: wt.Space) -> wt.SingleLinkage:
    """Single linkage, cut robustly: no cluster is a few points, so there may be fewer than the data has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.hierarchy.FewerClustersWarning)  # that it finds fewer is what we print
        return wt.SingleLinkage(n_clusters=case.n_clusters, cut="robust").fit(space)


def report(case: Case, when: str, fitted: wt.SingleLinkage) -> None:
    """One line about what was found."""
    sizes = ", ".join(map(str, np.bincount(fitted.labels_)))
    score = adjusted_rand_score(case.data.labels, fitted.labels_)
    found = f"{fitted.n_clusters_} cluster{'s' if fitted.n_clusters_ > 1 else ''} of {sizes} points"
    print(f"{case.title:>11}, {when:<6}: {found:<36} adjusted Rand index {score:.2f}")


def main(file: str = "demo.png") -> None:
    """Run both cases and save the figure."""
    figure, axes = wt.plotting.panels(len(CASES), 4, width=12, height=5)
    for row, case in zip(axes, CASES, strict=True):
        space = wt.Space.from_points(case.data.points)
        moved = case.transform.fit(space).trajectory_.last
        before, after = cluster(case, space), cluster(case, moved)
        report(case, "before", before)
        report(case, "after", after)
        name = f"ε={case.transform.eps:g}, λ={case.transform.lam:g}, τ={case.transform.n_iter}"
        found = f"{case.title}, robust cut: {before.n_clusters_} cluster"
        wt.plotting.cloud(space.points, before.labels_, ax=row[0], title=found)
        wt.plotting.dendrogram(before, ax=row[1]).set_title("its tree, Euclidean distance", loc="left", fontsize=9)
        wt.plotting.dendrogram(after, ax=row[2]).set_title(f"its tree after GT ({name})", loc="left", fontsize=9)
        found = f"after GT, robust cut: {after.n_clusters_} clusters"
        wt.plotting.cloud(space.points, after.labels_, ax=row[3], title=found)
        for ax in (row[0], row[3]):
            ax.set_axis_off()
    figure.savefig(file, dpi=160)
    table = Path(file).with_name("points.csv")
    np.savetxt(table, CASES[0].data.points, "%.17g", ",", header="x,y", comments="")
    print(f"figure saved as {file}, the points of the dumbbell as {table}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
