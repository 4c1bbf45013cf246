"""Store: a folder for finished work."""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self
from weakref import WeakValueDictionary, finalize

import numpy as np

from ..._archive import fingerprint
from ..._check import warn
from ..._files import PathLike, check_no_link, write_bytes
from .code import code
from .journal import Journal
from .lock import InUseError, Lock

_FORMAT, _VERSION = "wasserstein-transform store", 1
_NAME, _LOCK, _TILES, _STATES, _FILES = "store.json", "lock", "tiles", "states", "files"
_LARGEST = 1 << 16  # bytes of store.json
_OPEN: WeakValueDictionary[str, Store] = WeakValueDictionary()
_OPENING = RLock()
_log = logging.getLogger("wasserstein_transform")


class StoreWarning(UserWarning):
    """Warning: the content of a store cannot be used, or nothing more can be stored in it.

    Examples
    --------
    >>> import json, pathlib, tempfile, warnings, wasserstein_transform as wt
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "store")
    >>> wt.Store(folder).close()
    >>> about = json.loads((folder / "store.json").read_text())
    >>> about["code"]["source"] = "another version"
    >>> _ = (folder / "store.json").write_text(json.dumps(about))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     wt.Store(folder).close()
    >>> caught[0].category.__name__
    'StoreWarning'
    """


class Store:
    """A folder for finished tiles and iterations: interrupted work continues where it stopped.

    Entries are found by a fingerprint of data, parameters, code and processor, so a store returns exactly what would be
    computed. Work that is killed and started again ends with the same bits, without computing finished parts again.
    One process at a time may use a store; the lock of a dead process is released by the system.

    Parameters
    ----------
    folder : path
        A folder of its own; it is created if it does not exist. Delete it when the work is done.

    Attributes
    ----------
    folder : Path
        The folder.

    Examples
    --------
    >>> import tempfile, wasserstein_transform as wt
    >>> with tempfile.TemporaryDirectory() as folder, wt.Store(folder) as store:
    ...     walk = wt.iterate(
    ...         wt.local_truncation(1.0),
    ...         wt.Space.from_points([[0.0], [1.0], [5.0]]),
    ...         n_iter=3,
    ...         engine=wt.Engine(store=store),
    ...     )
    >>> walk.n_iter
    3
    """

    folder: Path

    def __new__(cls, folder: PathLike) -> Self:
        """Return the open store of a folder: there is one per folder in a process."""
        place = os.path.realpath(folder)
        with _OPENING:
            found = _OPEN.get(place)
            if found is not None and found._is_open:
                return found  # type: ignore[return-value]
            made = super().__new__(cls)
            made._open(Path(place))
            _OPEN[place] = made
            return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.folder,)

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _open(self, folder: Path) -> None:
        self.folder = folder
        self._journals: WeakValueDictionary[str, Journal] = WeakValueDictionary()
        _check_folder(folder)
        try:
            folder.mkdir(exist_ok=True)
            self._lock = Lock(folder / _LOCK, f"the store {folder}")
            self._release = finalize(self, self._lock.release)
            _sweep(folder)
            for name in (_TILES, _STATES, _FILES):
                check_no_link(folder / name).mkdir(exist_ok=True)
            if not (folder / _NAME).is_file():
                about = {"format": _FORMAT, "version": _VERSION, "code": code()}
                write_bytes(folder / _NAME, json.dumps(about, indent=1).encode())
        except InUseError:
            raise
        except OSError as error:
            said = f"the store {folder} cannot be written to ({error.strerror}); give another folder"
            raise type(error)(error.errno, said) from None
        if _read_about(folder)["code"] != code():
            warn(
                f"the content of the store {folder} was computed by another version, or for another processor, and is "
                "not used; new results are stored beside it",
                StoreWarning,
            )

    @property
    def _is_open(self) -> bool:
        return self._release.alive and self._lock.owner == os.getpid()

    def check_open(self) -> None:
        """Raise an error if the store was closed, or belongs to the parent of this forked process."""
        if not self._release.alive:
            raise ValueError(f"the store {self.folder} was closed; open it again with wt.Store(folder)")
        if self._lock.owner != os.getpid():
            raise RuntimeError(
                f"the store {self.folder} belongs to process {self._lock.owner}, from which this one was forked; give "
                "another folder"
            )

    def close(self) -> None:
        """Release the folder for other processes."""
        self._release()

    def journal(self, key: str) -> Journal:
        """Return the journal of a task, shared by all threads; warn if parts of it are damaged."""
        self.check_open()
        with _OPENING:
            found = self._journals.get(key)
            if found is not None:
                return found
            found = self._journals[key] = Journal(self.folder / _TILES / key)
        if found.is_damaged:
            warn(f"the store {self.folder} is damaged: some finished tiles are computed again", StoreWarning)
        return found

    def forget(self, keys: list[str]) -> None:
        """Remove the journals of tasks whose results are stored in another form."""
        for key in keys:
            (self.folder / _TILES / key).unlink(missing_ok=True)

    def states(self, key: str) -> Path:
        """Return the folder for the states of a flow."""
        self.check_open()
        path = check_no_link(self.folder / _STATES / key)
        path.mkdir(exist_ok=True)
        return path

    def unfinished(self, target: PathLike, *what: Any) -> Path:
        """Return the temporary path of a file while it is filled."""
        self.check_open()
        return self.folder / _FILES / fingerprint((os.path.realpath(target), what))

    def holds(self, array: Any) -> bool:
        """Tell whether an array is mapped to a file that is being filled in this store."""
        name = getattr(array, "filename", None)
        return isinstance(array, np.memmap) and name is not None and Path(name).parent == self.folder / _FILES

    def clear(self) -> None:
        """Remove all entries."""
        self.check_open()
        for name in (_TILES, _STATES, _FILES):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir(exist_ok=True)


