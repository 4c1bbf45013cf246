"""Store values in `.npz` files without pickle: arrays, and a JSON tree with a version and a fingerprint.

A value consists of registered classes (stored as the arguments of their constructors), arrays, sparse arrays, tuples,
lists, dicts, strings, numbers and None. An object that occurs twice is stored once, and is one object again after
reading.

Files may be damaged or malicious: headers are checked before arrays are read.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import stat
import zipfile
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.lib import format as npy
from scipy.sparse import csr_array, issparse

from ._files import check_target, writing

FORMAT, VERSION = "wasserstein-transform", 2

T = TypeVar("T", bound=type)

_CLASSES: dict[str, type] = {}
_KINDS = {"f": "floats", "i": "whole numbers"}
_MAX_SHOWN_SIDES = 8  # numbers of a shape in messages
_MAX_SHOWN_CHARACTERS = 200  # characters of other messages in ours


def archived(cls: T) -> T:
    """Register a class by its name, so that its instances can be stored."""
    _CLASSES[class_name(cls)] = cls
    return cls


def described(value: Any) -> tuple[str, tuple[np.ndarray, ...]]:
    """Describe a value by a string and arrays; raise a TypeError if it cannot be stored."""
    writer = _Writer()
    tree = writer.encode(value)
    return json.dumps(tree, sort_keys=True), tuple(writer.arrays)


def write(path: str | os.PathLike[str], value: Any) -> Path:
    """Store a value in a `.npz` file and return its path; the file gets its name when it is complete."""
    path = Path(path)
    if path.suffix != ".npz":
        path = path.with_name(path.name + ".npz")
    check_target(path)
    writer = _Writer()
    tree = writer.encode(value)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "kind": class_name(type(value)),
        "tree": tree,
        "fingerprint": fingerprint((json.dumps(tree, sort_keys=True), tuple(writer.arrays))),
    }
    arrays: dict[str, Any] = {f"a{k}": array for k, array in enumerate(writer.arrays)}
    with writing(path) as stream:
        np.savez(stream, header=np.array(json.dumps(header)), **arrays)
    return path


def read(path: str | os.PathLike[str], kind: type, reserve: Callable[[float], None] = lambda n_bytes: None) -> Any:
    """Read a value of the class `kind` from a file; `reserve` is called with its size first and may raise an error."""
    try:
        stored = read_arrays(path, reserve)
        header = json.loads(str(stored.pop("header")))
        arrays = [stored[f"a{k}"] for k in range(len(stored))]
    except (ValueError, KeyError, RecursionError) as error:
        raise ValueError(f"{path} is not a file that save() wrote, or it is damaged ({_brief(error)})") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"{path} is not a file that save() wrote")
    if header.get("version") != VERSION:
        raise ValueError(
            f"{path} has version {_brief(repr(header.get('version')))}, but this library reads version {VERSION}"
        )
    tree = header.get("tree")
    if any(array.dtype.kind not in "biufcSU" for array in arrays):
        raise ValueError(f"{path} is damaged: it holds arrays of types that save() never writes")
    try:
        written = json.dumps(tree, sort_keys=True)
    except RecursionError:
        raise ValueError(f"{path} is damaged: its content is nested too deeply") from None
    if header.get("fingerprint") != fingerprint((written, tuple(arrays))):
        raise ValueError(f"{path} is damaged: its content does not match its fingerprint; write it again")
    if not issubclass(_CLASSES.get(str(header.get("kind")), object), kind):
        raise ValueError(f"{path} holds a {_brief(header.get('kind'))}, but a {kind.__name__} is needed")
    try:
        value = _Reader(arrays).decode(tree)
    except UnknownClassError as error:
        raise ValueError(f"{path}: {_brief(error, 300)}") from None
    except Exception as error:  # constructors may raise anything for the content of a damaged file
        raise ValueError(f"{path} is damaged: {type(error).__name__}, {_brief(error, 300)}; write it again") from None
    if not isinstance(value, kind):
        raise ValueError(f"{path} is damaged: its header names a {kind.__name__}, but it holds none; write it again")
    return value


def _brief(words: object, most: int = 200) -> str:
    """Shorten text from a file for messages."""
    text = str(words)
    return text if len(text) <= most else f"{text[:most]}…"


class UnknownClassError(ValueError):
    """A user-defined class that was not imported before reading."""


def check_array(value: Any, name: str, kinds: str, *shape: int | None) -> None:
    """Check that a stored value is a finite array with these kinds of numbers and this shape (None: any length)."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
        got = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
        raise ValueError(f"{name} must be an array of {_KINDS[kinds]}, got {got}")
    if value.ndim != len(shape) or any(side not in (None, got) for side, got in zip(shape, value.shape, strict=True)):
        raise ValueError(f"{name} must have shape {shape}, got {value.shape}")
    if "f" in kinds and not np.isfinite(value).all():
        raise ValueError(f"{name} must be finite")


