"""
Measured points with errors
===========================

``wt.cluster(X, covariances=errors)`` takes every point for a Gaussian and compares Gaussians by W2. That helps where
errors differ between groups, and harms where they differ within them.
"""

# %%
# **Two groups in one direction.** A near group is bright and measured well. A far one lies behind it, and its errors
# are eight times larger. A third is elsewhere. On the sky, the first two are one cluster.

import numpy as np
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt

CENTERS = np.array([[0.0, 0.0], [0.8, 0.3], [5.0, 4.0]])


def near_and_far(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, standard errors, and groups, whose typical errors are 0.1, 0.8 and 0.4."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 600)
    errors = (np.array([0.1, 0.8, 0.4])[truth] * rng.lognormal(0, 0.2, 600))[:, None] * np.ones(2)
    return CENTERS[truth] + rng.normal(size=(600, 2)) * np.hypot(0.5, errors), errors, truth


X, errors, truth = near_and_far(0)
without, found = wt.cluster(X), wt.cluster(X, covariances=errors)
print(found)

# %%
# The larger a circle, the larger the error.

figure, axes = wt.plotting.panels(1, 3, width=10, height=3.6)
runs = {"truth": truth, "errors ignored": without.labels, "errors used": found.labels}
for ax, (title, labels) in zip(axes, runs.items(), strict=True):
    wt.plotting.cloud(X, labels, ax=ax, size=8, title=f"{title}: {len(set(labels.tolist()) - {-1})} clusters")
    ax.scatter(*X.T, s=(25 * errors[:, 0]) ** 2, facecolors="none", edgecolors="#00000022", lw=0.5)

# %%
# **Measured**, five seeds: mean and standard deviation of the adjusted Rand index with the truth.


def compare(sample: object, count: int | None = None) -> str:
    """Adjusted Rand indices without and with errors."""
    scores = []
    for seed in range(5):
        X, errors, truth = sample(seed)
        labels = (wt.cluster(X, count, covariances=one, noise=False).labels for one in (None, errors))
        scores.append([adjusted_rand_score(truth, one) for one in labels])
    (a, b), (da, db) = np.mean(scores, axis=0), np.std(scores, axis=0)
    return f"errors ignored {a:.2f} ± {da:.2f}, used {b:.2f} ± {db:.2f}"


print("near and far:", compare(near_and_far))

# %%
# **Where it harms.** Three groups are measured by two surveys, one ten times more precise. W2 tells the surveys apart:
# there are six clusters, each group twice.


def two_surveys(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three groups; errors of 0.1 or 1 by chance."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 600)
    errors = np.where(rng.random(600) < 0.5, 0.1, 1.0)[:, None] * np.ones(2)
    return 5 * np.eye(3)[truth][:, :2] + rng.normal(size=(600, 2)) * np.hypot(0.5, errors), errors, truth


print("two surveys:", compare(two_surveys))
print("two surveys, number given:", compare(two_surveys, 3))

# %%
# So errors are used only if you ask for them: in a table, columns such as ``x_err`` beside ``x`` are left out, and
# ``covariances=True`` or ``wt cluster --errors`` uses them.
