"""Recipes: how a partition is made, and the partition that a recipe gives."""

from __future__ import annotations

from typing import NamedTuple

from .._display import counted
from .._types import Ints
from ..transforms import Process, gaussian_transform

KINDS = ("tree", "reach", "gaussian", "means", "mixture", "ward", "average", "spectral", "graph", "branches")


class Recipe(NamedTuple):
    """How a partition is made.

    Attributes
    ----------
    kind : str
        One of KINDS.
    share : float
        For cuts: least mass of both sides, relative to the mean mass of a cluster, or to all mass if the number of
        clusters is not given.
    lasting : bool
        For cuts: whether clusters are the most persistent parts, not those before the widest steps of heights.
    reach : int
        For "reach": the neighbor whose distance is the core distance.
    factor, lam, n_iter
        For "gaussian": ε in units of the ground, λ, τ. For "graph", the factor is the resolution. For others, n_iter is
        the number of steps of mean shift before.
    start, shape : str
        For "mixture": the partition it was started from; "full", "tied" or "diagonal" covariances.
    axes : int
        Number of principal axes in which it was made; 0 means the coordinates of the ground.
    """

    kind: str
    share: float = 0.0
    reach: int = 0
    factor: float = 0.0
    lam: float = 0.0
    n_iter: int = 0
    start: str = ""
    lasting: bool = False
    shape: str = "full"
    axes: int = 0

    def __str__(self) -> str:
        where = f" on {self.axes} axes" * bool(self.axes)
        if not self.is_tree:
            return self.name + where
        return f"{self.name}{where}, share {self.share:g}{', lasting parts' * self.lasting}"

    @property
    def name(self) -> str:
        """What it is, without axes and cuts."""
        after = " after a step of mean shift" * (self.n_iter > 0 and self.kind != "gaussian")
        started = f" started from {self.start}" * bool(self.start)
        return {
            "tree": "tree of the distances",
            "reach": f"tree of mutual reachability, {self.reach} neighbors",
            "gaussian": f"tree of GT, ε = {self.factor:g} units, λ = {self.lam:g}, τ = {self.n_iter}",
            "means": f"k-means{started}",
            "mixture": f"Gaussian mixture ({self.shape}){started}",
            "ward": "Ward's linkage",
            "average": "average linkage",
            "spectral": "spectral cut of the neighbor graph",
            "graph": f"communities of the neighbor graph at resolution {self.factor:.3g}",
            "branches": "shapes that cross",
        }[self.kind] + after

    def in_words(self, unit: float) -> str:
        """What it is, with radii in the units of the data."""
        after = " after a step of mean shift" * (self.n_iter > 0)
        return {
            "tree": f"single linkage of the distances{after}",
            "reach": f"single linkage of mutual reachability, {self.reach} neighbors{after}",
            "gaussian": f"single linkage after the Gaussian Transform, ε = {self.factor * unit:.4g}, λ = {self.lam:g}, "
            f"{counted(self.n_iter, 'iteration')}",
            "mixture": "a Gaussian mixture",
            "spectral": "a spectral cut of the neighbor graph",
        }.get(self.kind, self.name)

    @property
    def is_tree(self) -> bool:
        """Whether it is a cut of a tree."""
        return self.kind in ("tree", "reach", "gaussian")

    def process(self, unit: float) -> Process:
        """Return the transform of a recipe "gaussian"."""
        return gaussian_transform(self.factor * unit, self.lam)


class Candidate(NamedTuple):
    """A partition.

    Attributes
    ----------
    recipe : Recipe
        How it was made.
    labels : array of shape (n,)
        Clusters, numbered by first appearance.
    gap : float
        log(height of its lowest cut / height of the next one): how clear the number of clusters is in its tree.
    """

    recipe: Recipe
    labels: Ints
    gap: float = 0.0

    @property
    def n_clusters(self) -> int:
        """The number of its clusters."""
        return int(self.labels.max()) + 1