def check_rows(indptr: Any, indices: Any, height: int, width: int) -> None:
    """Check compressed rows, since compiled loops use their indices without bounds checks."""
    check_array(indptr, "indptr", "i", height + 1)
    check_array(indices, "indices", "i", None)
    check_range(indices, "indices", 0, width - 1)
    if indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must rise from 0 to the number of entries")


def check_range(values: Any, name: str, low: float, high: float = float("inf")) -> None:
    """Check that numbers are between `low` and `high`."""
    if np.size(values) and not (low <= np.min(values) and np.max(values) <= high):
        raise ValueError(f"{name} must be {low} to {high}, got {np.min(values)} to {np.max(values)}")


def check_type(value: Any, name: str, *kinds: type) -> None:
    """Check the class of a stored value; a bool does not count as a number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise ValueError(f"{name} must be a {kinds[0].__name__}, got {type(value).__name__}")


class _Writer:
    """Turns a value into a tree for JSON and a list of arrays."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self._seen: dict[int, tuple[dict[str, Any], Any]] = {}  # keeps the values alive, so that their ids stay unique
        self._count = 0

    def encode(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):  # JSON has neither infinity nor NaN
            return value if np.isfinite(value) else {"float": str(value)}
        if id(value) in self._seen:
            return {"same": self._seen[id(value)][0]["id"]}
        node: dict[str, Any] = {"id": self._count}
        self._count += 1
        self._seen[id(value)] = node, value
        node.update(self._compound(value))
        return node

    def _compound(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "O":
                return {"objects": [self.encode(entry) for entry in value.ravel().tolist()], "shape": value.shape}
            self.arrays.append(value)
            return {"array": len(self.arrays) - 1}
        if issparse(value):
            rows = csr_array(value)
            return {"sparse": [self.encode(part) for part in (rows.data, rows.indices, rows.indptr)],
                    "shape": [int(side) for side in rows.shape]}  # fmt: skip
        name = class_name(type(value))
        if _CLASSES.get(name) is type(value):
            return {"class": name, "state": {key: self.encode(part) for key, part in _state(value).items()}}
        if type(value) in (tuple, list):
            return {type(value).__name__: [self.encode(entry) for entry in value]}
        if type(value) is dict and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.encode(entry) for key, entry in value.items()}}
        if name in _CLASSES:
            raise TypeError(f"{name} was defined again after this object was made; make the object again to store it")
        if callable(value):
            raise TypeError(f"a function cannot be stored, got {value!r}; use a named profile")
        raise TypeError(f"{name} cannot be stored; use classes of this library, arrays, numbers and strings")


def _state(value: Any) -> dict[str, Any]:
    """The state of a value to store: its own `_archive_state`, or the arguments of its constructor."""
    if hasattr(value, "_archive_state"):
        return dict(value._archive_state())
    return {name: getattr(value, name) for name in inspect.signature(type(value)).parameters}


