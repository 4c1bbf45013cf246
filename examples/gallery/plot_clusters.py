"""
Clusters where noise connects them
==================================

Two discs are joined by a chain of points. Single linkage follows the chain and finds one cluster. After the Gaussian
Transform the chain is far from the discs, because its neighborhoods are lines and theirs are not.
"""

# %%
# The data come with the truth: 300 + 300 points in discs, 200 on the chain.

# sphinx_gallery_thumbnail_number = 2
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import wasserstein_transform as wt

X, truth = wt.datasets.dumbbell()

# %%
# **Without parameters.** ``wt.cluster`` compares several trees and radii and says how sure it is. The label −1
# is noise.

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
# **Real data: 178 wines** of three growers, 13 chemical measurements each, from scikit-learn. Columns have different
# units, so they are scaled first. Clusters are compact and overlap, so points have to move: three iterations.

wine = load_wine()
Z = StandardScaler().fit_transform(wine.data)
moved = wt.GaussianTransform(n_iter=3).fit(Z)
runs = {"raw distances": Z, "Gaussian Transform, 3 iterations": moved}
scores = {name: wt.SingleLinkage(n_clusters=3, cut="robust").fit_predict(data) for name, data in runs.items()}
for name, labels in scores.items():
    print(f"{name}: adjusted Rand index {adjusted_rand_score(wine.target, labels):.2f}")

# %%
# The first two principal axes, colored by grower. Left as given, right after the transform.

axes_of = PCA(2, random_state=0).fit(Z)
figure, axes = wt.plotting.panels(1, 2, width=9, height=4.2)
for ax, points, title in zip(axes, (Z, moved.points_), ("given", "after three iterations"), strict=True):
    wt.plotting.cloud(axes_of.transform(points), wine.target, ax=ax, size=22, title=title)
    ax.set_axis_off()

# %%
# Compact clusters are the home of k-means, which is as good here:

labels = KMeans(3, n_init=10, random_state=0).fit_predict(Z)
print(f"k-means: adjusted Rand index {adjusted_rand_score(wine.target, labels):.2f}")

# %%
# :doc:`When it fails </tables>`, and what to change.
