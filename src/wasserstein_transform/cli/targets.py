"""Check and write output files; new folders are removed again if writing fails."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from .._files import check_target, write_together

SUMMARY = "summary.json"
PACKED = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}
"""Suffixes of compressed files, and the modules that compress them."""


def check_link(path: Path, folder: Path) -> None:
    """Raise for a link in the output folder that points outside of it: somebody else may have put it there."""
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise ValueError(f"{path} is a link that leads out of {folder}; remove it, or give another folder")


def check_free(path: Path, force: bool, source: Path | None = None) -> None:
    """Raise if a file cannot be written, is the input, or exists and `force` is not set."""
    there = _existing(path)
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

    check_disk_space(n_bytes, _existing(path), what)


def _existing(path: Path) -> Path:
    """The nearest folder around a file that exists."""
    return next(one for one in (path.parent, *path.absolute().parents) if one.exists())


class new_folder:  # noqa: N801  a context manager, named like a function
    """Make a folder if it does not exist, and remove it again if the block raises an exception."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.new = [] if folder is None else [one for one in (folder, *folder.parents) if not one.exists()]

    def __enter__(self) -> None:
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for folder in self.new if kind is not None else ():
            with suppress(OSError):  # the folder may contain other files by now
                folder.rmdir()


class Place:
    """A folder for files with these names, checked before the computation."""

    def __init__(self, folder: Path, *names: str, force: bool = False) -> None:
        self.folder, self.force = folder, force
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{folder} is a file; give a folder, or an unused name")
        for name in names:
            check_link(folder / name, folder)
            check_free(folder / name, force)

    def write(self, files: dict[str, bytes], stale: Collection[str] = ()) -> None:
        """Write all files or none. Existing files are replaced only after all new ones are complete.

        Files listed in `stale` that are not written now come from an earlier run and are removed.
        """
        for name in files:
            check_link(self.folder / name, self.folder)
            check_free(self.folder / name, self.force)
        with new_folder(self.folder):
            old = [self.folder / name for name in set(stale) - set(files)]
            write_together({self.folder / name: content for name, content in files.items()}, old)


def packed(content: bytes, path: Path) -> bytes:
    """Compress the content if the suffix is .gz, .xz or .bz2; the bytes do not depend on the time of writing."""
    if path.suffix.lower() not in PACKED:
        return content
    module = importlib.import_module(PACKED[path.suffix.lower()])
    more = {"mtime": 0} if path.suffix.lower() == ".gz" else {}
    return bytes(module.compress(content, **more))


def written_before(folder: Path) -> list[str]:
    """Names of files that the summary in a folder lists and that still exist."""
    try:
        names = json.loads((folder / SUMMARY).read_bytes())["written"]
        return [name for name in names if name == Path(name).name and (folder / name).is_file()]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # there is no summary, or it is not one of wt
        return []
