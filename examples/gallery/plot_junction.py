"""
What λ does: two bars that cross
================================

The paper's T-junction: two bars that touch. To the Euclidean distance they are one piece. The Gaussian Transform
compares directions of neighborhoods, and λ is how much they count.
"""

# %%

import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt

X, truth = wt.datasets.t_junction()
print("points of the bars:", np.bincount(truth))

# %%
# Two iterations each, with λ from 0 (mean shift) to 5, then single linkage cut into two clusters. Above, points are
# drawn where they were and colored by what was found; the adjusted Rand index (ARI) compares it with the true bars.
# Below are the trees.

warnings.simplefilter("ignore", wt.FewerClustersWarning)  # that two small λ find only one cluster is the point

figure, axes = wt.plotting.panels(2, 3, width=10, height=6)
for (top, below), lam in zip(axes.T, (0.0, 1.0, 5.0), strict=True):
    gt = wt.GaussianTransform(eps=10.0, lam=lam, n_iter=2).fit(X)
    found = wt.SingleLinkage(n_clusters=2).fit(gt)
    score = adjusted_rand_score(truth, found.labels_)
    print(f"λ = {lam:g}: clusters of {np.bincount(found.labels_)} points, adjusted Rand index {score:.2f}")
    wt.plotting.cloud(X, found.labels_, ax=top, title=f"λ = {lam:g}: ARI {score:.2f}")
    wt.plotting.dendrogram(found, ax=below, title="its tree")

# %%
# With λ = 0 and λ = 1 three arms come apart at the same height, so no cut makes two clusters, and single linkage
# reports one. With λ = 5 directions count enough to keep the bar that is met in its middle in one piece. Some points
# where the bars touch go with the wrong one.
