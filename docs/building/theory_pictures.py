"""The pictures of the page "How it works", computed by the library."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Ellipse
from scipy.cluster.hierarchy import dendrogram
from scipy.linalg import sqrtm

import wasserstein_transform as wt
from wt_paper import theory

from .inks import Inks, Picture, bare, panels


@cache
def _corner() -> tuple[np.ndarray, tuple[int, int], np.ndarray]:
    """The dumbbell where the chain leaves a disc, two points there, and the matrix of all measures."""
    X = wt.datasets.dumbbell().points + np.array([1.1, 0.0])
    disc, chain = (int(np.argmin(np.linalg.norm(X - place, axis=1))) for place in ((-0.12, -0.05), (0.11, 0.0)))
    return X, (disc, chain), wt.Truncation(_CORNER)(wt.Space.from_points(X)).matrix().toarray()


_CORNER = 0.2  # radius of the balls there


def transform(inks: Inks) -> Figure:
    """Points, measures, transport, new distances."""
    X, pair, measures = _corner()
    figure, axes = panels(2, 2, 5.4, 5.0)
    near = X[np.abs(X).max(axis=1) < 0.6]
    titles = ("1. Points", "2. A measure for each", "3. Transport between two", "4. New distances")
    for ax, title in zip(axes.flat[:3], titles, strict=False):
        ax.scatter(*near.T, s=9, color=inks.faint, lw=0)
        bare(ax, (-0.5, 0.5), (-0.4, 0.4))
        ax.set_title(title)
    for k, color in zip(pair, (inks.blue, inks.orange), strict=True):
        axes[0, 0].scatter(*X[k], s=30, color=color)
        inside = measures[k] > 0
        for ax in (axes[0, 1], axes[1, 0]):
            ax.scatter(*X[inside].T, s=15, color=color, lw=0)
            ax.add_patch(Circle(X[k], _CORNER, fill=False, ec=color, lw=1.3))
    i, j = pair
    rows, columns = np.flatnonzero(measures[i]), np.flatnonzero(measures[j])
    cost = np.linalg.norm(X[rows][:, None] - X[columns][None], axis=2)
    plan = wt.wasserstein(measures[i, rows], measures[j, columns], cost)
    for a, b in zip(*np.nonzero(plan.plan), strict=True):
        axes[1, 0].plot(*X[[rows[a], columns[b]]].T, color=inks.ink, lw=30 * plan.plan[a, b], alpha=0.6, zorder=0.5)
    before = np.linalg.norm(X[i] - X[j])
    last = axes[1, 1]
    last.barh([1, 0], [before, plan.value], height=0.45, color=[inks.faint, inks.green])
    last.set_yticks([1, 0], ["before", "after"])
    last.set(ylim=(-0.8, 1.8), xlim=(0, 0.42), xlabel="distance of the two points")
    for y, value in ((1, before), (0, plan.value)):
        last.text(value + 0.01, y, f"{value:.3f}", va="center")
    last.set_title(titles[3])
    return figure


def clusters(inks: Inks) -> Figure:
    """Three clusters of the dumbbell by single linkage, before and after local truncation."""
    X, _ = wt.datasets.dumbbell()
    space = wt.Space.from_points(X)
    new = wt.Transform(wt.Truncation(_CORNER), wt.Exact(1))(space)
    figure, axes = panels(2, 1, 4.8, 3.7)
    colors = np.array([inks.blue, inks.orange, inks.green])
    for ax, one, title in zip(axes[:, 0], (space, new), ("before", "after one step"), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wt.hierarchy.FewerClustersWarning)  # before, there is one
            labels = wt.SingleLinkage(n_clusters=3).fit_predict(one)
        ax.scatter(*X.T, s=9, color=colors[labels], lw=0)
        ax.set_title(f"{title}: {_counted(len(set(labels.tolist())))}")
        bare(ax, (-3.1, 3.1), (-1.1, 1.1))
    return figure


def _counted(n: int) -> str:
    return f"{n} cluster" + "s" * (n > 1)


def _ellipse(ax: Axes, mean: Any, cov: Any, color: str, **style: Any) -> None:
    values, vectors = np.linalg.eigh(cov)
    angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
    long, short = 4 * np.sqrt(np.maximum(values[::-1], 0))
    ax.add_patch(Ellipse(mean, long, short, angle=angle, ec=color, **{"fc": "none", "lw": 1.4, **style}))


def _turned(angle: float, long: float = 0.25, short: float = 0.015) -> np.ndarray:
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(turn @ np.diag([long, short]) @ turn.T)


def bures(inks: Inks) -> Figure:
    """The way from one Gaussian to another, and the distance of covariances by angle."""
    figure, ((top,), (below,)) = panels(2, 1, 5.4, 4.6)
    A, B = _turned(0.3), _turned(1.9, 0.09, 0.03)
    root = np.real(sqrtm(A))
    back = np.linalg.inv(root)
    T = back @ np.real(sqrtm(root @ B @ root)) @ back
    steps = np.linspace(0, 1, 7)
    for t in steps:
        way = (1 - t) * np.eye(2) + t * T
        color = inks.blue if t == 0 else inks.orange if t == 1 else inks.faint
        _ellipse(top, (5 * t, 0.0), way @ A @ way.T, color, lw=2.0 if t in (0, 1) else 1.2)
    bare(top, (-1.05, 5.6), (-0.75, 0.75))
    value = wt.transport.gaussian_wasserstein([[0.0, 0.0]], [A], [[5.0, 0.0]], [B]).item()
    top.set_title(f"the shortest way between two Gaussians, length W2 = {value:.2f}")
    angles = np.radians(np.arange(0, 181, 5))
    covs = np.array([_turned(angle) for angle in angles])
    below.plot(np.degrees(angles), wt.bures_pairs(covs[:1], covs)[0], color=inks.blue, lw=2)
    for degrees in (0, 45, 90, 135, 180):
        height = wt.bures_pairs(covs[:1], [_turned(np.radians(degrees))]).item()
        _little(below, degrees, height, degrees, inks)
    below.set(xlabel="angle between two equal ellipses, degrees", ylabel="dcov", xticks=range(0, 181, 45))
    below.set(xlim=(-12, 192), ylim=(-0.08, 0.75))
    return figure


def _little(ax: Axes, x: float, y: float, degrees: float, inks: Inks) -> None:
    """A small ellipse as a mark on a curve."""
    ax.plot([x], [y], "o", color=inks.blue, ms=4)
    inset = ax.inset_axes((x - 14, y + 0.03, 28, 0.16), transform=ax.transData)
    _ellipse(inset, (0, 0), _turned(np.radians(degrees)), inks.orange, lw=1.2)
    bare(inset, (-1.05, 1.05), (-1.05, 1.05))


def lam(inks: Inks) -> Figure:
    """Balls of one point of a grid with a line, for several λ."""
    X, _ = wt.datasets.grid_with_line()
    center = int(np.argmin(np.linalg.norm(X - 0.5, axis=1)))
    figure, ((ax,),) = panels(1, 1, 4.6, 4.4)
    ax.plot([0.5, 0.5], [0.24, 0.76], color=inks.faint, lw=4, zorder=0)
    near = X[:10_000][(np.abs(X[:10_000] - 0.5) < 0.26).all(axis=1)]
    ax.scatter(*near.T, s=1.5, color=inks.faint, lw=0)
    colors = (inks.ink, inks.blue, inks.green, inks.orange)
    for value, color in zip((0.0, 20.0, 100.0, 400.0), colors, strict=True):
        far = _distances_from(value)[: 100 * 100].reshape(100, 100)
        side = np.linspace(0, 1, 100)
        ax.contour(side, side, far.T, levels=[0.2], colors=[color], linewidths=2)
        ax.plot([], [], color=color, lw=2, label=f"λ = {value:g}")
    ax.scatter(*X[center], s=22, color=inks.ink, zorder=4)
    bare(ax, (0.22, 0.78), (0.24, 0.76))
    ax.legend(loc="upper left", bbox_to_anchor=(-0.06, 1.12), ncols=4, handlelength=1, columnspacing=1)
    return figure


@cache
def _distances_from(value: float) -> np.ndarray:
    """GT distance of every point of the grid with a line to its middle."""
    X, _ = wt.datasets.grid_with_line()
    covs = wt.Gaussian(wt.Truncation(0.2), 1.0)(wt.Space.from_points(X)).covs
    center = int(np.argmin(np.linalg.norm(X - 0.5, axis=1)))
    shape = wt.bures_pairs(covs[center : center + 1], covs)[0]
    return np.sqrt(((X - X[center]) ** 2).sum(axis=1) + value * shape**2)


def eps(inks: Inks) -> Figure:
    """The Gaussians of a noisy arc at three radii."""
    rng = np.random.default_rng(2)
    angle = np.sort(rng.uniform(0.12 * np.pi, 0.88 * np.pi, 260))
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.05, size=(260, 2))
    figure, axes = panels(3, 1, 4.8, 5.6)
    for ax, (radius, says) in zip(axes[:, 0], _RADII.items(), strict=True):
        covs = wt.Gaussian(wt.Truncation(radius), 1.0)(wt.Space.from_points(X)).covs
        ax.scatter(*X.T, s=6, color=inks.faint, lw=0)
        for k in range(20, 260, 44):
            ax.add_patch(Circle(X[k], radius, fill=False, ec=inks.ink, lw=0.6, ls=":"))
            _ellipse(ax, X[k], covs[k], inks.blue, lw=1.8)
        ax.set_title(f"ε = {radius}: {says}")
        bare(ax, (-1.35, 1.35), (0.05, 1.3))
    return figure


_RADII = {
    0.06: "too small, shows the noise",
    0.22: "shows the direction of the curve",
    0.7: "too large, shows the bend",
}


@cache
def _walk() -> tuple[np.ndarray, ...]:
    points = wt.datasets.circles(3, n=400, noise=0.1).points
    walk = wt.iterate(
        wt.transforms.gaussian_transform(0.5, lam=1.0), wt.Space.from_points(points), n_iter=6, keep="all"
    )
    return tuple(state.points for state in walk.states)


def iteration(inks: Inks) -> Figure:
    """The paths of points over six iterations."""
    states = _walk()
    figure, axes = panels(1, 2, 5.4, 2.9)
    for ax, last, title in zip(axes[0], (1, 6), ("1 iteration: noise goes", "6 iterations: points clump"), strict=True):
        angle = np.linspace(0, 2 * np.pi, 200)
        for radius in (1.0, 1.8):
            ax.plot(radius * np.cos(angle), radius * np.sin(angle), color=inks.faint, lw=4, zorder=0)
        paths = np.array(states[: last + 1])
        for k in range(paths.shape[1]):
            ax.plot(*paths[:, k].T, color=inks.orange, lw=0.8, alpha=0.8)
        ax.scatter(*paths[-1].T, s=7, color=inks.blue, lw=0, zorder=3)
        ax.set_title(title)
        bare(ax, (-2.15, 2.15), (-2.15, 2.15))
    return figure


@cache
def _stability() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    space = wt.Space.from_points(rng.normal(size=(40, 2)))
    other = rng.dirichlet(np.ones(40))
    found = [
        theory.stability_kernel(space, (1 - t) * space.weights + t * other, eps=3.0) for t in np.geomspace(1e-3, 1, 10)
    ]
    bounds = [one.corollary for one in found]
    moved = np.array([one.constants["W1"] for one in found])
    return moved, np.array([b.left.max() for b in bounds]), np.array([b.right.min() for b in bounds])


def stability(inks: Inks) -> Figure:
    """Both sides of the stability theorem of kernels, as the weights change."""
    moved, left, right = _stability()
    figure, ((ax,),) = panels(1, 1, 5.2, 3.4)
    ax.fill_between(moved, left, right, color=inks.faint, alpha=0.3, lw=0)
    ax.loglog(moved, right, "o-", color=inks.orange, label="bound of the theorem")
    ax.loglog(moved, left, "o-", color=inks.blue, label="largest change of a new distance")
    ax.set(xlabel="W1 between the old and the new weights")
    ax.legend(loc="upper left", bbox_to_anchor=(0, 1.24))
    return figure


def ultrametric(inks: Inks) -> Figure:
    """A tree, and what local truncation with p = 1 makes of it."""
    rng = np.random.default_rng(8)
    tree = theory.subdominant_ultrametric(wt.Space.from_points(rng.normal(size=(14, 2))))
    space = wt.Space.from_distances(tree.matrix, triangle=True)
    height = 0.6
    new = wt.Transform(wt.Truncation(height), wt.Exact(1))(space)
    figure, axes = panels(1, 2, 5.4, 2.9)
    top = 1.08 * tree.matrix.max()
    for ax, one, title in zip(axes[0], (space, new), ("before", "after one step"), strict=True):
        dendrogram(wt.hierarchy.linkage(one), ax=ax, no_labels=True, color_threshold=0, above_threshold_color=inks.blue)
        ax.axhline(height, color=inks.orange, ls="--", lw=1.4)
        ax.set(ylim=(0, top), title=title)
        ax.spines["bottom"].set_visible(False)
    axes[0, 0].set_ylabel("height")
    axes[0, 0].text(103, height + 0.02, "ε", color=inks.orange, fontsize=12)
    axes[0, 1].tick_params(labelleft=False)
    return figure


@cache
def _contractions() -> dict[str, np.ndarray]:
    radii = np.linspace(0.1, 0.9, 9)
    forms = {"sphere": theory.SPHERE, "flat torus": theory.TORUS, "hyperbolic plane": theory.HYPERBOLIC}
    return {
        name: np.array([[r, float(theory.predicted(f, r)), theory.contraction(f, r, r)] for r in radii]).T
        for name, f in forms.items()
    }


def curvature(inks: Inks) -> Figure:
    """How much distances shrink on three surfaces."""
    figure, ((ax,),) = panels(1, 1, 5.2, 3.6)
    colors = (inks.blue, inks.green, inks.orange)
    for color, (name, (radii, predicted, measured)) in zip(colors, _contractions().items(), strict=True):
        ax.plot(radii, predicted, color=color, lw=1.6)
        ax.plot(radii, measured, "o", color=color, ms=5)
        ax.text(radii[-1] + 0.02, measured[-1], name, color=color, va="center")
    ax.set(xlim=(0.05, 1.28), xticks=[0.2, 0.4, 0.6, 0.8], xlabel="radius ε", ylabel="1 − new/old distance")
    return figure


def partial(inks: Inks) -> Figure:
    """Two jets and two persistence diagrams: what moves, and what stays unmatched."""
    rng = np.random.default_rng(3)
    jets = [rng.normal(place, 0.25, (n, 2)) for place, n in (((0.0, 0.0), 9), ((0.25, 0.1), 11))]
    jets[0] = np.concatenate([jets[0], [[-0.9, 0.6]]])
    births = [rng.random(n) for n in (12, 13)]
    diagrams = [np.column_stack([birth, birth + rng.exponential(0.12, len(birth))]) for birth in births]
    figure, axes = panels(1, 2, 5.6, 2.7)
    half_lives = [(diagram[:, 1] - diagram[:, 0]) / 2 for diagram in diagrams]
    found = (
        wt.wasserstein_pairs(jets, spare=0.4, plans=True),
        wt.wasserstein_pairs(diagrams, "chebyshev", p=2, spare=half_lives, plans=True),
    )
    for ax, clouds, distances, title in zip(axes[0], (jets, diagrams), found, ("jets", "diagrams"), strict=True):
        assert distances.plans is not None
        plan = distances.plans[0].tocoo()
        for a, b in zip(*plan.coords, strict=True):
            ax.plot(*np.stack([clouds[0][a], clouds[1][b]]).T, color=inks.ink, lw=1.2, zorder=0.5)
        for cloud, color, axis in zip(clouds, (inks.blue, inks.orange), (1, 0), strict=True):
            matched = plan.sum(axis=axis) > 0
            ax.scatter(*cloud[matched].T, s=22, color=color, lw=0)
            ax.scatter(*cloud[~matched].T, s=22, facecolors="none", edgecolors=color)
        ax.set_title(title)
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([])
    axes[0, 1].axline((0.0, 0.0), slope=1.0, color=inks.faint, lw=1.0, zorder=0.1)
    return figure


PICTURES: dict[str, Picture] = {
    "transform": transform,
    "clusters": clusters,
    "bures": bures,
    "lam": lam,
    "eps": eps,
    "iteration": iteration,
    "stability": stability,
    "ultrametric": ultrametric,
    "curvature": curvature,
    "partial": partial,
}
"""All pictures, by the name of their files."""
