"""The disk cache of compiled code: one file for each kernel and signature.

A file's name contains a hash of all that the code depends on: the source of its module and of the modules that this one
imports. So a change compiles only its dependents again, and all processes write the same content. Files are renamed
into place, so that concurrent processes never see partial files. Errors of reading and writing are ignored: a cache
never makes a call fail.
"""

from __future__ import annotations

import ast
import hashlib
import logging
import os
import platform
import stat
import sys
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

from numba import types

from ..._files import writing
from ..._types import cached_property

_SOURCES = Path(__file__).parents[1]
_FOLDER_BESIDE_SOURCES = _SOURCES / "__pycache__" / "compiled"
_LOG = logging.getLogger("wasserstein_transform")
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH  # who could change code that is then run


class Store:
    """Files in a folder for these versions; the folder is chosen on first use."""

    def __init__(self, *versions: str) -> None:
        self.name = "-".join([*versions, f"{sys.implementation.cache_tag}-{platform.machine()}"])

    @cached_property
    def folders(self) -> list[Path]:
        """Candidate folders: the one set by the user, else next to the kernels and in the user's cache."""
        return [folder / self.name for folder in cache_folders()]

    @cached_property
    def home(self) -> Path | None:
        """The first writable folder; None, logged once, if there is none."""
        for folder in self.folders:
            if _is_writable(folder) and _is_trusted(folder, folder.parent):  # others are not read
                return folder
        warn_uncached()
        return None

    def read(self, name: str | None) -> bytes | None:
        """The content of a file that nobody else could have written."""
        for folder in self.folders if name is not None else []:
            with suppress(OSError):
                if _is_trusted(folder / str(name), folder, folder.parent):
                    return (folder / str(name)).read_bytes()
        return None

    def write(self, name: str | None, content: bytes) -> None:
        """Write a file if possible, in place of those of older sources."""
        if name is None or self.home is None:
            return
        try:
            _make(self.home)  # it may have been deleted meanwhile
            sources = name.rpartition("-")[0]
            for older in self.home.glob(f"{sources.rpartition('-')[0]}-*"):
                if not older.name.startswith(f"{sources}-"):
                    older.unlink(missing_ok=True)
            with writing(self.home / name) as stream:
                stream.write(content)
            (self.home / name).chmod(0o644)
        except OSError as error:
            _LOG.debug("compiled code is not kept: %s", error)


def file_name(function: Callable[..., Any], args: Iterable[Any], *settings: Any) -> str | None:
    """The name of the file for a function and the types of its arguments; None if a source is not known."""
    modules = {function.__module__, *_modules_of(args)}
    files = [getattr(sys.modules.get(module), "__file__", None) for module in modules]
    if not all(files):
        return None
    sources = hash_of_sources(frozenset(map(Path, cast(list[str], files))))
    key = hashlib.sha256(repr((tuple(args), *settings)).encode()).hexdigest()
    return f"{function.__module__}.{function.__qualname__}-{sources}-{key[:24]}"


def _modules_of(args: Iterable[Any]) -> set[str]:
    """The modules of all named tuples among types, which select the functions that are compiled in."""
    tuples: list[Any] = [arg for arg in args if isinstance(arg, types.BaseTuple)]
    modules = {arg.instance_class.__module__ for arg in tuples if hasattr(arg, "instance_class")}
    return modules.union(*(_modules_of(arg) for arg in tuples))


@cache
def hash_of_sources(files: frozenset[Path]) -> str:
    """A hash of sources and of all that they import from the folder `compute`."""
    contents, new = dict[Path, bytes](), set(files)
    while new:
        contents |= {file: file.read_bytes() for file in new}
        new = {other for file in new for other in _imported(file, contents[file])} - set(contents)
    digest = hashlib.sha256()
    for file in sorted(contents):
        digest.update(f"{file.name}\0".encode() + hashlib.sha256(contents[file]).digest())
    return digest.hexdigest()[:16]


@cache  # parsing takes ten times as long as reading
def _imported(file: Path, source: bytes) -> list[Path]:
    """Files of the folder `compute` that a source imports by relative imports."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    out: list[Path] = []
    for node in nodes:
        folder = file.parents[max(node.level, 1) - 1]
        if node.level == 1 or (node.level and folder.is_relative_to(_SOURCES)):
            module = folder.joinpath(*(node.module or "").split("."))
            out += [
                module.with_suffix(".py"),
                *(module / f"{name}.py" for name in ("__init__", *(alias.name for alias in node.names))),
            ]
    return [other for other in dict.fromkeys(out) if other.exists() and other != _SOURCES / "__init__.py"]


def cache_folders() -> list[Path]:
    """Folders for compiled code, the preferred one first."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return [Path(named) / "wasserstein_transform"]
    return [_FOLDER_BESIDE_SOURCES, _user_folder() / "wasserstein_transform"]


def _user_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()


def _make(folder: Path) -> None:
    """Make a folder, and the one around it, that others cannot write to."""
    for part in (folder.parent, folder):
        part.mkdir(0o777 & ~_WRITABLE_BY_OTHERS, parents=True, exist_ok=True)


def _is_writable(folder: Path) -> bool:
    """Whether a folder is writable, tested by writing, because permissions do not show mounts and quotas."""
    probe = folder / f"{uuid.uuid4().hex[:12]}.tmp"
    try:
        _make(folder)
        probe.touch()
        probe.unlink()
    except (OSError, RuntimeError):  # no home folder to expand ~ to
        return False
    return True


def _is_trusted(*paths: Path) -> bool:
    """Whether only the user, root, and the owner of the sources, who could change the code anyway, may write to these.

    Their content is executed.
    """
    if not hasattr(os, "getuid"):
        return True
    owners, about = {0, os.getuid(), _SOURCES.stat().st_uid}, [path.stat() for path in paths]
    return all(each.st_uid in owners and not each.st_mode & _WRITABLE_BY_OTHERS for each in about)


@cache
def warn_uncached() -> None:
    """Log once that nothing can be cached; the command prints this line with `--quiet` as well."""
    _LOG.warning(
        "wasserstein_transform: compiled code cannot be kept, neither beside the package nor in the user's cache "
        "folder: every process compiles it again; set NUMBA_CACHE_DIR to a folder that can be written"
    )
