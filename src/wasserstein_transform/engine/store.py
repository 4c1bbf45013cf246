"""Store: a folder for finished work."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from functools import cache
from importlib import metadata
from pathlib import Path
from threading import RLock
from typing import Any, Self
from weakref import WeakValueDictionary, finalize

import numpy as np

from .._archive import fingerprint
from .._check import warn
from .._files import PathLike, check_no_link, write_bytes
from .lock import InUseError, Lock
from .tile_files import TileFiles

_FORMAT, _VERSION = "wasserstein-transform store", 1
_NAME, _LOCK, _TILES, _STATES, _FILES = "store.json", "lock", "tiles", "states", "files"
_LARGEST = 1 << 16  # bytes of store.json
_OPEN: WeakValueDictionary[str, Store] = WeakValueDictionary()
_OPENING = RLock()
_PACKAGE = Path(__file__).parents[1]
_SHOWS = frozenset({"cli", "explorer", "plotting", "tables"})  # packages that do not affect results
_USED = ("numpy", "scipy", "numba", "llvmlite")


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

    def __new__(cls, folder: PathLike | Store) -> Self:
        """Return the open store of a folder: there is one per folder in a process."""
        if isinstance(folder, Store):
            return folder  # type: ignore[return-value]
        if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
            raise TypeError(f"store must be a folder or a wt.Store, got {folder!r}")
        place = os.path.realpath(folder)
        with _OPENING:
            found = _OPEN.get(place)
            if found is not None and found._release.alive and found._lock.owner == os.getpid():
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

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, folder: Path) -> None:
        self.folder = folder
        _check_folder(folder)
        try:
            folder.mkdir(exist_ok=True)
            self._lock = Lock(folder / _LOCK, f"the store {folder}")
            self._release = finalize(self, self._lock.release)
            for path in folder.rglob(".*.part"):  # of processes that were killed; the lock excludes others
                path.unlink(missing_ok=True)
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
        self.tiles = TileFiles(folder / _TILES)
        if self.tiles.is_damaged:
            warn(f"the store {folder} is damaged: some finished tiles are computed again", StoreWarning)
        if _read_about(folder)["code"] != code():
            content = f"the content of the store {folder} was computed by another version, or for another processor"
            warn(f"{content}, and is not used; new results are stored beside it", StoreWarning)

    def check_open(self) -> None:
        """Raise an error if the store was closed, or belongs to the parent of this forked process."""
        if not self._release.alive:
            raise ValueError(f"the store {self.folder} was closed; open it again with wt.Store(folder)")
        if self._lock.owner != os.getpid():
            of = f"process {self._lock.owner}, from which this one was forked"
            raise RuntimeError(f"the store {self.folder} belongs to {of}; give another folder")

    def close(self) -> None:
        """Release the folder for other processes."""
        self._release()

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


@cache
def code() -> dict[str, str]:
    """Return the versions that determine results to the bit, by name: sources, Python, libraries, processor.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> sorted(wt.engine.code())[:4]
    ['features', 'llvmlite', 'numba', 'numpy']
    """
    import llvmlite.binding as llvm  # noqa: PLC0415  # slow to import, and rarely needed

    features = ",".join(sorted(name for name, there in llvm.get_host_cpu_features().items() if there))
    digest = hashlib.sha256()
    for file in sorted(file for kind in ("*.py", "*.cu", "*.h") for file in _PACKAGE.rglob(kind)):
        inside = file.relative_to(_PACKAGE)
        if inside.parts[0] not in _SHOWS:
            digest.update(f"{inside.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return {
        "source": digest.hexdigest()[:16],
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: metadata.version(name) for name in _USED},
        "processor": f"{platform.machine()} {llvm.get_host_cpu_name()}",
        "features": hashlib.sha256(features.encode()).hexdigest()[:16],
    }


def _check_folder(folder: Path) -> None:
    """Reject a path that cannot be a store."""
    if not folder.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {folder.parent} to make the store {folder.name} in")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise NotADirectoryError(f"a store is a folder, and {folder} is a file; give another name")
    there = {path.name for path in folder.iterdir()} - {_LOCK}
    if _NAME in there:
        _read_about(folder)
    elif any(not name.endswith(".part") for name in there - {_TILES, _STATES, _FILES}):
        what = f"{folder} holds other files and is not a store"
        raise ValueError(f"{what}; give an empty folder, or the name of a new one")


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
        has = f"the store {folder} has version {version}, and this library knows version {_VERSION}"
        raise ValueError(f"{has}; update it, or give another folder")
    return dict(about)
