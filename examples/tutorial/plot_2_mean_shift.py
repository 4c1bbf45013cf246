"""
2. Mean shift is the simplest transform
=======================================

Replace the measure of every point by its mean, and the transform becomes mean shift (Section 3.2). The Gaussian
Transform keeps the covariance as well. With λ = 0 the covariance does not count, and both are the same. This page
checks that, and then looks at what moves when the transform is repeated.
"""

# %%
# Two noisy circles. One step of mean shift by hand: every point moves to the mean of the points within ε.

import numpy as np
from scipy.spatial.distance import cdist

import wasserstein_transform as wt

X, labels, curve = wt.datasets.circles(0, n=500, noise=0.1)
space, eps = wt.Space.from_points(X), 0.5

near = cdist(X, X) <= eps
by_hand = near @ X / near.sum(axis=1, keepdims=True)

# %%
# The same step as a transform: the localization is the mean of the ball, and the transport distance of two single
# points is their Euclidean distance.

one_step = wt.Transform(wt.Mean(wt.Truncation(eps)), wt.DiracDistance())(space)
print(f"largest difference of a coordinate: {np.abs(one_step.points - by_hand).max():.1e}")
print(f"largest difference of a distance: {np.abs(one_step.metric.dense() - cdist(by_hand, by_hand)).max():.1e}")

# %%
# Three iterations of mean shift, and three of the Gaussian Transform with λ = 0:

shifted = wt.iterate(wt.mean_shift(eps), space, n_iter=3).points
gaussian = wt.iterate(wt.gaussian_transform(eps, lam=0.0), space, n_iter=3).points
print(f"largest difference of a coordinate: {np.abs(shifted - gaussian).max():.1e}")

# %%
# **What moves.** Iteration repeats both halves of the method (Section 5.1): mean shift moves points, local truncation
# changes distances, the Gaussian Transform does both. ``wt.iterate`` keeps every state if asked to.

walks = {
    "mean shift": wt.iterate(wt.mean_shift(eps), space, n_iter=6, keep="all"),
    "GT with λ = 2.5": wt.iterate(wt.gaussian_transform(eps, lam=2.5), space, n_iter=6, keep="all"),
}
steps = (0, 1, 3, 6)
figure, axes = wt.plotting.panels(2, 4, width=7.5, height=4.2)
for row, (name, walk) in zip(axes, walks.items(), strict=True):
    for ax, k in zip(row, steps, strict=True):
        points = walk.states[k].points
        wt.plotting.cloud(points, labels, ax=ax, size=7, title=name if k == 0 else f"iteration {k}")
        ax.set_aspect("equal", adjustable="box")
        ax.set(xlim=(-2.2, 2.2), ylim=(-2.2, 2.2))
        ax.set_axis_off()

# %%
# The mean distance to the true circles after each iteration:

for k in range(7):
    off = {name: curve.distance(walk.states[k].points).mean() for name, walk in walks.items()}
    print(f"iteration {k}:", ", ".join(f"{value:.3f} ({name})" for name, value in off.items()))

# %%
# The first iteration removes noise. The later ones do harm: the mean of a ball lies on the inner side of a bend, so
# both circles shrink, and points gather in clumps. More iterations are not better. λ slows this down, and :doc:`part
# 5 </tutorial/plot_5_denoising>` shows how ``wt.denoise`` stops in time.
#
# :doc:`Next: what λ does </tutorial/plot_3_lambda>`.
