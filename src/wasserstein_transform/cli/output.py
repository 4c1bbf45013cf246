"""Output of results to a folder, a file or standard output: checked before the computation, written together."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .._files import check_target, write_together
from .options import Output

SUMMARY = "summary.json"
COMPRESSED = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}
"""Suffixes of compressed files, and the modules that compress them."""

FIGURES = ("png", "svg", "pdf")
_TEXT = ("csv", "tsv", "txt", "geojson")  # formats that a terminal can show
_MAX_SUFFIX = len(".geojson")

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
    kinds: dict[str, str] = field(default_factory=dict)
    preferred: str = ""
    piped: str = ""
    more: tuple[str, ...] = ()
    draws: bool = True


@dataclass(frozen=True)
class Plan:
    """The paths of all output files."""

    mode: Mode
    kind: str
    table: Path | None
    figure: Path | None
    folder: Path | None
    offer: Offer
    force: bool
    needs_figure: bool = False
    """Whether the figure was requested by an option."""
    elsewhere: dict[str, Path] = field(default_factory=dict)

    @property
    def targets(self) -> list[Path]:
        """All files to be written."""
        more = [] if self.folder is None else [self.folder / name for name in (*self.offer.more, SUMMARY)]
        more = [path for path in more if path != self.table]  # the table may be one of them
        return [path for path in (self.table, self.figure, *self.elsewhere.values(), *more) if path is not None]

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
        suffixes = {*self.offer.kinds.values(), *(f".{kind}" for kind in FIGURES)}
        own = {*(f"{self.offer.name}{suffix}" for suffix in suffixes), *self.offer.more}
        return [
            self.folder / name
            for name in _earlier_files(self.folder)
            if name in own and self.folder / name not in files
        ]


def plan_output(given: Output, offer: Offer, elsewhere: dict[str, Path] | None = None) -> Plan:
    """The plan according to the options."""
    mode, path = _mode(given, offer)
    kind = _kind(given, offer, mode, path)
    if given.json and mode == "stream":
        raise ValueError("--json and -o - both print to standard output; leave one of them out")
    folder = path if mode == "folder" else None
    table = path if mode == "file" else None if folder is None else folder / f"{offer.name}{offer.kinds[kind]}"
    figure = given.figure
    if figure is None and folder is not None and offer.draws:
        figure = folder / f"{offer.name}.png"
    if given.figure is not None:
        _check_figure(given.figure, offer)
    if mode == "stream" and sys.stdout.isatty() and kind not in _TEXT:
        raise ValueError(
            f"{kind} cannot be printed on a terminal; write a file, -o {offer.name}{offer.kinds[kind]}, or redirect it"
        )
    return Plan(mode, kind, table, figure, folder, offer, given.force, given.figure is not None, elsewhere or {})


def plan_folder(given: Output, offer: Offer) -> Plan:
    """The plan of a command that always writes a folder."""
    if not given.output:
        raise ValueError("-o must be a folder, got an empty name")
    folder = Path(given.output)
    return Plan("folder", "", None, folder / f"{offer.name}.png" if offer.draws else None, folder, offer, given.force)


def _mode(given: Output, offer: Offer) -> tuple[Mode, Path | None]:
    if given.output is None:
        return ("nothing" if given.json else "shown" if sys.stdout.isatty() else "stream"), None
    if given.output == "-":
        return "stream", None
    if not given.output:
        raise ValueError("-o must be a folder, a file or -, got an empty name")
    path = Path(given.output)
    if path.is_dir() or given.output.endswith(("/", os.sep)):
        return "folder", path
    suffix = _suffix(path)
    if suffix in offer.kinds.values() or (suffix and given.format is not None):
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
    if suffix in COMPRESSED:
        suffix = path.with_suffix("").suffix.lower()
    return suffix if 1 < len(suffix) <= _MAX_SUFFIX and suffix[1:].isalpha() else ""


def _kind(given: Output, offer: Offer, mode: Mode, path: Path | None) -> str:
    if given.format is not None:
        if given.format not in offer.kinds:
            raise ValueError(f"--format must be one of {', '.join(offer.kinds)}, got {given.format!r}")
        return given.format
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


def check_space(path: Path, n_bytes: float, what: str) -> None:
    """Raise if the disk of a file that is written later has too little space."""
    from .._mapped import check_disk_space

    check_disk_space(n_bytes, _nearest_folder(path), what)


def compress(content: bytes, path: Path) -> bytes:
    """Compress the content if the suffix is .gz, .xz or .bz2; the bytes do not depend on the time of writing."""
    if path.suffix.lower() not in COMPRESSED:
        return content
    module = importlib.import_module(COMPRESSED[path.suffix.lower()])
    more = {"mtime": 0} if path.suffix.lower() == ".gz" else {}
    return bytes(module.compress(content, **more))


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
