"""Data sets of the page: built-in ones, opened files, and arrays passed to `explore`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import datasets
from .._cached import cached_property
from .._shown import Brief
from .._types import Ints
from ..compute.passes import sample_evenly
from ..spaces import Space
from .planes import Plane, plane_of

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..tables import Features


@dataclass(frozen=True, eq=False, repr=False)
class DataSet(Brief):
    """Points or distances, with names.

    Attributes
    ----------
    name : str
    space : Space
    columns : tuple of str
        Names of the coordinates; empty if there are only distances.
    reading : str
        Python code that makes X.
    truth : integer array of shape (n,), optional
        Known labels.
    rows : integer array of shape (n,)
        Rows of the data that the points come from.
    n_all : int
        Number of rows of the data.
    notes : tuple of str
        Remarks for the page.
    has_weights : bool
        Whether weights were given.
    """

    name: str
    space: Space
    columns: tuple[str, ...]
    reading: str
    truth: Ints | None
    rows: Ints
    n_all: int
    notes: tuple[str, ...] = ()
    has_weights: bool = False

    @property
    def n(self) -> int:
        """Number of points."""
        return self.space.n

    def at_most(self, most: int) -> DataSet:
        """The data set itself, or evenly spaced rows of it with a note, if it has more points than `most`."""
        if self.n <= most:
            return self
        rows = sample_evenly(self.n, most)
        note = f"{most:,} of {self.n_all:,} points are shown: every {self.n_all / most:.1f}th row"
        return replace(
            self,
            space=self.space.take(rows),
            truth=None if self.truth is None else self.truth[rows],
            rows=self.rows[rows],
            notes=(*self.notes, note),
        )

    @cached_property
    def plane(self) -> Plane:
        """The map from the points to the plane."""
        return plane_of(self.space.points, self.space)


def of_points(
    X: Any, name: str = "X", columns: tuple[str, ...] = (), truth: Any = None, weights: Any = None,
    reading: str = "X = …  # your points",
) -> DataSet:  # fmt: skip
    """A data set from points or from a Space."""
    space = X if isinstance(X, Space) else Space.from_points(X, weights)
    m = 0 if space.points is None else space.points.shape[1]
    letters = ("x", "y", "z") if m <= 3 else tuple(f"x{k + 1}" for k in range(m))
    known = None if truth is None else np.unique(np.asarray(truth), return_inverse=True)[1].astype(np.intp).ravel()
    if known is not None and len(known) != space.n:
        raise ValueError(f"labels must hold one label for each of the {space.n} points, got {len(known)}")
    data = DataSet(name, space, columns or letters[:m], reading, known, np.arange(space.n), space.n)
    return replace(data, has_weights=weights is not None)


def of_features(found: Features, name: str, truth: Any = None, weights: Any = None, **more: Any) -> DataSet:
    """A data set from the rows of a table without gaps, in the scale of `features`."""
    truth, weights = (None if one is None else np.asarray(one)[found.rows] for one in (truth, weights))
    data = of_points(found.matrix()[found.rows], name, found.names, truth, weights, **more)
    return replace(data, rows=found.rows, n_all=found.n, notes=found.notes)


def of_table(table: DataFrame, columns: tuple[str, ...] = (), label: str = "", weight: str = "") -> DataSet:
    """A data set from columns of a table: the given ones, or those that `features` chooses, in its scale."""
    from ..tables import features
    from ..tables.columns import labels, source_of, weights

    known = [one for one in dict.fromkeys((label, weight)) if one]
    rest = table if columns else table.drop(columns=known)
    rest.attrs = table.attrs
    found = features(rest, columns or None)
    asked = ", " + repr(list(columns)) if columns else ""
    without = f".drop(columns={known!r})" if known and not columns else ""
    reading = f"table = wt.read({source_of(table)!r})\nfound = wt.tables.features(table{without}{asked})\n"
    reading += "X = found.matrix()[found.rows]" + (f"\nweights = table[{weight!r}][found.rows]" if weight else "")
    truth, masses = labels(table, label)[0] if label else None, weights(table, weight) if weight else None
    return of_features(found, source_of(table), truth, masses, reading=reading)


def _labeled(name: str, call: str, make: Callable[[], Any]) -> Callable[[], DataSet]:
    return lambda: of_points(make().points, name, truth=getattr(make(), "labels", None), reading=f"X = {call}.points")


def _moons() -> DataSet:
    from sklearn.datasets import make_moons

    X, truth = make_moons(1000, noise=0.08, random_state=0)
    reading = "from sklearn.datasets import make_moons\n\nX, _ = make_moons(1000, noise=0.08, random_state=0)"
    return of_points(X, "two moons", truth=truth, reading=reading)


def _iris() -> DataSet:
    from sklearn.datasets import load_iris

    found = load_iris()
    reading = "from sklearn.datasets import load_iris\n\nX = load_iris().data"
    names = tuple(name.removesuffix(" (cm)") for name in found.feature_names)
    return of_points(found.data, "irises", names, found.target, reading=reading)


BUILT_IN: dict[str, Callable[[], DataSet]] = {
    "dumbbell": _labeled("dumbbell", "wt.datasets.dumbbell()", datasets.dumbbell),
    "T-junction": _labeled("T-junction", "wt.datasets.t_junction()", datasets.t_junction),
    "spiral": _labeled("spiral", "wt.datasets.spiral(0)", lambda: datasets.spiral(0)),
    "circles": _labeled(
        "circles", "wt.datasets.circles(0, n=1000, noise=0.1)", lambda: datasets.circles(0, n=1000, noise=0.1)
    ),
    "streets": _labeled("streets", "wt.datasets.streets(0)", lambda: datasets.streets(0)),
    "grid with a line": _labeled("grid with a line", "wt.datasets.grid_with_line()", datasets.grid_with_line),
    "two moons": _moons,
    "irises": _iris,
}
