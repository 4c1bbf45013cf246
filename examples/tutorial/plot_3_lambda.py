"""
3. What λ does
==============

The Gaussian Transform compares two points by their places and by the covariances of their neighborhoods (Section
3.2): d² = ‖x − y‖² + λ·dcov²(Σ(x), Σ(y)). λ is the weight of the second part. With λ = 0 only the place counts. With
a large λ, points are near only if their neighborhoods also have the same shape and direction.
"""

# %%
# **Balls follow structure.** A grid of 100 × 100 points with a line of 1001 points through it (Section 4.4). The
# picture shows the ball of the point in the middle, for several λ and the same ε. With λ = 0 it is a disc. With
# larger λ it gets narrower and follows the line, because points beside the line have rounder neighborhoods.

# sphinx_gallery_thumbnail_number = 1
import numpy as np
from matplotlib import colormaps

import wasserstein_transform as wt

grid, _ = wt.datasets.grid_with_line()
figure, ax = wt.plotting.panels(1, 1, width=6, height=5.2)
wt.plotting.cloud(grid, ax=ax, size=6, colors="#D0D0D0")
middle = int(np.linalg.norm(grid - 0.5, axis=1).argmin())
start = wt.iterate(wt.gaussian_transform(eps=0.2), wt.Space.from_points(grid), n_iter=0).last.metric
lams = (0, 5, 20, 50, 200)
for lam, shade in zip(lams, colormaps["viridis"](np.linspace(0.15, 0.95, len(lams))), strict=True):
    distances = wt.spaces.GaussianMetric(start.means, start.covs, lam).block([middle], np.arange(len(grid)))[0]
    ball = grid[distances <= 0.2]
    ax.scatter(*ball.T, s=12, color=shade, linewidths=0, label=f"λ = {lam:g} ({len(ball)})")
ax.legend(fontsize=7, frameon=False, handletextpad=0.2, loc="upper right")
ax.set_aspect("equal", adjustable="box")
ax.set(xlim=(0.27, 0.73), ylim=(0.27, 0.73))

# %%
# **Crossing shapes come apart.** The T-junction of Section 6.1: two bars that touch. For the Euclidean distance they
# are one piece. Two iterations for three values of λ, then single linkage cut into two clusters. The adjusted Rand
# index (ARI) compares the result with the true bars: 1 is perfect, 0 is chance.

import warnings

from sklearn.metrics import adjusted_rand_score

X, truth = wt.datasets.t_junction()
warnings.simplefilter(
    "ignore", wt.hierarchy.FewerClustersWarning
)  # small λ finds only one cluster, as the pictures show

figure, axes = wt.plotting.panels(2, 3, width=7.5, height=5)
for (top, below), lam in zip(axes.T, (0.0, 1.0, 5.0), strict=True):
    gt = wt.GaussianTransform(eps=10.0, lam=lam, n_iter=2).fit(X)
    found = wt.SingleLinkage(n_clusters=2, cut="robust").fit(gt)
    score = adjusted_rand_score(truth, found.labels_)
    print(f"λ = {lam:g}: clusters of {np.bincount(found.labels_)} points, ARI {score:.2f}")
    wt.plotting.cloud(X, found.labels_, ax=top, size=9, title=f"λ = {lam:g}: ARI {score:.2f}")
    top.set_axis_off()
    wt.plotting.dendrogram(found, ax=below, title="single linkage")

# %%
# With λ = 0 and λ = 1 three arms separate at the same height, so no cut gives two clusters, and single linkage
# reports one. With λ = 5 the horizontal bar stays in one piece. A few points at the junction go to the wrong bar.
#
# **Too much λ.** On the dumbbell the result hardly depends on λ, up to a point. With λ = 1000 small differences of
# shape outweigh the distance, and the discs break up.

X, truth = wt.datasets.dumbbell()
for lam in (0.0, 1.0, 5.0, 20.0, 100.0, 1000.0):
    gt = wt.GaussianTransform(eps=0.2, lam=lam, n_iter=2).fit(X)
    found = wt.SingleLinkage(n_clusters=3, cut="robust").fit(gt)
    moved = np.linalg.norm(gt.points_ - X, axis=1)
    sizes = np.bincount(found.labels_)
    score = adjusted_rand_score(truth, found.labels_)
    print(f"λ = {lam:6g}: mean step {moved.mean():.3f}, clusters {sizes}, ARI {score:.2f}")

# %%
# Start with λ between 1 and 10. :doc:`Next: why it is fast </tutorial/plot_4_speed>`.
