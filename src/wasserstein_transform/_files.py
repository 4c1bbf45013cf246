"""Files written whole or not at all, by however many at once.

A file is written as a draft in the folder where it will be, and takes its name once it is complete: whoever reads sees
what was there or what is new, and of two who write at once neither sees the other's half. A draft has no name where the
system knows such files (Linux), so nothing is left of it however the process ends; elsewhere it has a name that nobody
else has, and is removed when the work or the interpreter ends. What a link points to is written, and the link stays;
devices and pipes are written through.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import uuid
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeAlias, cast

PathLike: TypeAlias = "str | os.PathLike[str]"


def check_target(path: PathLike) -> Path:
    """Where a file of that name is written: what a link points to. What cannot be written is an error that says why."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"a file is needed to write to, got the folder {path}")
    if _is_stream(path):
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, f"{path} is a link that leads back to itself; give another name")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to; make it first")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"{path} may not be written to; give another name, or change its permissions")
    return target


@contextmanager
def writing(path: PathLike) -> Iterator[IO[bytes]]:
    """A stream to write a file by; it has its name when the block ends, and is gone if that ends by an error."""
    with Draft(path) as draft:
        try:
            yield draft.stream
            draft.publish()
        except OSError as error:
            if error.errno is None or error.filename is not None:
                raise
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None  # a full disk does not say which


def write_bytes(path: PathLike, content: bytes) -> None:
    """Write a file."""
    with writing(path) as stream:
        stream.write(content)


def write_together(files: Mapping[Path, bytes], stale: Collection[Path] = ()) -> None:
    """Write several files, all or none: if one cannot take its name, the others get back what was there.

    Files of the names `stale` go when the new ones are there.
    """
    with ExitStack() as open_drafts:
        drafts = [open_drafts.enter_context(Draft(path)) for path in files]
        for draft, content in zip(drafts, files.values(), strict=True):
            draft.stream.write(content)
            draft.stream.flush()  # a full disk is noticed before the first name is taken
        with _Replacing() as replacing:
            for draft in drafts:
                replacing.keep(draft.target)
                draft.publish()
            for path in stale:
                if path.is_file():
                    replacing.keep(path)
                    path.unlink()


class Draft:
    """A file that is being written, and not there yet."""

    def __init__(self, path: PathLike) -> None:
        self.target = check_target(path)
        self.is_stream = _is_stream(self.target)
        self._name: Path | None = None
        self._removed: Callable[[], Any] | None = None
        self.stream = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):  # of a full disk: what could not be written is of no use any more
            self.stream.close()
        if self._removed is not None:
            self._removed()

    def publish(self) -> IO[bytes]:
        """Give it its name; the stream can still be read from, of this very file."""
        self.stream.flush()
        if self.is_stream:
            return self._passed_on()
        with suppress(OSError, AttributeError):  # there was none, or permissions are unknown here
            os.fchmod(self.stream.fileno(), stat.S_IMODE(self.target.stat().st_mode))
        if self._name is None:  # of two names for a file without one the link is followed if a folder is given, too
            self._take_name()
            os.link(f"/proc/self/fd/{self.stream.fileno()}", cast(Path, self._name), src_dir_fd=self.stream.fileno())
        if os.name == "nt":  # open files are not renamed there
            self.stream.close()
        cast(Path, self._name).replace(self.target)
        if os.name == "nt":
            self.stream = self.target.open("rb")
        return self.stream

    def _opened(self) -> IO[bytes]:
        if self.is_stream:
            return tempfile.TemporaryFile()
        if hasattr(os, "O_TMPFILE"):
            with suppress(OSError):  # not every file system has files without names
                nameless = os.fdopen(os.open(self.target.parent, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")
                if Path(f"/proc/self/fd/{nameless.fileno()}").exists():
                    return nameless
                nameless.close()
        self._take_name()
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
        try:
            return os.fdopen(os.open(cast(Path, self._name), flags, 0o666), "w+b")
        except PermissionError:
            raise PermissionError(f"the folder {self.target.parent} may not be written to; give another") from None

    def _take_name(self) -> None:
        self._name = _unused(self.target.parent)
        self._removed = weakref.finalize(self, _remove, self._name, os.getpid())

    def _passed_on(self) -> IO[bytes]:
        self.stream.seek(0)
        with self.target.open("ab") as through:
            shutil.copyfileobj(self.stream, through)
        return self.stream


class _Replacing:
    """Remembers what stood under names, and puts it back if the block ends by an error."""

    def __init__(self) -> None:
        self._before: list[tuple[Path, Path | None]] = []

    def keep(self, path: Path) -> None:
        """Keep what is there under another name, until all is done."""
        if path.is_dir():
            raise IsADirectoryError(f"a file is needed to write to, got the folder {path}")
        self._before.append((path, _second_name(path) if path.is_file() else None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for path, kept in reversed(self._before):
            if kind is not None and kept is not None:
                kept.replace(path)
                _remove(kept)  # two names of one file stay both
            elif kind is not None and not _is_stream(path):
                path.unlink(missing_ok=True)
            elif kept is not None:
                _remove(kept)


def _second_name(path: Path) -> Path:
    name = _unused(path.parent)
    try:
        os.link(path, name)
    except OSError:  # file systems without second names
        shutil.copy2(path, name)
    return name


def _unused(folder: Path) -> Path:
    """A name that nobody else has; not made of the file's, which may be as long as names can be."""
    return folder / f".{uuid.uuid4().hex[:16]}.part"


def _remove(path: Path, owner: int | None = None) -> None:
    """Remove what is left over; a forked process leaves what is its parent's."""
    if owner in (None, os.getpid()):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _is_stream(path: PathLike) -> bool:
    """Whether it is a device, a pipe, or an open file by its number, as /dev/stdout is."""
    at = os.fspath(path)
    with suppress(OSError):
        if not stat.S_ISREG(os.stat(at).st_mode):  # noqa: PTH116
            return True
        while True:
            folder = os.path.realpath(os.path.dirname(at))  # noqa: PTH120
            if folder == "/dev" or folder.startswith(("/proc/", "/dev/fd")):
                return True
            at = os.path.join(folder, os.readlink(at))  # noqa: PTH115, PTH118 raises at the end of the chain
    return False
