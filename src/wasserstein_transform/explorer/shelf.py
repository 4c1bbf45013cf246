"""What the pages of one server have to show: built-in data sets, and what the user opened."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..engine import current
from .pictures import Picture, decoded, painted
from .sets import BUILT_IN, DataSet, of_table

if TYPE_CHECKING:
    from ..tables import Table

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp")
MOST_BYTES = 1 << 30
"""The largest file that the page takes; larger ones are for the command line."""


@dataclass(frozen=True, eq=False)
class Choice:
    """Which columns of a table are coordinates, which one the label, which one the weight."""

    columns: tuple[str, ...] = ()
    label: str = ""
    weight: str = ""


class Shelf:
    """Data sets by name; safe to use from several threads.

    Nothing is read from the machine by name: files come as bytes, from the dialog of the page, or were opened by who
    started the server.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[str, Table | DataSet | Picture] = {}
        self._choices: dict[str, Choice] = {}

    @property
    def names(self) -> list[str]:
        """All names: what was opened first, then what is built in."""
        with self._lock:
            return [*reversed(self._opened), *BUILT_IN, "painted shapes"]

    def put(self, name: str, content: Table | DataSet | Picture, choice: Choice | None = None) -> str:
        """Keep it, under a name that is free; the name. `choice` is what is shown of a table at first."""
        with self._lock:
            taken, free, k = {*self._opened, *BUILT_IN, "painted shapes"}, name, 2
            while free in taken:
                free, k = f"{name} ({k})", k + 1
            self._opened[free] = content
            self._choices[free] = choice or Choice()
        return free

    def open(self, name: str, content: bytes) -> str:
        """Read a file that came as bytes, by its name and its content; the name it is kept under."""
        from ..tables import read

        shown = name.replace("\\", "/").rpartition("/")[2][:80] or "file"
        if not content:
            raise ValueError(f"{shown} is empty; choose a file with rows of numbers")
        if shown.lower().endswith(PICTURES):
            return self.put(shown, decoded(content, shown))
        current().reserve(4 * len(content), shown, "choose a smaller file, or a part of it")
        table = read(content, name=shown)
        of_table(table)  # what cannot be shown is refused now
        return self.put(shown, table)

    def get(self, name: str, choice: Choice | None = None) -> DataSet | Picture:
        """A data set by its name."""
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
        """What is shown of a table at first."""
        with self._lock:
            return self._choices.get(name, Choice())

    def columns(self, name: str) -> dict[str, list[str]]:
        """The columns of a table, and which of them are numbers; none for what is no table."""
        with self._lock:
            kept = self._opened.get(name)
        if kept is None or isinstance(kept, DataSet | Picture):
            return {"all": [], "numeric": []}
        return {"all": list(kept.names), "numeric": list(kept.numeric)}
