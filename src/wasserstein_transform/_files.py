"""Atomic file writes: a file is written completely or not at all, also with several writers.

A file is written as a draft in its target folder, and gets its name when it is complete. So readers see the old file or
the new one, never a part. On Linux a draft is a file without a name, so that nothing is left if the process is killed.
On other systems it has a unique name, and is removed at the end of the work or of the interpreter. A symbolic link
stays, and the file it points to is written. Devices and pipes are written to directly.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import uuid
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeAlias, cast

PathLike: TypeAlias = "str | os.PathLike[str]"

_DRAFT_SUFFIX = ".part"


def check_target(path: PathLike) -> Path:
    """Return the file to write, with links resolved; raise an error if it cannot be written."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"a file is needed to write to, got the folder {path}; add a file name")
    if _is_stream(path):
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, f"{path} is a link that leads back to itself; choose another name")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to; make it first")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"{path} may not be written to; choose another name, or change its permissions")
    return target


@contextmanager
def writing(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a stream to write a file; it gets its name at the end of the block, and is removed after an error."""
    with Draft(path) as draft, _name_in_errors(path):
        yield draft.stream
        draft.publish()


@contextmanager
def _name_in_errors(path: PathLike) -> Iterator[None]:
    """Name the file that is written in errors that name none, such as those of full disks, or only its draft."""
    try:
        yield
    except OSError as error:
        named = [str(name) for name in (error.filename, error.filename2) if name is not None]
        if error.errno is None or (named and not named[-1].endswith(_DRAFT_SUFFIX)):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def write_bytes(path: PathLike, content: bytes) -> None:
    """Write a file."""
    with writing(path) as stream:
        stream.write(content)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write several files, all or none: if one cannot be written, the old files are restored."""
    with ExitStack() as open_drafts:
        drafts = {path: open_drafts.enter_context(Draft(path)) for path in files}
        for path, draft in drafts.items():
            with _name_in_errors(path):
                draft.stream.write(files[path])
                draft.stream.flush()  # detects a full disk before any file is replaced
        old_files = list[tuple[Path, Path | None]]()
        try:
            for path, draft in drafts.items():
                with _name_in_errors(path):
                    old_files.append((draft.target, _keep(draft.target)))
                    draft.publish()
        except BaseException:
            for path, old in reversed(old_files):
                if old is not None:
                    old.replace(path)
                    _remove(old)  # replace does nothing if both names are the same file
                elif not _is_stream(path):
                    path.unlink(missing_ok=True)
            raise
        for _, old in old_files:
            if old is not None:
                _remove(old)


def _keep(path: Path) -> Path | None:
    """Give an existing file a second name, and return it."""
    if path.is_dir():
        raise IsADirectoryError(f"a file is needed to write to, got the folder {path}; add a file name")
    if not path.is_file():
        return None
    name = _unique_name(path.parent)
    try:
        os.link(path, name)
    except OSError:  # file systems without hard links
        shutil.copy2(path, name)
    return name


class Draft:
    """A file that is being written and has no name yet."""

    def __init__(self, path: PathLike) -> None:
        self.target = check_target(path)
        self.is_stream = _is_stream(self.target)
        self._name: Path | None = None
        self._remove_name: Callable[[], Any] | None = None
        with _name_in_errors(path):
            self.stream = self._open_draft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):  # a full disk: the draft is discarded anyway
            self.stream.close()
        if self._remove_name is not None:
            self._remove_name()

    def publish(self) -> IO[bytes]:
        """Give the draft its name; the returned stream reads this file."""
        self.stream.flush()
        if self.is_stream:
            return self._copy_to_stream()
        with suppress(OSError, AttributeError):  # there is no old file, or the system has no permissions
            os.fchmod(self.stream.fileno(), stat.S_IMODE(self.target.stat().st_mode))
        if self._name is None:  # os.link follows the /proc link only if src_dir_fd is given
            self._take_name()
            os.link(f"/proc/self/fd/{self.stream.fileno()}", cast(Path, self._name), src_dir_fd=self.stream.fileno())
        if os.name == "nt":  # Windows cannot rename open files
            self.stream.close()
        cast(Path, self._name).replace(self.target)
        if os.name == "nt":
            self.stream = self.target.open("rb")
        return self.stream

    def _open_draft(self) -> IO[bytes]:
        if self.is_stream:
            return tempfile.TemporaryFile()
        if hasattr(os, "O_TMPFILE"):
            with suppress(OSError):  # not all file systems support files without names
                nameless = os.fdopen(os.open(self.target.parent, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")
                if Path(f"/proc/self/fd/{nameless.fileno()}").exists():
                    return nameless
                nameless.close()
        self._take_name()
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
        try:
            return os.fdopen(os.open(cast(Path, self._name), flags, 0o666), "w+b")
        except PermissionError:
            raise PermissionError(
                f"the folder {self.target.parent} may not be written to; choose another folder"
            ) from None

    def _take_name(self) -> None:
        self._name = _unique_name(self.target.parent)
        self._remove_name = weakref.finalize(self, _remove, self._name, os.getpid())

    def _copy_to_stream(self) -> IO[bytes]:
        self.stream.seek(0)
        with self.target.open("ab") as through:
            shutil.copyfileobj(self.stream, through)
        return self.stream


def _unique_name(folder: Path) -> Path:
    """A unique name; it does not contain the name of the file, which may already have the maximum length."""
    return folder / f".{uuid.uuid4().hex[:16]}{_DRAFT_SUFFIX}"


def _remove(path: Path, owner: int | None = None) -> None:
    """Remove a leftover file, unless it belongs to the parent of a forked process."""
    if owner in (None, os.getpid()):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _is_stream(path: PathLike) -> bool:
    """Whether a path is a device, a pipe, or a file descriptor such as /dev/stdout."""
    name = os.fspath(path)
    with suppress(OSError):
        if not stat.S_ISREG(os.stat(name).st_mode):  # noqa: PTH116
            return True
        while True:
            folder = os.path.realpath(os.path.dirname(name))  # noqa: PTH120
            if folder == "/dev" or folder.startswith(("/proc/", "/dev/fd")):
                return True
            name = os.path.join(folder, os.readlink(name))  # noqa: PTH115, PTH118 raises at the end of the chain
    return False
