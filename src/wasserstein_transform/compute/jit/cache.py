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
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from numba import types

from ..._files import writing
from ..._types import cached_property

_SOURCES = Path(__file__).parents[1]
_FOLDER_BESIDE_SOURCES = _SOURCES / "__pycache__" / "compiled"
_LOG = logging.getLogger("wasserstein_transform")
_DIGEST_BYTES = 32  # bytes of the digest at the start of a file, so that damaged code is not run
_WRITABLE_BY_OTHERS = (
    stat.S_IWGRP | stat.S_IWOTH
)  # who could change code that is then run; many users have an umask of 002


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
        """The content of a file if it is intact and belongs to the user or to the owner of the package."""
        if name is None:
            return None
        for folder in self.folders:
            try:
                content = _read_trusted(folder / name)
            except OSError:
                continue
            if content is not None and hashlib.sha256(content[_DIGEST_BYTES:]).digest() == content[:_DIGEST_BYTES]:
                return content[_DIGEST_BYTES:]
            _LOG.debug("compiled code in %s is damaged or another user's: compiled anew", folder / name)
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
            (self.home / name).unlink(missing_ok=True)  # a file that is replaced would keep its permissions
            with writing(self.home / name) as stream:
                if hasattr(os, "fchmod"):
                    os.fchmod(stream.fileno(), stat.S_IMODE(os.fstat(stream.fileno()).st_mode) & ~_WRITABLE_BY_OTHERS)
                stream.write(hashlib.sha256(content).digest() + content)
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


def cache_folders() -> Iterator[Path]:
    """Folders for compiled code, the preferred one first."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        folder = Path(named) / "wasserstein_transform"
        yield folder
        if _is_writable(folder) and _is_trusted(folder):
            return
    yield _FOLDER_BESIDE_SOURCES
    yield _user_folder() / "wasserstein_transform"


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
    except (OSError, RuntimeError):  # no home folder to expand ~ to
        return False
    _remove(probe)
    return True


def _read_trusted(file: Path) -> bytes | None:
    """The content of a file of the user or of the owner of the sources; None if it belongs to somebody else.

    The content is executed. Anyone who may write to its folder could place another file or a link there, so the folder
    and its parent must be as trusted as the file, which must not be a link.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(file, flags), "rb") as stream:
        about = os.fstat(stream.fileno())
        if not stat.S_ISREG(about.st_mode):
            return None
        if not _is_of(about, _owners()) or not _is_trusted(file.parent, file.parent.parent):
            return None
        return stream.read()


def _is_trusted(*folders: Path) -> bool:
    """Whether only trusted users may write to all these folders."""
    return all(_is_of(folder.stat(), {*_owners(), 0}) for folder in folders)


def _is_of(about: os.stat_result, owners: set[int]) -> bool:
    """Whether a file belongs to one of the owners and is not writable by others."""
    return not hasattr(os, "getuid") or (about.st_uid in owners and not about.st_mode & _WRITABLE_BY_OTHERS)


def _owners() -> set[int]:
    """The user, and the owner of the sources, who could change the code anyway."""
    return {os.getuid(), _owner_of_sources()} if hasattr(os, "getuid") else set()


def _owner_of_sources() -> int:
    return _SOURCES.stat().st_uid


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        _LOG.debug("%s is left over: %s", file, error)


@cache
def warn_uncached() -> None:
    """Log once that nothing can be cached; the command prints this line with `--quiet` as well."""
    _LOG.warning(
        "wasserstein_transform: compiled code cannot be kept, neither beside the package nor in the user's cache "
        "folder: every process compiles it again; set NUMBA_CACHE_DIR to a folder that can be written"
    )
