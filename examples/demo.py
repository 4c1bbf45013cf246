"""Single linkage before and after the Gaussian Transform, on the dumbbell and the T-junction.

Prints what single linkage finds and saves one figure: `python examples/demo.py [FILE]`.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import dendrogram, set_link_color_palette
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt

try:
    import matplotlib as mpl
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit('the demo draws with matplotlib, which is missing: pip install ".[plot]"')

COLORS = ("#0072B2", "#E69F00", "#009E73")  # safe for colour-blind eyes
GREY = "#999999"


@dataclass(frozen=True)
class Case:
    """A data set, the transform for it, and how many clusters it has."""

    title: str
    data: wt.datasets.Labelled
    transform: wt.GaussianTransform
    n_clusters: int


CASES = (
    Case("dumbbell", wt.dumbbell(), wt.GaussianTransform(eps=0.2, lam=1.0, n_iter=2), 3),
    Case("T-junction", wt.t_junction(), wt.GaussianTransform(eps=10.0, lam=5.0, n_iter=2), 2),
)


def cluster(case: Case, space: wt.Space) -> wt.SingleLinkage:
    """Single linkage, cut into as many clusters as the data has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.FewerClustersWarning)  # that it finds fewer is what we print
        return wt.SingleLinkage(n_clusters=case.n_clusters).fit(space)


def report(case: Case, when: str, fitted: wt.SingleLinkage) -> None:
    """One line about what was found."""
    sizes = ", ".join(map(str, np.bincount(fitted.labels_)))
    score = adjusted_rand_score(case.data.labels, fitted.labels_)
    found = f"{fitted.n_clusters_} cluster{'s' if fitted.n_clusters_ > 1 else ''} of {sizes} points"
    print(f"{case.title:>11}, {when:<6}: {found:<36} adjusted Rand index {score:.2f}")


def draw_points(ax: mpl.axes.Axes, case: Case, fitted: wt.SingleLinkage, title: str) -> None:
    """The points of the data, coloured by cluster."""
    for k in range(fitted.n_clusters_):
        here = case.data.points[fitted.labels_ == k]
        ax.plot(*here.T, ".", ms=3.5, color=COLORS[k], mew=0)
    ax.set_title(title, loc="left", fontsize=9)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
    ax.set_axis_off()


def draw_tree(ax: mpl.axes.Axes, case: Case, fitted: wt.SingleLinkage, title: str) -> None:
    """The dendrogram, branches coloured by the cluster all their points share."""
    Z, labels = fitted.linkage(), fitted.labels_
    below = [{label} for label in labels.tolist()]
    for a, b in Z[:, :2].astype(int):
        below.append(below[a] | below[b])
    color = [COLORS[next(iter(s))] if len(s) == 1 else GREY for s in below]
    set_link_color_palette(None)
    dendrogram(Z, ax=ax, no_labels=True, link_color_func=lambda k: color[k])
    for lines in ax.collections:
        lines.set_linewidth(0.7)
    ax.set_title(title, loc="left", fontsize=9)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.set_ylabel("merge height", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.set_ylim(0, 1.08 * Z[-1, 2])


def main(file: str = "demo.png") -> None:
    """Run both cases and save the figure."""
    figure, axes = plt.subplots(len(CASES), 4, figsize=(14, 5.6), layout="constrained")
    figure.get_layout_engine().set(wspace=0.06, hspace=0.08)
    for row, case in zip(axes, CASES, strict=True):
        space = wt.Space.from_points(case.data.points)
        moved = case.transform.fit(space).trajectory_.last
        before, after = cluster(case, space), cluster(case, moved)
        report(case, "before", before)
        report(case, "after", after)
        name = f"ε={case.transform.eps:g}, λ={case.transform.lam:g}, τ={case.transform.n_iter}"
        draw_points(row[0], case, before, f"{case.title}: single linkage finds {before.n_clusters_}")
        draw_tree(row[1], case, before, "its tree, Euclidean distance")
        draw_tree(row[2], case, after, f"its tree after GT ({name})")
        draw_points(row[3], case, after, f"after GT: single linkage finds {after.n_clusters_}")
    figure.savefig(file, dpi=160)
    print(f"figure saved as {file}")


if __name__ == "__main__":
    mpl.use("Agg")
    main(*sys.argv[1:2])
