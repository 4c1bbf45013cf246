"""
4. Why the Gaussian Transform is fast
=====================================

Local truncation needs the solution of one transport problem for each pair of points. The Gaussian Transform replaces
the ball of a point by a Gaussian, and the transport distance of two Gaussians has a closed form. Three ideas make it
fast: the closed form, a short formula for it, and looking at near pairs only (Sections 5.2 to 5.4).
"""

# %%
# **The closed form.** For Gaussians N(x, A) and N(y, B), W2² = ‖x − y‖² + tr A + tr B − 2 tr (A^½ B A^½)^½. The last
# trace is the sum of the square roots of the eigenvalues of AB, so no matrix root is needed (Section 5.2).

import time

import numpy as np
from scipy.linalg import sqrtm

import wasserstein_transform as wt

rng = np.random.default_rng(0)
A, B = (part @ part.T for part in rng.normal(size=(2, 2, 2)))
x, y = rng.normal(size=(2, 2))

roots = sqrtm(A)
slow = np.sum((x - y) ** 2) + np.trace(A) + np.trace(B) - 2 * np.trace(sqrtm(roots @ B @ roots)).real
short = np.sum((x - y) ** 2) + np.trace(A) + np.trace(B) - 2 * np.sqrt(np.linalg.eigvals(A @ B).real).sum()
ours = wt.gaussian_wasserstein([x], [A], [y], [B]).item() ** 2
print(f"matrix roots {slow:.12f}, eigenvalues {short:.12f}, library {ours:.12f}")

# %%
# The same number without the closed form: draw points from both Gaussians and solve the transport problem. The answer
# gets near the closed form only slowly, and costs far more.

wt.wasserstein([1.0], [1.0], [[0.0]])  # the first call compiles
for n in (100, 400, 1600):
    first = rng.multivariate_normal(x, A, n)
    second = rng.multivariate_normal(y, B, n)
    cost = ((first[:, None] - second[None]) ** 2).sum(axis=2)
    start = time.perf_counter()
    value = wt.wasserstein(None, None, cost).value
    spent = 1000 * (time.perf_counter() - start)
    print(f"{n} + {n} points: W2² = {value:.3f}, {spent:.0f} ms (closed form {ours:.3f})")

# %%
# **All pairs of a data set.** Points in a square, ε chosen so that a ball holds about 20 of them. We time one step,
# with all n(n − 1)/2 new distances. Seconds differ from machine to machine; the ratio is what counts. The first call
# of each method compiles it, so each method first runs once on a small set.


def seconds(process: object, points: np.ndarray) -> float:
    """Time of one step and of all new distances."""
    start = time.perf_counter()
    wt.iterate(process, wt.Space.from_points(points), n_iter=1).last.metric.condensed()
    return time.perf_counter() - start


sizes = (100, 200, 400, 600)
table = {"LT-WT2 (exact transport)": [], "GT (closed form)": [], "MS (means only)": []}
for n in (50, *sizes):
    points = rng.random((n, 2))
    eps = float(np.sqrt(20 / (np.pi * n)))
    processes = (wt.local_truncation(eps, p=2), wt.gaussian_transform(eps), wt.mean_shift(eps))
    for times, process in zip(table.values(), processes, strict=True):
        times.append(seconds(process, points))
for k, n in enumerate(sizes, start=1):
    spent = ", ".join(f"{name.split()[0]} {1000 * times[k]:.0f} ms" for name, times in table.items())
    print(f"{n} points, {n * (n - 1) // 2:,} pairs: {spent}")

# %%

figure, ax = wt.plotting.panels(1, 1, width=6, height=3.6)
for k, (name, times) in enumerate(table.items()):
    ax.loglog(sizes, times[1:], "o-", color=wt.plotting.color((4, 0, 2)[k]), label=name)
ax.set(xlabel="points", ylabel="seconds", xticks=sizes)
ax.set_xticks([], minor=True)
ax.set_xticklabels([f"{n}" for n in sizes])
ax.set_title("one step and all new distances, this machine", loc="left", fontsize=10)
ax.legend(frameon=False, fontsize=9)
ax.spines[["top", "right"]].set_visible(False)

# %%
# **Near pairs only.** The GT distance is never smaller than the Euclidean one. So points farther apart than ε cannot
# be in the same ball, and a step needs no distance of theirs (Section 5.3). That is why points can be moved without
# n² numbers: here, 100,000 points, about 20 in each ball.

points = rng.random((100_000, 2))
process = wt.gaussian_transform(float(np.sqrt(20 / (np.pi * len(points)))))
start = time.perf_counter()
moved = wt.iterate(process, wt.Space.from_points(points), n_iter=1).points
print(f"one step of {len(points):,} points: {time.perf_counter() - start:.2f} s")

# %%
# The price is the approximation: a Gaussian knows the mean and the covariance of a ball, and nothing else. :doc:`The
# claims of the paper </reproduction>` say where that is enough. :doc:`Next: denoising </tutorial/plot_5_denoising>`.
