"""Output of results to a folder, a file or standard output: checked before the computation, written together."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from .._files import check_target, write_together
from .options import Output

SUMMARY = "summary.json"
FIGURES = ("png", "svg", "pdf")
_TEXT = ("csv", "tsv", "txt", "geojson")  # formats that a terminal can show
_COMPRESSED = (".gz", ".xz", ".bz2")
_MAX_SUFFIX = len(".geojson")


@dataclass(frozen=True)
class Plan:
    """Where the results of a command go.

    Attributes
    ----------
    name : str
        Name of table and figure in a folder, without suffix.
    force : bool
        Whether existing files are overwritten.
    mode : str
        "shown": on the terminal, and nothing is written; "stream": the table on standard output; "nothing": only JSON.
    kind : str
        Format of the table.
    folder, table, figure : Path, optional
    needs_figure : bool
        Whether the figure was requested by an option.
    more : sequence of str
        Names of other files in the folder.
    elsewhere : sequence of Path
        Other files, given by options.
    """

    name: str
    force: bool
    mode: Literal["shown", "stream", "file", "folder", "nothing"] = "folder"
    kind: str = "csv"
    folder: Path | None = None
    table: Path | None = None
    figure: Path | None = None
    needs_figure: bool = False
    more: Sequence[str] = ()
    elsewhere: Sequence[Path] = ()

    @property
    def targets(self) -> list[Path]:
        """All files to be written."""
        more = [] if self.folder is None else [self.folder / name for name in (*self.more, SUMMARY)]
        more = [path for path in more if path != self.table]  # the table may be one of them
        return [path for path in (self.table, self.figure, *self.elsewhere, *more) if path is not None]

    def check(self, source: Path | None = None) -> None:
        """Raise if a file cannot be written or exists already."""
        if self.folder is not None and self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"{self.folder} is a file; give a folder, or an unused name")
        for path in self.targets:
            if self.folder is not None and path.parent == self.folder:
                _check_link(path, self.folder)
            check_free(path, self.force, source)
        (place, count), *_ = Counter(map(os.path.realpath, self.targets)).most_common(1) or [("", 0)]
        if count > 1:
            raise ValueError(f"{place} would be written twice; give two different names")

    def write(self, files: dict[Path, bytes]) -> None:
        """Write all files or none. The summary comes last: if it exists, all files do."""
        self.check()
        order = sorted(files, key=lambda path: path.name == SUMMARY)
        new = [] if self.folder is None else [one for one in (self.folder, *self.folder.parents) if not one.exists()]
        try:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            write_together({path: files[path] for path in order}, self._outdated(files))
        except BaseException:
            for folder in new:
                with suppress(OSError):  # the folder may contain other files by now
                    folder.rmdir()
            raise

    def _outdated(self, files: dict[Path, bytes]) -> list[Path]:
        """Files that an earlier run of the command wrote and this one does not, such as the table in another format."""
        if self.folder is None:
            return []
        own = [name for name in _earlier_files(self.folder) if Path(name).stem == self.name or name in self.more]
        return [self.folder / name for name in own if self.folder / name not in files]


def plan_folder(given: Output, name: str, more: Sequence[str], figure: str = "") -> Plan:
    """The plan of a command that always writes a folder."""
    if not given.output:
        raise ValueError("-o must be a folder, got an empty name")
    folder = Path(given.output)
    return Plan(name, given.force, folder=folder, figure=folder / figure if figure else None, more=more)


def plan_table(
    given: Output, name: str, kind: str, kinds: Sequence[str], more: Sequence[str] = (), elsewhere: Sequence[Path] = ()
) -> Plan:
    """The plan of a command that makes a table, in one of these kinds; `kind` is that of a folder by default."""
    if given.output == "":
        raise ValueError("-o must be a folder, a file or -, got an empty name")
    if given.format is not None and given.format not in kinds:
        raise ValueError(f"--format must be one of {', '.join(kinds)}, got {given.format!r}")
    if given.figure is not None:
        _check_figure(given.figure)
    plan = Plan(
        name, given.force, figure=given.figure, needs_figure=given.figure is not None, more=more, elsewhere=elsewhere
    )
    if given.output is None or given.output == "-":
        return _plan_stream(plan, given)
    path = Path(given.output)
    suffix = "" if path.is_dir() or given.output.endswith(("/", os.sep)) else _suffix(path)
    if suffix and given.format is None and suffix not in kinds:
        raise ValueError(
            f"{path}: .{suffix} is not written by this command; it writes {', '.join(f'.{kind}' for kind in kinds)}, "
            f"or everything into a folder: -o {path}/"
        )
    if suffix:
        return replace(plan, mode="file", kind=given.format or suffix, table=path)
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file; give a folder, or a file by its suffix, such as {path}.csv")
    kind = given.format or kind
    return replace(
        plan, kind=kind, folder=path, table=path / f"{name}.{kind}", figure=given.figure or path / f"{name}.png"
    )


def _plan_stream(plan: Plan, given: Output) -> Plan:
    """The plan if there is neither a file nor a folder."""
    kind = given.format or "csv"
    is_terminal = sys.stdout.isatty()
    if given.output is None and (given.json or is_terminal):
        return replace(plan, mode="nothing" if given.json else "shown", kind=kind)
    if given.json:
        raise ValueError("--json and -o - both print to standard output; leave one of them out")
    if is_terminal and kind not in _TEXT:
        raise ValueError(f"{kind} cannot be printed on a terminal; write a file, -o {plan.name}.{kind}, or redirect it")
    return replace(plan, mode="stream", kind=kind)


def _suffix(path: Path) -> str:
    """The suffix of a name, without its dot, if it looks like a file format, else ""."""
    suffix = path.suffix.lower()
    if suffix in _COMPRESSED:
        suffix = path.with_suffix("").suffix.lower()
    return suffix[1:] if len(suffix) <= _MAX_SUFFIX and suffix[1:].isalpha() else ""


def _check_figure(path: Path) -> None:
    if path.suffix.lower().lstrip(".") not in FIGURES:
        raise ValueError(f"--figure must end in {', '.join(f'.{kind}' for kind in FIGURES)}, got {path}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} for {path.name}; make it first")


def check_free(path: Path, force: bool, source: Path | None = None) -> None:
    """Raise if a file cannot be written, is the input, or exists and `force` is not set."""
    there = _nearest_folder(path)
    if not there.is_dir():
        raise ValueError(f"{there} is a file; give a folder, or an unused name")
    if not path.parent.exists():
        if not os.access(there, os.W_OK):
            raise ValueError(f"{there} cannot be written to; give another folder")
        return
    target = check_target(path)
    if source is not None and source.exists() and target.exists() and target.samefile(source):
        raise ValueError(f"{path} is the input file; give another name for the output")
    if path.is_file() and not force:
        raise FileExistsError(f"{path} exists already; --force overwrites it")


def _check_link(path: Path, folder: Path) -> None:
    """Raise for a link in the output folder that points outside of it: somebody else may have put it there."""
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise ValueError(f"{path} is a link that leads out of {folder}; remove it, or give another folder")


def _nearest_folder(path: Path) -> Path:
    """The nearest folder around a file that exists."""
    return next(one for one in (path.parent, *path.absolute().parents) if one.exists())


def _earlier_files(folder: Path) -> list[str]:
    """Names of files that the summary in a folder lists and that still exist."""
    try:
        names = json.loads((folder / SUMMARY).read_bytes())["written"]
        return [name for name in names if name == Path(name).name and (folder / name).is_file()]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # there is no summary, or it is not one of wt
        return []
