"""Files to be written: free, allowed, and not what is read; folders that go again if nothing is written."""

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
"""Ends of names of packed files, and who packs them."""


def check_link(path: Path, folder: Path) -> None:
    """Refuse a link among results that leads out of their folder: whoever made that may have put it there."""
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise ValueError(f"{path} is a link that leads out of {folder}; remove it, or give another folder")


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


class Place:
    """A folder to write files of these names to; what can be wrong with it is said before anything is computed."""

    def __init__(self, folder: Path, *names: str, force: bool = False) -> None:
        self.folder, self.force = folder, force
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{folder} is a file; give a folder, or a name that is free")
        for name in names:
            check_link(folder / name, folder)
            check_free(folder / name, force)

    def write(self, files: dict[str, bytes], stale: Collection[str] = ()) -> None:
        """All or nothing: what was there stays as it was until everything new is complete.

        Files of the names `stale` that are not written anew are of a run before, and no longer true: they go.
        """
        for name in files:
            check_link(self.folder / name, self.folder)
            check_free(self.folder / name, self.force)
        with new_folder(self.folder):
            old = [self.folder / name for name in set(stale) - set(files)]
            write_together({self.folder / name: content for name, content in files.items()}, old)


def packed(content: bytes, path: Path) -> bytes:
    """As the end of a name says: .gz, .xz, .bz2; the same bytes whenever it is written."""
    if path.suffix.lower() not in PACKED:
        return content
    module = importlib.import_module(PACKED[path.suffix.lower()])
    more = {"mtime": 0} if path.suffix.lower() == ".gz" else {}
    return bytes(module.compress(content, **more))


def written_before(folder: Path) -> list[str]:
    """Names of files that the summary in a folder lists, and that are still there."""
    try:
        names = json.loads((folder / SUMMARY).read_bytes())["written"]
        return [name for name in names if name == Path(name).name and (folder / name).is_file()]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # none, or none of ours
        return []
