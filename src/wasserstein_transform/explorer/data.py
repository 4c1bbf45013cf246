"""Data sets of the page: built-in ones, opened files, and arrays passed to `explore`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import datasets
from .._display import ShortRepr, counted
from .._types import Ints, cached_property
from ..compute import sample_evenly
from ..engine import current
from ..spaces import Space
from ..tables import column_roles, features, is_frame, labels, numeric, source_of, weights, with_text_names
from .scene import Plane, plane_of

MAX_BYTES = 1 << 30
"""The largest file in bytes that can be opened on the page; larger ones are for the command line."""
BUILT_IN: dict[str, tuple[str, dict[str, Any]]] = {
    "dumbbell": ("dumbbell", {}),
    "T-junction": ("t_junction", {}),
    "spiral": ("spiral", {"rng": 0}),
    "circles": ("circles", {"rng": 0, "n": 1000, "noise": 0.1}),
    "streets": ("streets", {"rng": 0}),
}
"""The function in `datasets`, and its arguments, for each built-in data set."""


@dataclass(frozen=True, eq=False, repr=False)
class DataSet(ShortRepr):
    """Points or distances, with names.

    Attributes
    ----------
    name : str
    space : Space
    rows : integer array of shape (n,)
        Rows of the data that the points come from.
    n_all : int
        Number of rows of the data.
    columns : tuple of str, default ()
        Names of the coordinates.
    truth : integer array of shape (n,), optional
        Known labels.
    reading : str
        Python code that makes X, and `weights` if there are any.
    is_weighted : bool, default False
        Whether weights were given.
    notes : tuple of str, default ()
        Remarks for the page.
    plane_of_all : Plane, optional
        The plane of the data set that this one is a sample of.
    """

    name: str
    space: Space
    rows: Ints
    n_all: int
    columns: tuple[str, ...] = ()
    truth: Ints | None = None
    reading: str = "X = …  # your points"
    is_weighted: bool = False
    notes: tuple[str, ...] = ()
    plane_of_all: Plane | None = None

    @property
    def n(self) -> int:
        """Number of points."""
        return self.space.n

    def at_most(self, n_max: int) -> DataSet:
        """The data set itself, or evenly spaced rows of it with a note, if it has more than `n_max` points."""
        if self.n <= n_max:
            return self
        rows = sample_evenly(self.n, n_max)
        note = f"{n_max:,} of {self.n_all:,} points are shown: every {self.n_all / n_max:.1f}th row"
        return replace(
            self, space=self.space.take(rows), truth=None if self.truth is None else self.truth[rows],
            rows=self.rows[rows], notes=(*self.notes, note),
            plane_of_all=None if self.space.points is None else self.plane,
        )  # fmt: skip

    @cached_property
    def plane(self) -> Plane:
        """The map from the points to the plane."""
        return self.plane_of_all or plane_of(self.space)

    def code(self, estimator: str) -> str:
        """Python code that computes what the page shows."""
        given = "X, sample_weight=weights" if self.is_weighted else "X"
        return (
            f"import wasserstein_transform as wt\n\n{self.reading}\nfitted = wt.{estimator}.fit({given})\n"
            "Z = fitted.linkage()  # SciPy linkage matrix of the new distance\n"
        )


@dataclass(frozen=True)
class Choice:
    """How a table is read; () and "" mean the default, and the scale "none" keeps the units."""

    columns: Sequence[str] = ()
    label: str = ""
    weight: str = ""
    scale: str = "auto"
    missing: str = "drop"


@dataclass(frozen=True, eq=False)
class Source:
    """A DataFrame or an array to be read by `features`, with labels and weights that are no columns of it."""

    X: Any
    labels: Any = None
    weights: Any = None
    choice: Choice = Choice()


def of_space(space: Space, name: str, truth: Any = None) -> DataSet:
    """A data set from a Space."""
    return DataSet(name, space, np.arange(space.n), space.n, truth=_codes(truth, space.n))


def built_in(name: str) -> DataSet:
    """The built-in data set with this name."""
    function, arguments = BUILT_IN[name]
    made = getattr(datasets, function)(**arguments)
    given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    data = of_space(Space.from_points(made.points), name, getattr(made, "labels", None))
    return replace(data, columns=("x", "y"), reading=f"X = wt.datasets.{function}({given}).points")


def of_source(source: Source, name: str, choice: Choice | None = None) -> DataSet:
    """A data set from a table or an array, as `features` reads it: chosen columns, scale, missing cells."""
    X, choice = source.X, choice or source.choice
    options: dict[str, Any] = {"scale": None if choice.scale == "none" else choice.scale, "missing": choice.missing}
    beside = [name for name in dict.fromkeys((choice.label, choice.weight)) if name and not choice.columns]
    rest = X.drop(columns=beside) if beside else X
    if beside:
        rest.attrs = X.attrs
    masses = weights(X, choice.weight) if choice.weight else source.weights
    table = features(rest, choice.columns or None, sample_weight=masses, **options)
    truth = _codes(labels(X, choice.label)[0] if choice.label else source.labels, table.n)
    rows = table.rows
    space = Space.from_points(table.matrix()[rows], None if masses is None else np.asarray(masses)[rows])
    return DataSet(
        name, space, rows, table.n, table.names if is_frame(X) else (), None if truth is None else truth[rows],
        _code_of(X, choice, options, beside), masses is not None, table.notes,
    )  # fmt: skip


def _codes(truth: Any, n: int) -> Ints | None:
    """Known labels as whole numbers."""
    if truth is None:
        return None
    if len(truth) != n:
        raise ValueError(f"labels must hold one label for each of the {counted(n, 'point')}, got {len(truth)}")
    return np.unique(np.asarray(truth), return_inverse=True)[1].astype(np.intp).ravel()


def _code_of(X: Any, choice: Choice, options: dict[str, Any], beside: list[str]) -> str:
    """Python code that reads a table or an array in the same way."""
    given = f", {list(choice.columns)!r}" * bool(choice.columns)
    given += "".join(f", {key}={value!r}" for key, value in options.items() if value not in ("auto", "drop"))
    given += f", sample_weight=table[{choice.weight!r}]" * bool(choice.weight)
    made = f"table = wt.read({source_of(X)!r})" if is_frame(X) else "table = …  # your points"
    rest = f"table.drop(columns={beside!r})" if beside else "table"
    weighted = "\nweights = found.weights[found.rows]" * bool(choice.weight)
    return f"{made}\nfound = wt.tables.features({rest}{given})\nX = found.matrix()[found.rows]{weighted}"


class Shelf:
    """Data sets by name, safe to use from several threads.

    A page cannot read files of this computer by name: it uploads their content, or the process that started the server
    has opened them.
    """

    def __init__(self) -> None:
        self._opened: dict[str, Source | DataSet] = {}

    @property
    def names(self) -> list[str]:
        """All names: opened data sets, newest first, then built-in ones."""
        return [*list(self._opened)[::-1], *BUILT_IN]

    def put(self, name: str, content: Source | DataSet) -> str:
        """Add a data set and return its name, made unique; raises if a table cannot be shown as it was chosen."""
        if isinstance(content, Source):
            of_source(content, name)
        free, k = name, 2
        while free in BUILT_IN or self._opened.setdefault(free, content) is not content:
            free, k = f"{name} ({k})", k + 1
        return free

    def open(self, name: str, content: bytes) -> str:
        """Read a file from its content and add it; returns the name of the data set."""
        from ..io import read

        shown = name.replace("\\", "/").rpartition("/")[2][:80] or "file"
        if not content:
            raise ValueError(f"{shown} is empty; choose a file with rows of numbers")
        current().reserve(4 * len(content), shown, "choose a smaller file, or a part of it")
        return self.put(shown, Source(read(content, name=shown)))

    def get(self, name: str, choice: Choice | None = None) -> DataSet:
        """The data set with this name, read as chosen."""
        if name in BUILT_IN:
            return built_in(name)
        content = self._opened.get(name)
        if content is None:
            raise ValueError(f"the data set {name!r:.60} does not exist any more; open the file again")
        return of_source(content, name, choice) if isinstance(content, Source) else content

    def choices(self, name: str) -> dict[str, Any]:
        """How a table is read at first, all of its columns, the numeric ones, and whether the data can be scaled."""
        content = self._opened.get(name)
        if not isinstance(content, Source):
            return {"choice": Choice(), "all": [], "numeric": [], "scales": False}
        if not is_frame(content.X):
            return {"choice": content.choice, "all": [], "numeric": [], "scales": True}
        table = with_text_names(content.X)
        numbers = {*numeric(table), *(role.name for role in column_roles(table) if not role.why_not)}
        names = list(table.columns)
        return {
            "choice": content.choice, "all": names, "numeric": [name for name in names if name in numbers],
            "scales": True,
        }  # fmt: skip
