"""Where results go: a folder, a file, standard output; refused before anything is computed, written together."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import typer

from .._files import check_target, write_together

SUMMARY = "summary.json"
FIGURES = ("png", "svg", "pdf")
_PACKED = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}
_LONGEST = 6  # letters and the dot: longer ends of names are no suffixes


@dataclass(frozen=True)
class Keeping:
    """Options that say where results go."""

    keeps: ClassVar[tuple[str, ...]] = ("output", "figure", "force", "json", "quiet")

    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", help="Folder for everything; a file, such as out.csv, for the table; -: stdout."
        ),
    ] = None
    format: Annotated[
        str | None, typer.Option(help="Of the table: csv, parquet, npy, ...; by default that of FILE.")
    ] = None
    figure: Annotated[Path | None, typer.Option(help="Draw it there: .png, .svg or .pdf.")] = None
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No words, notes or progress.")] = False


@dataclass(frozen=True)
class Folder:
    """Options of commands whose results are a folder."""

    keeps: ClassVar[tuple[str, ...]] = ("output", "force", "json", "quiet")

    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for everything that is written.")]
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No words, notes or progress.")] = False


Mode = Literal["shown", "stream", "file", "folder", "nothing"]


@dataclass(frozen=True)
class Offer:
    """What a command can write.

    Attributes
    ----------
    name : str
        Of its table and figure in a folder, without suffix.
    kinds : mapping from kinds of files to their suffixes
    preferred : str
        The kind if nobody asks for another; `piped` for pipes.
    more : tuple of str
        Names of other files in a folder.
    """

    name: str
    kinds: dict[str, str]
    preferred: str
    piped: str
    more: tuple[str, ...] = ()
    draws: bool = True


@dataclass(frozen=True)
class Plan:
    """Where everything will go, checked."""

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
        """All files that will be written."""
        more = [] if self.folder is None else [self.folder / name for name in (*self.offer.more, SUMMARY)]
        return [path for path in (self.table, self.figure, *self.elsewhere.values(), *more) if path is not None]

    def check(self, source: Path | None = None) -> None:
        """Refuse what cannot, or may not, be written."""
        for path in self.targets:
            check_free(path, self.force, source)

    def write(self, files: dict[Path, bytes]) -> None:
        """All or none; the summary takes its name last, so that where it is all is there."""
        self.check()
        with new_folder(self.folder):
            last = [path for path in files if path.name == SUMMARY]
            write_together({path: files[path] for path in [*(set_apart(files, last)), *last]}, self._stale(files))

    def _stale(self, files: dict[Path, bytes]) -> list[Path]:
        """The table of a run before, in another format: it is no longer true."""
        if self.folder is None or not (self.folder / SUMMARY).is_file():
            return []
        suffixes = {*self.offer.kinds.values(), *(f".{kind}" for kind in FIGURES)}
        old = (self.folder / f"{self.offer.name}{suffix}" for suffix in suffixes)
        return [path for path in old if path.is_file() and path not in files]


def set_apart(files: Iterable[Path], last: list[Path]) -> list[Path]:
    """Those that are not the last."""
    return [path for path in files if path not in last]


class new_folder:  # noqa: N801  a context manager, used as a word
    """Make a folder if it is not there, and remove it again if the block ends by an error."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.new = [] if folder is None else [one for one in (folder, *folder.parents) if not one.exists()]

    def __enter__(self) -> None:
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for folder in self.new if kind is not None else ():
            with suppress(OSError):  # somebody else's file may be in it by now
                folder.rmdir()


def planned(keeping: Keeping, offer: Offer, elsewhere: dict[str, Path] | None = None) -> Plan:
    """What the options say about where results go."""
    mode, path = _mode(keeping, offer)
    kind = _kind(keeping, offer, mode, path)
    if keeping.json and mode == "stream":
        raise ValueError("--json prints the summary, and -o - the table, to the same place; leave one of them out")
    folder = path if mode == "folder" else None
    table = path if mode == "file" else None if folder is None else folder / f"{offer.name}{offer.kinds[kind]}"
    figure = keeping.figure
    if figure is None and folder is not None and offer.draws:
        figure = folder / f"{offer.name}.png"
    if keeping.figure is not None:
        _check_figure(keeping.figure, offer)
    if mode == "stream" and sys.stdout.isatty() and kind not in ("csv", "tsv", "txt", "geojson"):
        raise ValueError(
            f"{kind} is not for terminals; give a file, -o {offer.name}{offer.kinds[kind]}, or redirect it"
        )
    return Plan(mode, kind, table, figure, folder, offer, keeping.force, keeping.figure is not None, elsewhere or {})


def packed(content: bytes, path: Path) -> bytes:
    """As the end of a name says: .gz, .xz, .bz2; the same bytes whenever it is written."""
    if path.suffix.lower() not in _PACKED:
        return content
    module = importlib.import_module(_PACKED[path.suffix.lower()])
    more = {"mtime": 0} if path.suffix.lower() == ".gz" else {}
    return bytes(module.compress(content, **more))


def check_free(path: Path, force: bool, source: Path | None = None) -> None:
    """Refuse a file that cannot be written, is what is read, or is there and may not be written over."""
    there = next(one for one in (path.parent, *path.absolute().parents) if one.exists())
    if not there.is_dir():
        raise ValueError(f"{there} is a file; give a folder, or a name that is free")
    if not path.parent.exists():
        if not os.access(there, os.W_OK):
            raise ValueError(f"{there} cannot be written to; give another folder")
        return
    target = check_target(path)
    if source is not None and source.exists() and target.exists() and target.samefile(source):
        raise ValueError(f"{path} is the file that is read; give another name")
    if path.is_file() and not force:
        raise FileExistsError(f"{path} is there already; --force writes over it")


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
    """What a name ends in, if that looks like a kind of file."""
    suffix = path.suffix.lower()
    if suffix in _PACKED:
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
        raise ValueError("this command draws nothing; leave --figure out")
    if path.suffix.lower().lstrip(".") not in FIGURES:
        raise ValueError(f"--figure must end in {', '.join(f'.{kind}' for kind in FIGURES)}, got {path}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to draw {path.name} to; make it first")


class Place:
    """A folder to write files of these names to; what can be wrong with it is said before anything is computed."""

    def __init__(self, folder: Path, *names: str, force: bool = False) -> None:
        self.folder, self.force = folder, force
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{folder} is a file; give a folder, or a name that is free")
        for name in names:
            check_free(folder / name, force)

    def write(self, files: dict[str, bytes], stale: Collection[str] = ()) -> None:
        """All or nothing: what was there stays as it was until everything new is complete.

        Files of the names `stale` that are not written anew are of a run before, and no longer true: they go.
        """
        for name in files:
            check_free(self.folder / name, self.force)
        with new_folder(self.folder):
            old = [self.folder / name for name in set(stale) - set(files)]
            write_together({self.folder / name: content for name, content in files.items()}, old)