def key_of(*what: Any) -> str:
    """Return the key of a result in a store: a fingerprint of all its inputs and of the code.

    Parameters
    ----------
    *what
        Arrays, numbers, strings and tuples that determine the result.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> key = wt.engine.key_of("distances", 1.0)
    >>> len(key), key == wt.engine.key_of("distances", 1.0), key == wt.engine.key_of("distances", 2.0)
    (32, True, False)
    """
    return fingerprint((tuple(sorted(code().items())), what))


def as_store(store: Store | PathLike | None) -> Store | None:
    """Convert a folder to a store; a store or None is returned unchanged."""
    if store is None or isinstance(store, Store):
        return store
    if not isinstance(store, str | os.PathLike) or not os.fspath(store):
        raise TypeError(f"store must be a folder or a wt.Store, got {store!r}")
    return Store(store)


def _check_folder(folder: Path) -> None:
    """Reject a path that cannot be a store."""
    if not folder.exists():
        if not folder.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {folder.parent} to make the store {folder.name} in")
        return
    if not folder.is_dir():
        raise NotADirectoryError(f"a store is a folder, and {folder} is a file; give another name")
    there = {path.name for path in folder.iterdir()} - {_LOCK}
    if _NAME in there:
        _read_about(folder)
    elif any(not name.endswith(".part") for name in there - {_TILES, _STATES, _FILES}):
        raise ValueError(
            f"{folder} holds other files and is not a store; give an empty folder, or the name of a new one"
        )


def _read_about(folder: Path) -> dict[str, Any]:
    path = folder / _NAME
    try:
        with path.open("rb") as stream:
            about = json.loads(stream.read(_LARGEST))
        known = about["format"] == _FORMAT and isinstance(about["code"], dict)
        version = int(about["version"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        known, version = False, 0
    if not known:
        raise ValueError(f"{path} is damaged or that of another program: {folder} is not used; give another folder")
    if version > _VERSION:
        raise ValueError(
            f"the store {folder} has version {version}, and this library knows version {_VERSION}; update it, or give "
            "another folder"
        )
    return dict(about)


def _sweep(folder: Path) -> None:
    """Remove temporary files of killed processes; the lock excludes others."""
    for path in (*folder.glob(".*.part"), *folder.glob(f"{_STATES}/*/.*.part")):
        _log.info("removed %s, which was not finished", path)
        path.unlink(missing_ok=True)
