"""Recipes for candidate partitions: trees of the raw and of transformed metrics, k-means, and mixtures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...engine import Engine
from ...hierarchy import Tree, spanning_tree
from ...spaces import Space
from ...transforms import Process, gaussian_transform, iterate
from .ground import Ground

REACHES = (0, 5, 10)
WALKS = ((1.0, 5.0), (1.5, 1.0), (1.5, 20.0), (2.2, 5.0), (3.3, 5.0), (5.0, 1.0), (5.0, 20.0))
"""Radii of the Gaussian Transform, in units of the ground, with λ."""
N_ITER = 2
KINDS = ("tree", "reach", "gaussian", "means", "mixture")


class Recipe(NamedTuple):
    """How a partition is made.

    Attributes
    ----------
    kind : str
        "tree", "reach", "gaussian", "means" or "mixture".
    share : float
        For cuts: least mass of both sides, relative to the mean mass of a cluster, or to all mass if the number of
        clusters is not given.
    lasting : bool
        For cuts: whether clusters are the most persistent parts, not those before the widest steps of heights.
    reach : int
        For "reach": the neighbor whose distance is the core distance.
    factor, lam, n_iter
        For "gaussian": ε in units of the ground, λ, τ.
    start : str
        For "mixture": the partition it was started from.
    """

    kind: str
    share: float = 0.0
    reach: int = 0
    factor: float = 0.0
    lam: float = 0.0
    n_iter: int = 0
    start: str = ""
    lasting: bool = False

    def __str__(self) -> str:
        if self.kind == "means":
            return "k-means"
        if self.kind == "mixture":
            return f"Gaussian mixture started from {self.start}"
        trees = {
            "tree": "tree of the distances",
            "reach": f"tree of mutual reachability, {self.reach} neighbors",
            "gaussian": f"tree of GT, ε = {self.factor:g} units, λ = {self.lam:g}, τ = {self.n_iter}",
        }
        return f"{trees[self.kind]}, share {self.share:g}{', lasting parts' * self.lasting}"

    @property
    def is_tree(self) -> bool:
        """Whether it is a cut of a tree."""
        return self.kind in ("tree", "reach", "gaussian")

    def process(self, unit: float) -> Process:
        """Return the transform of a recipe "gaussian"."""
        return gaussian_transform(self.factor * unit, self.lam)


def grow(ground: Ground, engine: Engine) -> Iterator[tuple[Recipe, Tree]]:
    """Yield all trees."""
    total, done = len(REACHES) + len(WALKS), 0
    for reach in REACHES:
        if reach < ground.n:
            engine.report("trees", done, total)
            recipe = Recipe("reach", reach=reach) if reach else Recipe("tree")
            yield recipe, spanning_tree(ground.space, engine.quiet(), reachability=reach)
        done += 1
    cloud = Space.from_points(ground.points, ground.space.weights)
    for factor, lam in WALKS:
        engine.report("trees", done, total)
        recipe = Recipe("gaussian", factor=factor, lam=lam)
        walk = iterate(recipe.process(ground.unit), cloud, n_iter=N_ITER, keep="all", engine=engine.quiet())
        for tau, state in enumerate(walk.states):
            yield recipe._replace(n_iter=tau), spanning_tree(state, engine.quiet())
        done += 1
    engine.report("trees", total, total)
