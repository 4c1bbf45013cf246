"""Output of results to a folder, a file or standard output: checked before the computation, written together."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._files import check_target, write_together

SUMMARY = "summary.json"
FIGURES = ("png", "svg", "pdf")


@dataclass(frozen=True)
class Plan:
    """Where the results of a command go.

    Attributes
    ----------
    name : str
        Name of table and figure in a folder, without suffix.
    force : bool
        Whether existing files are overwritten.
    kind : str
        Format of the table.
    folder, table, figure : Path, optional
    stream : bool
        Whether the table goes to standard output.
    more : sequence of str or Path
        Other files: names in the folder, and paths given by options.
    """

    name: str
    force: bool
    kind: str = "csv"
    folder: Path | None = None
    table: Path | None = None
    figure: Path | None = None
    stream: bool = False
    more: Sequence[str | Path] = ()

    def place(self, name: str | Path) -> Path | None:
        """Where another file goes; None if there is no folder for it."""
        if isinstance(name, Path):
            return name
        return None if self.folder is None else self.folder / name

    def check(self, source: Path | None = None) -> None:
        """Raise if a file cannot be written, is the input, or exists already."""
        if self.folder is not None and self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"{self.folder} is a file; give a folder, or an unused name")
        paths = (self.table, self.figure, *map(self.place, (*self.more, SUMMARY)))
        self._check_free([path for path in paths if path is not None], source)

    def _check_free(self, paths: Iterable[Path], source: Path | None = None) -> None:
        for path in paths:
            _check_place(path)
            if source is not None and source.exists() and path.exists() and path.samefile(source):
                raise ValueError(f"{path} is the input file; give another name for the output")
            if path.is_file() and not self.force:
                raise FileExistsError(f"{path} exists already; --force overwrites it")
        (path_written, count), *_ = Counter(map(os.path.realpath, paths)).most_common(1) or [("", 0)]
        if count > 1:
            raise ValueError(f"{path_written} would be written twice; give two different names")

    def write(self, files: Mapping[Path, bytes]) -> None:
        """Write all files or none."""
        self._check_free(files)
        new = [] if self.folder is None else [one for one in (self.folder, *self.folder.parents) if not one.exists()]
        try:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            write_together(files)
        except BaseException:
            for folder in new:
                with suppress(OSError):  # the folder may contain other files by now
                    folder.rmdir()
            raise


def plan_table(given: Any, name: str, kind: str, kinds: Sequence[str], more: Sequence[str | Path] = ()) -> Plan:
    """The plan of a command that makes a table, in one of these kinds; `kind` is that in a folder."""
    from ..io import kind_by_name

    if given.output == "-" and given.json:
        raise ValueError("--json and -o - both print to standard output; leave one of them out")
    if given.figure is not None and given.figure.suffix.lower().lstrip(".") not in FIGURES:
        raise ValueError(f"--figure must end in {', '.join(f'.{kind}' for kind in FIGURES)}, got {given.figure}")
    plan = Plan(name, given.force, figure=given.figure, more=more)
    if given.output is None or given.output == "-":
        return replace(plan, stream=given.output == "-" or not (given.json or sys.stdout.isatty()))
    path = Path(given.output)
    if path.is_dir() or given.output.endswith(("/", os.sep)) or not path.suffix:
        figure = given.figure or path / f"{name}.png"
        return replace(plan, kind=kind, folder=path, table=path / f"{name}.{kind}", figure=figure)
    kind_of_name = kind_by_name(path.name)
    if kind_of_name is None or kind_of_name not in kinds:
        raise ValueError(
            f"{path}: {''.join(path.suffixes)} is not written by this command; it writes "
            f"{', '.join(f'.{kind}' for kind in kinds)}, or everything into a folder: -o {path}/"
        )
    return replace(plan, kind=kind_of_name, table=path)


def _check_place(path: Path) -> None:
    """Raise if there is, or can be, no folder for a file."""
    folder = next(parent for parent in (path.parent, *path.absolute().parents) if parent.exists())
    if not folder.is_dir():
        raise ValueError(f"{folder} is a file; give a folder, or an unused name")
    if path.parent.exists():
        check_target(path)
    elif not os.access(folder, os.W_OK):
        raise ValueError(f"{folder} cannot be written to; give another folder")
