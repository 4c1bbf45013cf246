"""Output of results to a folder, a file or standard output: checked before the computation, written together."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import typer

from .._files import write_together
from .targets import PACKED, SUMMARY, check_free, check_link, new_folder, written_before

FIGURES = ("png", "svg", "pdf")
_LONGEST = 6  # longest suffix, with its dot


@dataclass(frozen=True)
class Keeping:
    """Options for the output."""

    keeps: ClassVar[tuple[str, ...]] = ("output", "figure", "force", "json", "quiet")

    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Folder for all results; a file such as out.csv for the table; -: stdout."),
    ] = None
    format: Annotated[
        str | None, typer.Option(help="Format of the table: csv, parquet, npy, ...; default: that of FILE.")
    ] = None
    figure: Annotated[Path | None, typer.Option(help="Write the figure to this file: .png, .svg or .pdf.")] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no text, notes or progress.")] = False


@dataclass(frozen=True)
class Folder:
    """Options for the output of commands that always write a folder."""

    keeps: ClassVar[tuple[str, ...]] = ("output", "force", "json", "quiet")

    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for all results.")]
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no text, notes or progress.")] = False


Mode = Literal["shown", "stream", "file", "folder", "nothing"]


@dataclass(frozen=True)
class Offer:
    """What a command can write.

    Attributes
    ----------
    name : str
        Name of table and figure in a folder, without suffix.
    kinds : mapping from file formats to their suffixes
    preferred, piped : str
        Default format for files, and for standard output.
    more : tuple of str
        Names of other files in a folder.
    draws : bool
        Whether there is a figure.
    """

    name: str
    kinds: dict[str, str]
    preferred: str
    piped: str
    more: tuple[str, ...] = ()
    draws: bool = True


@dataclass(frozen=True)
class Plan:
    """The paths of all output files, checked."""

    mode: Mode
    kind: str
    table: Path | None
    figure: Path | None
    folder: Path | None
    offer: Offer
    force: bool
    asked_figure: bool
    elsewhere: dict[str, Path] = field(default_factory=dict)

    @property
    def targets(self) -> list[Path]:
        """All files to be written."""
        more = [] if self.folder is None else [self.folder / name for name in (*self.offer.more, SUMMARY)]
        more = [path for path in more if path != self.table]  # the table may be one of them
        return [path for path in (self.table, self.figure, *self.elsewhere.values(), *more) if path is not None]

    def check(self, source: Path | None = None) -> None:
        """Raise if a file cannot be written or exists already."""
        for path in self.targets:
            if self.folder is not None and path.parent == self.folder:
                check_link(path, self.folder)
            check_free(path, self.force, source)
        (place, count), *_ = Counter(map(os.path.realpath, self.targets)).most_common(1) or [("", 0)]
        if count > 1:
            raise ValueError(f"{place} would be written twice; give two different names")

    def write(self, files: dict[Path, bytes]) -> None:
        """Write all files or none. The summary comes last: if it exists, all files do."""
        self.check()
        order = sorted(files, key=lambda path: path.name == SUMMARY)
        with new_folder(self.folder):
            write_together({path: files[path] for path in order}, self._stale(files))

    def _stale(self, files: dict[Path, bytes]) -> list[Path]:
        """Files that an earlier run wrote in another format; they are out of date and removed."""
        if self.folder is None:
            return []
        suffixes = {*self.offer.kinds.values(), *(f".{kind}" for kind in FIGURES)}
        ours = {f"{self.offer.name}{suffix}" for suffix in suffixes}
        return [
            self.folder / name
            for name in written_before(self.folder)
            if name in ours and self.folder / name not in files
        ]


def planned(keeping: Keeping, offer: Offer, elsewhere: dict[str, Path] | None = None) -> Plan:
    """The plan according to the options."""
    mode, path = _mode(keeping, offer)
    kind = _kind(keeping, offer, mode, path)
    if keeping.json and mode == "stream":
        raise ValueError("--json and -o - both print to standard output; leave one of them out")
    folder = path if mode == "folder" else None
    table = path if mode == "file" else None if folder is None else folder / f"{offer.name}{offer.kinds[kind]}"
    figure = keeping.figure
    if figure is None and folder is not None and offer.draws:
        figure = folder / f"{offer.name}.png"
    if keeping.figure is not None:
        _check_figure(keeping.figure, offer)
    if mode == "stream" and sys.stdout.isatty() and kind not in ("csv", "tsv", "txt", "geojson"):
        raise ValueError(
            f"{kind} cannot be printed on a terminal; write a file, -o {offer.name}{offer.kinds[kind]}, or redirect it"
        )
    return Plan(mode, kind, table, figure, folder, offer, keeping.force, keeping.figure is not None, elsewhere or {})


def _mode(keeping: Keeping, offer: Offer) -> tuple[Mode, Path | None]:
    if keeping.output is None:
        return ("nothing" if keeping.json else "shown" if sys.stdout.isatty() else "stream"), None
    if keeping.output == "-":
        return "stream", None
    if not keeping.output:
        raise ValueError("-o must be a folder, a file or -, got an empty name")
    path = Path(keeping.output)
    if path.is_dir() or keeping.output.endswith(("/", os.sep)):
        return "folder", path
    suffix = _suffix(path)
    if suffix in offer.kinds.values() or (suffix and keeping.format is not None):
        return "file", path
    if suffix:
        raise ValueError(
            f"{path}: {suffix} is not written by this command; it writes {', '.join(offer.kinds.values())}, "
            f"or everything into a folder: -o {path}/"
        )
    if path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file; give a folder, or a file by its suffix, such as {path}.csv")
    return "folder", path


def _suffix(path: Path) -> str:
    """The suffix of a name if it looks like a file format, else ""."""
    suffix = path.suffix.lower()
    if suffix in PACKED:
        suffix = path.with_suffix("").suffix.lower()
    return suffix if 1 < len(suffix) <= max(_LONGEST, len(".geojson")) and suffix[1:].isalpha() else ""


def _kind(keeping: Keeping, offer: Offer, mode: Mode, path: Path | None) -> str:
    if keeping.format is not None:
        if keeping.format not in offer.kinds:
            raise ValueError(f"--format must be one of {', '.join(offer.kinds)}, got {keeping.format!r}")
        return keeping.format
    if mode == "file" and path is not None:
        return next(kind for kind, suffix in offer.kinds.items() if suffix == _suffix(path))
    return offer.piped if mode == "stream" else offer.preferred


def _check_figure(path: Path, offer: Offer) -> None:
    if not offer.draws:
        raise ValueError("this command has no figure; leave --figure out")
    if path.suffix.lower().lstrip(".") not in FIGURES:
        raise ValueError(f"--figure must end in {', '.join(f'.{kind}' for kind in FIGURES)}, got {path}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} for {path.name}; make it first")
