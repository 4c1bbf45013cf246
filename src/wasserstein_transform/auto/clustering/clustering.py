"""What `cluster` gives: labels, and all that explains them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import _check as check
from ..._pictures import drawn_by
from ..._shown import table
from ..._types import Floats, Ints
from ...engine import Engine, current
from ...hierarchy import Tree
from ...spaces import Euclidean, Space
from ...transforms import follow_points, iterate
from .ground import Ground
from .recipes import Recipe

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DISTANCES = 1 << 22  # that are held at a time
_SHOWN = 8  # partitions in a notebook
_CRITERIA = ("agreement", "worst conductance", "lowest reach cut", "densest border", "separation")


class Partition(NamedTuple):
    """A partition that was considered.

    Attributes
    ----------
    recipe : Recipe
        One that gives it.
    votes : int
        Recipes that give exactly this one.
    n_clusters : int
    expected : float
        The adjusted Rand index expected of it.
    criteria : dict
        What was measured, by name (`auto/clustering/criteria.py` says what each is).
    """

    recipe: Recipe
    votes: int
    n_clusters: int
    expected: float
    criteria: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Clustering:
    """Clusters, why these, and what else was considered.

    Attributes
    ----------
    labels : array of shape (n,)
        0, 1, … by falling mass; −1 is noise.
    probabilities : array of shape (n,)
        For each point the share of the recipes, weighed by what is expected of them, that put it with the rest of its
        cluster; 0 for noise.
    n_clusters : int
    recipe : Recipe or None
        What gave the clusters; None if there was nothing to choose.
    reason : str
        Why, in words.
    partitions : tuple of Partition
        All that was considered, the best first.
    space : Space
        What was clustered.
    """

    labels: Ints
    probabilities: Floats
    n_clusters: int
    recipe: Recipe | None
    reason: str
    partitions: tuple[Partition, ...]
    space: Space
    rows: Ints = field(repr=False)
    """A row for each place that was looked at."""
    labels_of_places: Ints = field(repr=False)
    ground: Ground | None = field(repr=False)
    tree: Tree | None = field(repr=False)
    """Of the places; None if the clusters come from no tree."""

    def __repr__(self) -> str:
        noise = int(np.count_nonzero(self.labels < 0))
        more = f", {noise} noise" if noise else ""
        clusters = f"{self.n_clusters} cluster{'s' if self.n_clusters != 1 else ''}"
        return f"<Clustering of {len(self.labels)} points: {clusters}{more}>"

    def __str__(self) -> str:
        return f"{repr(self)[1:-1]}\n{self.reason}"

    @property
    def table(self) -> dict[str, list[Any]]:
        """The partitions as columns by name."""
        columns: dict[str, list[Any]] = {
            "recipe": [str(one.recipe) for one in self.partitions],
            "votes": [one.votes for one in self.partitions],
            "clusters": [one.n_clusters for one in self.partitions],
            "expected": [one.expected for one in self.partitions],
        }
        names = self.partitions[0].criteria if self.partitions else ()
        return columns | {name: [one.criteria[name] for one in self.partitions] for name in names if name != "clusters"}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame, a row for each partition."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise ImportError("to_pandas needs pandas (pip install pandas); .table has the same columns") from None
        return pandas.DataFrame(self.table)

    def _repr_html_(self) -> str:
        head = ("recipe", "votes", "clusters", "expected", *_CRITERIA)
        rows = [
            (str(one.recipe), str(one.votes), str(one.n_clusters), f"{one.expected:.2f}",
             *(f"{one.criteria[name]:.2f}" for name in _CRITERIA))
            for one in self.partitions[:_SHOWN]
        ]  # fmt: skip
        return table(f"{repr(self)[1:-1]}. {self.reason}", head, rows)

    def plot(self) -> Figure:
        """The points and their clusters, the tree with its cut, and the partitions considered; needs matplotlib."""
        figure: Figure = drawn_by("clusterings").draw(self)
        return figure

    def predict(self, X: ArrayLike, engine: Engine | None = None) -> Ints:
        """Clusters of new points: that of the nearest fitted one, where a transform was chosen at the end of its flow.

        Parameters
        ----------
        X : array of shape (n_new, m); of a Space without coordinates distances to all its points, (n_new, n)
        """
        engine, rows = current(engine), check.points(X, "X")
        if self.space.points is None:
            return self._by_distances(rows)
        if rows.shape[1] != self.space.points.shape[1]:
            raise ValueError(
                f"X must have {self.space.points.shape[1]} columns, as the fitted points, got {rows.shape[1]}"
            )
        step = max(1, _DISTANCES // len(self.rows))
        parts = [self._nearest(rows[at : at + step], engine) for at in range(0, len(rows), step)]
        return self.labels_of_places[np.concatenate(parts)] if parts else np.empty(0, np.intp)

    def _by_distances(self, rows: Floats) -> Ints:
        if rows.shape[1] != self.space.n:
            raise ValueError(f"X must hold distances to all {self.space.n} fitted points, got {rows.shape[1]} columns")
        return np.asarray(self.labels_of_places[rows[:, self.rows].argmin(axis=1)])

    def _nearest(self, new: Floats, engine: Engine) -> Ints:
        assert self.space.points is not None
        ground, fitted = self.ground, self.space.points[self.rows]
        if ground is None or self.recipe is None or self.recipe.kind != "gaussian" or ground.note:
            return Euclidean(fitted).neighbors(1, Euclidean(new), engine.quiet()).indices[:, 0]
        process, cloud = self.recipe.process(ground.unit), Space.from_points(ground.points, ground.space.weights)
        walk = iterate(process, cloud, n_iter=self.recipe.n_iter, keep="all", engine=engine.quiet())
        followed = follow_points(process, cloud, walk, new, engine.quiet())
        return np.asarray(followed.distances(engine.quiet()).argmin(axis=1))
