"""
5. Denoising: move points onto the curve
========================================

Noise is what neighbors do not share. If every point moves to the mean of its neighborhood, noise averages out. This
is the experiment of Section 6.3, with a truth to measure against. It works for one or two iterations. Then the shape
itself shrinks. This page shows both, and what ``wt.denoise`` does differently.
"""

# %%
# A noisy spiral, without outliers. The true curve is known, so we can measure the distance of every point to it.

import numpy as np

import wasserstein_transform as wt

X, labels, curve = wt.datasets.spiral(0, n=900, noise=0.8, n_outliers=0)
space = wt.Space.from_points(X)


def off(points: np.ndarray) -> float:
    """Root mean square distance to the true curve."""
    return float(np.sqrt(np.mean(curve.distance(points) ** 2)))


print(f"{len(X)} points, {off(X):.2f} off the curve")

# %%
# **Three ways to move**, all with ε = 4, the radius of the paper. Mean shift and the Gaussian Transform move points
# to the mean of their ball. With ``ridge=1`` points move only across the leading direction of their neighborhood, so
# they cannot slide along the curve and clump.

methods = {
    "mean shift": wt.mean_shift(4.0),
    "Gaussian Transform, λ = 1": wt.gaussian_transform(4.0, lam=1.0),
    "the same with ridge=1": wt.gaussian_transform(4.0, lam=1.0, ridge=1),
}
walks = {name: wt.iterate(method, space, n_iter=8, keep="all") for name, method in methods.items()}
errors = {name: [off(state.points) for state in walk.states] for name, walk in walks.items()}
for name, values in errors.items():
    best = int(np.argmin(values))
    print(f"{name}: best {values[best]:.2f} after {best} iterations, {values[-1]:.2f} after {len(values) - 1}")

# %%
# **Without parameters.** ``wt.denoise`` estimates the noise, picks the radius from it, takes off what neighbors have
# in common (the bend of the curve), and stops before the shape shrinks. It reports why it stopped.

found = wt.denoise(X)
print(f"noise {found.sigma:.2f} (true: 0.8), radius {found.eps:.1f}, {len(found.steps) - 1} steps")
print(f"distance to the curve: {off(found.points):.2f}")
print(found.outcome)

# %%

figure, axes = wt.plotting.panels(2, 2, width=9, height=8)
shown = {
    f"given: {off(X):.2f} off": X,
    f"mean shift, 8 iterations: {errors['mean shift'][-1]:.2f}": walks["mean shift"].points,
    f"wt.denoise: {off(found.points):.2f}": found.points,
}
for ax, (title, points) in zip(axes.flat, shown.items(), strict=False):
    (line,) = curve.pieces
    ax.plot(*line.T, color="#C8C8C8", lw=3, solid_capstyle="round", zorder=0)
    wt.plotting.cloud(points, ax=ax, colors=wt.plotting.color(0), size=8, title=title)
    ax.set_aspect("equal", adjustable="box")
    ax.set(xlim=(-33, 33), ylim=(-33, 33))
    ax.set_axis_off()
last = axes[1, 1]
for k, (name, values) in enumerate(errors.items()):
    last.plot(values, "o-", color=wt.plotting.color((4, 1, 2)[k]), label=name)
last.axhline(off(found.points), color=wt.plotting.color(0), ls="--", label="wt.denoise")
last.set(xlabel="iterations", ylabel="distance to the curve", ylim=(0, None))
last.set_title("error by iteration", loc="left", fontsize=9)
last.legend(frameon=False, fontsize=8)
last.spines[["top", "right"]].set_visible(False)

# %%
# The gray line is the true curve. :doc:`Next: when not to use it </tutorial/plot_6_limits>`.