class _Reader:
    """Turns the JSON tree and the arrays back into a value."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self._arrays = arrays
        self._known: dict[int, Any] = {}

    def decode(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        if "float" in node:
            return float(node["float"])
        if "same" in node:
            return self._known[node["same"]]
        value = self._compound(node)
        self._known[node["id"]] = value
        return value

    def _compound(self, node: dict[str, Any]) -> Any:
        if "array" in node:
            return self._arrays[node["array"]]
        if "objects" in node:
            out = np.empty(len(node["objects"]), object)
            out[:] = [self.decode(entry) for entry in node["objects"]]
            return out.reshape(node["shape"])
        if "sparse" in node:
            data, indices, indptr = (self.decode(part) for part in node["sparse"])
            height, width = node["shape"]
            check_rows(indptr, indices, height, width)
            return csr_array((data, indices, indptr), shape=(height, width))
        if "class" in node:
            return self._instance(node)
        if "dict" in node:
            return {key: self.decode(entry) for key, entry in node["dict"].items()}
        kind = "tuple" if "tuple" in node else "list"
        entries = [self.decode(entry) for entry in node[kind]]
        return tuple(entries) if kind == "tuple" else entries

    def _instance(self, node: dict[str, Any]) -> Any:
        cls = _CLASSES.get(node["class"])
        if cls is None:
            raise UnknownClassError(
                f"the class {_brief(node['class'], 60)} is unknown; import the module that defines it first"
            )
        state = {key: self.decode(part) for key, part in node["state"].items()}
        value = cls._from_archive(state) if hasattr(cls, "_from_archive") else cls(**state)
        if hasattr(value, "_check_archived"):
            value._check_archived()
        return value


_READERS: dict[tuple[int, int], Any] = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class DamagedError(ValueError):
    """A file that is damaged or not of the expected format."""


def read_arrays(path: str | os.PathLike[str], reserve: Callable[[float], None]) -> dict[str, np.ndarray]:
    """Read all arrays of a file, by name. They take no more memory than the file has bytes.

    `reserve` is called with the size first and may raise an error. A damaged file raises `DamagedError`, a missing file
    OSError.
    """
    with open(path, "rb") as stream:  # noqa: PTH123 the path may be a string
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise DamagedError("it is a device or a pipe")
        members = _catch_damage(partial(zipfile.ZipFile, stream))
        with members:
            listed = members.infolist()
            reserve(float(sum(member.file_size for member in listed)))
            _check_members(listed, os.fstat(stream.fileno()).st_size)
            return dict(_catch_damage(partial(_read_member, members, member)) for member in listed)


def _catch_damage(read: Callable[[], Any]) -> Any:
    """Turn any exception of a reader, which damaged files can cause, into a DamagedError."""
    try:
        return read()
    except DamagedError:
        raise
    except Exception as error:
        words = str(error)[:_MAX_SHOWN_CHARACTERS]
        raise DamagedError(f"{type(error).__name__}: {words}" if words else type(error).__name__) from None


def _check_members(listed: list[zipfile.ZipInfo], n_bytes: int) -> None:
    """Reject compressed and repeated members, since a small file could then fill the memory."""
    if any(member.compress_type != zipfile.ZIP_STORED for member in listed):
        raise DamagedError("it is compressed, but save() does not compress")
    if len({member.filename for member in listed}) < len(listed):
        raise DamagedError("it holds two arrays with the same name")
    if sum(member.file_size for member in listed) > n_bytes:
        raise DamagedError(f"it announces more than its {n_bytes} bytes")


def _read_member(members: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[str, np.ndarray]:
    with members.open(member) as stream:
        _check_header(stream, member.file_size)
    with members.open(member) as stream:
        return member.filename.removesuffix(".npy"), np.asarray(npy.read_array(stream, allow_pickle=False))


def _check_header(stream: IO[bytes], n_bytes: int) -> None:
    """Check that the size in the header is the size of the data, since NumPy allocates memory by the header."""
    shape, dtype = read_header(stream)
    if dtype.hasobject:
        raise DamagedError("it holds Python objects")
    if min(shape, default=0) < 0 or prod(shape) * dtype.itemsize != n_bytes - stream.tell():
        raise DamagedError(
            f"it announces an array of shape {show_shape(shape)} and has {n_bytes - stream.tell()} bytes for it"
        )


def read_header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read the shape and type of an array from its header in NumPy format."""
    reader = _READERS.get(_catch_damage(partial(npy.read_magic, stream)))
    if reader is None:
        raise DamagedError("it holds an array in an unknown version of the NumPy format")
    shape, _, dtype = _catch_damage(partial(reader, stream))
    if dtype.itemsize == 0:  # any number of them would take no bytes
        raise DamagedError(f"it holds values without content ({dtype})")
    return shape, dtype


def show_shape(shape: tuple[int, ...]) -> str:
    """Format a shape for messages, shortened, since a damaged file may have any number of axes."""
    sides = [f"{side:.3g}" if abs(side) > 10**15 else str(side) for side in shape[:_MAX_SHOWN_SIDES]]
    return f"({', '.join([*sides, '…'] if len(shape) > _MAX_SHOWN_SIDES else sides)}{',' * (len(shape) == 1)})"


def fingerprint(value: Any) -> str:
    """Compute a digest of a value that is the same in any process.

    Parameters
    ----------
    value : array, sparse matrix, number, str, bytes, None, or a tuple, list, dict or dataclass of these

    Returns
    -------
    str
        32 hexadecimal digits. Values of different types or dtypes have different digests.

    Notes
    -----
    Time is linear in the number of bytes.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> one, other = wt.engine.fingerprint((1, np.zeros(3))), wt.engine.fingerprint((1, np.zeros(3)))
    >>> len(one), one == other, one == wt.engine.fingerprint((1, np.zeros(3, dtype=np.float32)))
    (32, True, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    _feed(digest, value)
    return digest.hexdigest()


def class_name(cls: type) -> str:
    """Return the name of a class in files: those of users have their module, so that they never replace ours."""
    ours = cls.__module__.partition(".")[0] == __name__.partition(".")[0]
    return cls.__name__ if ours else f"{cls.__module__}.{cls.__qualname__}"


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        digest.update(f"array {value.dtype.str} {value.shape};".encode())
        digest.update(np.ascontiguousarray(value).data)
    elif isinstance(value, np.generic | bool | int | float | complex | str | bytes | type(None)):
        plain = value.item() if isinstance(value, np.generic) else value
        digest.update(f"{type(plain).__name__} {plain!r};".encode())
    elif isinstance(value, tuple | list):
        digest.update(f"{type(value).__name__} {len(value)};".encode())
        for entry in value:
            _feed(digest, entry)
    elif isinstance(value, dict):
        digest.update(f"dict {len(value)};".encode())
        for key in sorted(value):
            _feed(digest, key)
            _feed(digest, value[key])
    elif issparse(value):
        rows = value.tocsr()
        _feed(digest, ("sparse", rows.shape, rows.indptr, rows.indices, rows.data))
    elif is_dataclass(value) and not isinstance(value, type):
        digest.update(f"{class_name(type(value))};".encode())
        for field in fields(value):
            _feed(digest, getattr(value, field.name))
    else:
        raise TypeError(f"a fingerprint needs arrays, numbers, strings or tuples of them, got {type(value).__name__}")
