"""The data sets that a server offers: built-in ones and those that the user opened."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..engine import current
from .pictures import Picture, decoded, painted
from .sets import BUILT_IN, DataSet, of_table

if TYPE_CHECKING:
    from pandas import DataFrame

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp")
MOST_BYTES = 1 << 30
"""The largest file in bytes that can be opened on the page; larger ones are for the command line."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The columns of a table to use as coordinates, as label, and as weight; () and "" mean the default."""

    columns: tuple[str, ...] = ()
    label: str = ""
    weight: str = ""


class Shelf:
    """Data sets by name, safe to use from several threads.

    A page cannot read files of this computer by name: it uploads their content, or the process that started the server
    has opened them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[str, DataFrame | DataSet | Picture] = {}
        self._choices: dict[str, Choice] = {}

    @property
    def names(self) -> list[str]:
        """All names: opened data sets, newest first, then built-in ones."""
        with self._lock:
            return [*reversed(self._opened), *BUILT_IN, "painted shapes"]

    def put(self, name: str, content: DataFrame | DataSet | Picture, choice: Choice | None = None) -> str:
        """Add a data set and return its name, made unique. `choice` has the columns shown first."""
        with self._lock:
            taken, free, k = {*self._opened, *BUILT_IN, "painted shapes"}, name, 2
            while free in taken:
                free, k = f"{name} ({k})", k + 1
            self._opened[free] = content
            self._choices[free] = choice or Choice()
        return free

    def open(self, name: str, content: bytes) -> str:
        """Read a file from its content and add it; returns the name of the data set."""
        from ..tables import read

        shown = name.replace("\\", "/").rpartition("/")[2][:80] or "file"
        if not content:
            raise ValueError(f"{shown} is empty; choose a file with rows of numbers")
        if shown.lower().endswith(PICTURES):
            return self.put(shown, decoded(content, shown))
        current().reserve(4 * len(content), shown, "choose a smaller file, or a part of it")
        table = read(content, name=shown)
        of_table(table)  # raises now if the table cannot be shown
        return self.put(shown, table)

    def get(self, name: str, choice: Choice | None = None) -> DataSet | Picture:
        """The data set with this name."""
        if name == "painted shapes":
            return painted()
        if name in BUILT_IN:
            return BUILT_IN[name]()
        with self._lock:
            kept = self._opened.get(name)
        if kept is None:
            raise ValueError(f"there is no data set {name!r:.60} any more; open the file again")
        if isinstance(kept, DataSet | Picture):
            return kept
        choice = choice or self.choice(name)
        return of_table(kept, choice.columns, choice.label, choice.weight)

    def choice(self, name: str) -> Choice:
        """The columns of a table that are shown first."""
        with self._lock:
            return self._choices.get(name, Choice())

    def columns(self, name: str) -> dict[str, list[str]]:
        """All columns of a table, and the numeric ones; empty if it is not a table."""
        with self._lock:
            kept = self._opened.get(name)
        if kept is None or isinstance(kept, DataSet | Picture):
            return {"all": [], "numeric": []}
        from ..tables.columns import numeric
        from ..tables.roles import roles

        numbers = {*numeric(kept), *(one.name for one in roles(kept, None) if not one.why_not)}
        return {"all": list(map(str, kept.columns)), "numeric": [name for name in kept.columns if name in numbers]}
