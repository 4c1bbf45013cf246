"""
1. From points to measures
==========================

The Wasserstein Transform has three steps. Give every point the probability measure of its neighborhood. Compare these
measures by optimal transport. Use the result as the new distance. This page shows the three steps on one data set,
the dumbbell of Section 6.2 of the paper: two discs joined by a chain of points.
"""

# %%
# The data: 300 points in each disc, 200 points on the chain. We follow three of them: the center of a disc, a point
# on the rim of the other disc, and a point on the chain.

# sphinx_gallery_thumbnail_number = 2
import numpy as np
from matplotlib.patches import Circle

import wasserstein_transform as wt

X, truth = wt.datasets.dumbbell()
space = wt.Space.from_points(X)  # all points have the same weight


def nearest(place: tuple[float, float]) -> int:
    """Index of the point nearest to a place."""
    return int(np.argmin(np.linalg.norm(X - place, axis=1)))


chosen = {"center": nearest((-2.0, 0.0)), "rim": nearest((2.0, 1.0)), "chain": nearest((0.0, 0.0))}

# %%
# **Step 1: localization.** A localization maps every point to a probability measure (Section 3.2). Three choices:
#
# - ``wt.Truncation(eps)``: the points within distance ε, all with their own weight,
# - ``wt.Kernel(eps)``: all points, with weights that fall with the distance,
# - ``wt.Gaussian(wt.Truncation(eps), lam)``: a Gaussian with the covariance of the ball, times λ.
#
# Calling a localization on a space returns one measure for each point.

eps = 0.4
balls = wt.Truncation(eps)(space).matrix().toarray()  # row i is the measure of point i
kernels = wt.Kernel(eps / 2, "gaussian")(space).matrix().toarray()
gaussians = wt.Gaussian(wt.Truncation(eps), lam=1.0)(space)

for name, i in chosen.items():
    print(f"{name}: {np.count_nonzero(balls[i])} points in the ball, masses sum to {balls[i].sum():.3f}")
    print("  covariance of the ball:", gaussians.covs[i].round(3).tolist())

# %%
# The ball of the center is round. The ball of the rim is half a disc. The ball of the chain is a line. The
# covariances say the same in three numbers.

figure, axes = wt.plotting.panels(3, 1, width=7, height=7.2)
titles = ("balls: wt.Truncation", "kernels: wt.Kernel", "Gaussians: wt.Gaussian")
for ax, title in zip(axes, titles, strict=True):
    wt.plotting.cloud(X, ax=ax, colors="#D5D5D5", size=9, title=title)
for label, i in enumerate(chosen.values()):
    color = wt.plotting.color(label)
    inside = balls[i] > 0
    axes[0].scatter(*X[inside].T, s=12, color=color)
    axes[0].add_patch(Circle(X[i], eps, fill=False, ec=color, lw=1.5))
    strength = kernels[i] / kernels[i].max()
    axes[1].scatter(*X.T, s=16, color=color, alpha=strength, lw=0)
    axes[2].scatter(*X[i], s=20, color=color)
which = list(chosen.values())
wt.plotting.ellipses(X[which], gaussians.covs[which], labels=[0, 1, 2], ax=axes[2], title=titles[2])
for ax in axes:
    ax.set_aspect("equal", adjustable="box")
    ax.set(xlim=(-3.1, 3.1), ylim=(-1.1, 1.45))
    ax.set_axis_off()

# %%
# **Step 2: transport.** Take two pairs of points, each about two spacings of the grid apart. The first pair lies
# inside a disc. The second pair is a point of the disc and a point near the end of the chain. ``wt.wasserstein``
# finds the cheapest way to turn one measure into the other, and its cost: the distance W1 (Section 2.2).

eps = 0.2
D = space.metric.dense()
balls = wt.Truncation(eps)(space).matrix().toarray()
pairs = {
    "inside a disc": (nearest((-2.05, 0.36)), nearest((-1.84, 0.36))),
    "disc and chain": (nearest((-1.22, -0.05)), nearest((-0.99, 0.0))),
}
plans = {}
for name, (i, j) in pairs.items():
    rows, columns = np.flatnonzero(balls[i]), np.flatnonzero(balls[j])
    plans[name] = wt.wasserstein(balls[i, rows], balls[j, columns], D[np.ix_(rows, columns)]), rows, columns
    print(f"{name}: distance {D[i, j]:.3f}, transport distance {plans[name][0].value:.3f}")

# %%
# Two points with the same surroundings keep their distance. The point of the disc and the end of the chain have
# different surroundings: mass has to travel farther than from one point to the other, and their distance grows by
# about a quarter. Lines show where the mass goes; thick lines carry more. Of all near pairs of disc and chain, this
# is the one that grows most. Not all grow: right at the mouth of the chain, neighborhoods are alike, and points come
# nearer.

figure, axes = wt.plotting.panels(1, 2, width=8, height=4.2)
for ax, (name, (i, j)) in zip(axes, pairs.items(), strict=True):
    coupling, rows, columns = plans[name]
    wt.plotting.cloud(X, ax=ax, colors="#CFCFCF", size=12, title=f"{name}: {D[i, j]:.3f} → {coupling.value:.3f}")
    for a, b in zip(*np.nonzero(coupling.plan), strict=True):
        ends = X[[rows[a], columns[b]]]
        ax.plot(*ends.T, color="#333333", lw=30 * coupling.plan[a, b], alpha=0.7)
    for label, k in enumerate((i, j)):
        ax.add_patch(Circle(X[k], eps, fill=False, ec=wt.plotting.color(label), lw=1.5))
        ax.scatter(*X[k], s=45, color=wt.plotting.color(label), zorder=3)
    middle = X[[i, j]].mean(axis=0)
    ax.set_aspect("equal", adjustable="box")
    ax.set(xlim=middle[0] + np.array([-0.36, 0.36]), ylim=middle[1] + np.array([-0.36, 0.36]))
    ax.set_axis_off()

# %%
# **Step 3: the new distance.** A transform is a localization and a transport. It does this for all pairs of points:
# here, 319,600 transport problems. The result is a space again, so it can be clustered, drawn, or transformed once
# more. This one is the local truncation with p = 1 (LT-WT1 in the paper).

transform = wt.Transform(wt.Truncation(eps), wt.Exact(p=1))
new = transform(space)
for name, (i, j) in pairs.items():
    print(f"{name}: {D[i, j]:.3f} becomes {new.metric.dense()[i, j]:.3f}")

# %%
# Single linkage shows the gain. Before, no height separates the two discs: as soon as the points of a disc merge,
# both discs and the chain are one cluster. After one step, the discs are whole before they merge. Blue and orange are
# the discs, green is the chain.

figure, (left, right) = wt.plotting.panels(1, 2, width=9, height=3.4)
wt.plotting.dendrogram(wt.linkage(space), labels=truth, ax=left, title="before")
wt.plotting.dendrogram(wt.linkage(new), labels=truth, ax=right, title="after one step")

# %%
# :doc:`Next: mean shift is the simplest transform </tutorial/plot_2_mean_shift>`.
