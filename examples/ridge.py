"""Noisy curves under mean shift and along ridges, at equal radius and number of steps.

Prints how near the points come to the curve and how much of it they cover, and saves one figure:
`python examples/ridge.py [FILE]`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

import wasserstein_transform as wt

try:
    import matplotlib as mpl
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit('the example draws with matplotlib, which is missing: pip install ".[plot]"')

BLACK, ORANGE, BLUE, GREEN, GRAY = "#444444", "#D55E00", "#0072B2", "#009E73", "#BBBBBB"  # safe for color-blind eyes
LAM = 10.0


@dataclass(frozen=True)
class Case:
    """A curve, points near it, and the radius and number of steps for all flows."""

    title: str
    curve: np.ndarray
    points: np.ndarray
    eps: float
    n_iter: int


def evenly(curve: np.ndarray, n: int) -> np.ndarray:
    """n points at equal steps along a polygon."""
    length = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1)))
    at = np.linspace(0, length[-1], n)
    return np.stack([np.interp(at, length, x) for x in curve.T], axis=1)


def noisy(title: str, curve: np.ndarray, noise: float, eps: float, n_iter: int, n: int = 1200) -> Case:
    """Points spread at random along a curve, with normal noise."""
    rng = np.random.default_rng(7)
    curve = evenly(curve, 4000)
    points = curve[rng.integers(len(curve), size=n)] + rng.normal(scale=noise, size=(n, 2))
    return Case(title, curve, points, eps, n_iter)


def cases() -> tuple[Case, ...]:
    """A spiral, and a curve that crosses itself three times."""
    t = np.linspace(0, 1, 4000)[:, None]
    turn = 2 * np.pi * (0.35 + 1.65 * t)
    spiral = (0.15 + 0.85 * t) * np.hstack([np.cos(turn), np.sin(turn)])
    turn = 2 * np.pi * t
    knot = (2 + np.cos(3 * turn)) / 3 * np.hstack([np.cos(2 * turn), np.sin(2 * turn)])
    return noisy("spiral", spiral, 0.03, 0.12, 3), noisy("trefoil", knot, 0.03, 0.12, 3)


def off_curve(case: Case, points: np.ndarray) -> float:
    """Mean distance of the points to the curve, in ε."""
    return float(cKDTree(case.curve).query(points)[0].mean() / case.eps)


def coverage(case: Case, points: np.ndarray) -> float:
    """Share of the curve that has a point within ε/4."""
    return float((cKDTree(points).query(case.curve)[0] <= case.eps / 4).mean())


def flows(eps: float) -> tuple[tuple[str, wt.transforms.Process, str], ...]:
    """The flows to compare, with their names and colors."""
    return (
        ("mean shift", wt.transforms.mean_shift(eps), ORANGE),
        ("mean shift, ridge=1", wt.transforms.mean_shift(eps, ridge=1), BLUE),
        (f"GT, λ={LAM:g}, ridge=1", wt.transforms.gaussian_transform(eps, LAM, ridge=1), GREEN),
    )


def draw(ax: mpl.axes.Axes, case: Case, points: np.ndarray, name: str, color: str) -> None:
    """The points on top of the true curve, with the two numbers."""
    off, covered = off_curve(case, points), coverage(case, points)
    print(f"{case.title:>8}, {name:<19}: {off:.2f} ε from the curve, covers {covered:4.0%} of it")
    ax.plot(*case.curve.T, color=GRAY, lw=1.0, zorder=1)
    ax.plot(*points.T, ".", ms=3.4, mew=0, color=color, alpha=0.8, zorder=2)
    ax.set_title(name, loc="left", fontsize=11, color=color)
    words = f"{off:.2f} ε from the curve, covers {covered:.0%} of it"
    ax.text(0.5, -0.02, words, transform=ax.transAxes, ha="center", va="top", fontsize=9)
    ax.set_aspect("equal")
    ax.set_axis_off()


def main(file: str = "ridge.png") -> None:
    """Run the flows on all cases and save the figure."""
    rows = cases()
    figure, axes = plt.subplots(len(rows), 4, figsize=(14, 3.7 * len(rows)), sharex="row", sharey="row")
    for row, case in zip(axes, rows, strict=True):
        space = wt.Space.from_points(case.points)
        draw(row[0], case, case.points, f"{space.n} points (ε={case.eps:g}, τ={case.n_iter})", BLACK)
        for ax, (name, process, color) in zip(row[1:], flows(case.eps), strict=True):
            draw(ax, case, wt.iterate(process, space, n_iter=case.n_iter).points, name, color)
    figure.tight_layout(w_pad=1.5, h_pad=2.0, rect=(0, 0.03, 1, 1))
    note = "gray: the curve; distances are means over the points; covered is what has a point within ε/4"
    figure.text(0.5, 0.01, note, ha="center", fontsize=9, color="#777777")
    figure.savefig(file, dpi=120)
    print(f"figure saved as {file}")


if __name__ == "__main__":
    mpl.use("Agg")
    main(*sys.argv[1:2])
