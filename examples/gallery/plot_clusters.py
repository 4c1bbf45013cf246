"""
Clusters where noise connects them
==================================

Two discs are joined by a chain of points. Single linkage follows the chain and finds one cluster. After the Gaussian
Transform the chain is far from the discs, because its neighborhoods are lines and theirs are not.
"""

# %%
# The data come with the truth: 300 + 300 points in discs, 200 on the chain. ``wt.cluster`` compares several trees and
# radii, and says how sure it is. The label −1 is noise.

# sphinx_gallery_thumbnail_number = 2
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt

X, truth = wt.datasets.dumbbell()
found = wt.cluster(X)
print(found)
print("adjusted Rand index:", round(adjusted_rand_score(truth, found.labels), 2))

# %%

figure = found.plot(details=True)

# %%
# **Step by step.** Two iterations of the Gaussian Transform, then the same single linkage that failed before.

gt = wt.GaussianTransform(eps=0.2, lam=1.0, n_iter=2).fit(X)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", wt.hierarchy.FewerClustersWarning)  # before, there is only one cluster
    before = wt.SingleLinkage(n_clusters=3, cut="robust").fit(X)
after = wt.SingleLinkage(n_clusters=3, cut="robust").fit(gt)
for when, fitted in (("before", before), ("after", after)):
    print(when, np.bincount(fitted.labels_), round(adjusted_rand_score(truth, fitted.labels_), 2))

# %%

figure, axes = wt.plotting.panels(2, 2, width=9, height=6)
for row, when, fitted in zip(axes, ("before", "after"), (before, after), strict=True):
    count = f"{fitted.n_clusters_} cluster" + "s" * (fitted.n_clusters_ > 1)
    wt.plotting.cloud(X, fitted.labels_, ax=row[0], title=f"{when}: {count}")
    wt.plotting.dendrogram(fitted, ax=row[1], title="single linkage")

# %%
# :doc:`When it fails </tables>`, and what to change.
