"""Data sets of the page: built-in ones, opened files, and arrays passed to `explore`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import datasets
from .._display import ShortRepr, counted
from .._types import Ints, cached_property
from ..compute.cells.rows import sample_evenly
from ..engine import current
from ..spaces import Space
from ..tables import features, is_frame
from ..tables.columns import labels, numeric, source_of, weights, with_text_names
from ..tables.roles import column_roles
from .scene import Plane, plane_of

MAX_BYTES = 1 << 30
"""The largest file in bytes that can be opened on the page; larger ones are for the command line."""


@dataclass(frozen=True, eq=False, repr=False)
class DataSet(ShortRepr):
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
    plane_of_all : Plane, optional
        The plane of the data set that this one is a sample of.
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
        return self.plane_of_all or plane_of(self.space.points, self.space)


@dataclass(frozen=True)
class Choice:
    """How a table is read; () and "" mean the default, and the scale "none" keeps the units."""

    columns: tuple[str, ...] = ()
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


def of_points(
    X: Any, name: str = "X", columns: tuple[str, ...] = (), truth: Any = None, weights: Any = None,
    reading: str = "X = …  # your points",
) -> DataSet:  # fmt: skip
    """A data set from points or from a Space."""
    space = X if isinstance(X, Space) else Space.from_points(X, weights)
    m = 0 if space.points is None else space.points.shape[1]
    letters = ("x", "y", "z") if m <= 3 else tuple(f"x{k + 1}" for k in range(m))
    codes = None if truth is None else np.unique(np.asarray(truth), return_inverse=True)[1].astype(np.intp).ravel()
    if codes is not None and len(codes) != space.n:
        raise ValueError(f"labels must hold one label for each of the {counted(space.n, 'point')}, got {len(codes)}")
    data = DataSet(name, space, columns or letters[:m], reading, codes, np.arange(space.n), space.n)
    return replace(data, has_weights=weights is not None)


def of_source(source: Source, name: str, choice: Choice | None = None) -> DataSet:
    """A data set from a table or an array, as `features` reads it: chosen columns, scale, missing cells."""
    X, choice = source.X, choice or Choice()
    options: dict[str, Any] = {"scale": None if choice.scale == "none" else choice.scale, "missing": choice.missing}
    beside = [name for name in dict.fromkeys((choice.label, choice.weight)) if name and not choice.columns]
    rest = X.drop(columns=beside) if beside else X
    if beside:
        rest.attrs = X.attrs
    masses = weights(X, choice.weight) if choice.weight else source.weights
    table = features(rest, choice.columns or None, sample_weight=masses, **options)
    truth = labels(X, choice.label)[0] if choice.label else source.labels
    n, rows = table.n, table.rows
    for values, what in ((truth, "labels"), (masses, "sample_weight")):
        if values is not None and len(values) != n:
            raise ValueError(f"{what} must hold one value for each of the {counted(n, 'point')}, got {len(values)}")
    truth, masses = (None if values is None else np.asarray(values)[rows] for values in (truth, masses))
    points, names = table.matrix()[rows], table.names if is_frame(X) else ()
    data = of_points(points, name, names, truth, masses, _code_of(X, choice, options, beside))
    return replace(data, rows=rows, n_all=n, notes=table.notes)


def _code_of(X: Any, choice: Choice, options: dict[str, Any], beside: list[str]) -> str:
    """Python code that reads a table or an array in the same way."""
    given = f", {list(choice.columns)!r}" * bool(choice.columns)
    given += "".join(f", {key}={value!r}" for key, value in options.items() if value not in ("auto", "drop"))
    if not is_frame(X):
        return f"X = …  # your points\nfound = wt.tables.features(X{given})\nX = found.matrix()[found.rows]"
    table = f"table.drop(columns={beside!r})" if beside else "table"
    given += f", sample_weight=table[{choice.weight!r}]" * bool(choice.weight)
    code = f"table = wt.read({source_of(X)!r})\nfound = wt.tables.features({table}{given})"
    weighted = "\nweights = found.weights[found.rows]" * bool(choice.weight)
    return f"{code}\nX = found.matrix()[found.rows]{weighted}"


def _labeled(name: str, call: str, make: Callable[[], Any]) -> Callable[[], DataSet]:
    return lambda: of_points(make().points, name, truth=getattr(make(), "labels", None), reading=f"X = {call}.points")


def _moons() -> DataSet:
    from sklearn.datasets import make_moons

    X, truth = make_moons(1000, noise=0.08, random_state=0)
    reading = "from sklearn.datasets import make_moons\n\nX, _ = make_moons(1000, noise=0.08, random_state=0)"
    return of_points(X, "two moons", truth=truth, reading=reading)


def _irises() -> DataSet:
    from sklearn.datasets import load_iris

    irises = load_iris()
    reading = "from sklearn.datasets import load_iris\n\nX = load_iris().data"
    names = tuple(name.removesuffix(" (cm)") for name in irises.feature_names)
    return of_points(irises.data, "irises", names, irises.target, reading=reading)


BUILT_IN: dict[str, Callable[[], DataSet]] = {
    "dumbbell": _labeled("dumbbell", "wt.datasets.dumbbell()", datasets.dumbbell),
    "T-junction": _labeled("T-junction", "wt.datasets.t_junction()", datasets.t_junction),
    "spiral": _labeled("spiral", "wt.datasets.spiral(0)", lambda: datasets.spiral(0)),
    "circles": _labeled(
        "circles", "wt.datasets.circles(0, n=1000, noise=0.1)", lambda: datasets.circles(0, n=1000, noise=0.1)
    ),
    "streets": _labeled("streets", "wt.datasets.streets(0)", lambda: datasets.streets(0)),
    "two moons": _moons,
    "irises": _irises,
}


class Shelf:
    """Data sets by name, safe to use from several threads.

    A page cannot read files of this computer by name: it uploads their content, or the process that started the server
    has opened them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[str, tuple[Source | DataSet, Choice]] = {}

    @property
    def names(self) -> list[str]:
        """All names: opened data sets, newest first, then built-in ones."""
        with self._lock:
            return [*reversed(self._opened), *BUILT_IN]

    def put(self, name: str, content: Source | DataSet, choice: Choice | None = None) -> str:
        """Add a data set and return its name, made unique; raises if a table cannot be shown as it was chosen."""
        choice = choice or Choice()
        if isinstance(content, Source):
            of_source(content, name, choice)
        with self._lock:
            free, k = name, 2
            while free in self._opened or free in BUILT_IN:
                free, k = f"{name} ({k})", k + 1
            self._opened[free] = content, choice
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
        content, first = self._entry(name)
        if isinstance(content, Source):
            return of_source(content, name, choice or first)
        return content if isinstance(content, DataSet) else content()

    def choice(self, name: str) -> Choice:
        """How a table is read at first."""
        return self._entry(name)[1]

    def columns(self, name: str) -> dict[str, Any]:
        """All columns of a table, the numeric ones, and whether the data can be scaled."""
        content = self._entry(name)[0]
        if not isinstance(content, Source) or not is_frame(content.X):
            return {"all": [], "numeric": [], "scales": isinstance(content, Source)}
        table = with_text_names(content.X)
        numbers = {*numeric(table), *(role.name for role in column_roles(table) if not role.why_not)}
        names = list(table.columns)
        return {"all": names, "numeric": [name for name in names if name in numbers], "scales": True}

    def _entry(self, name: str) -> tuple[Source | DataSet | Callable[[], DataSet], Choice]:
        if name in BUILT_IN:
            return BUILT_IN[name], Choice()
        with self._lock:
            entry = self._opened.get(name)
        if entry is None:
            raise ValueError(f"the data set {name!r:.60} does not exist any more; open the file again")
        return entry
