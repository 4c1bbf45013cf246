"""Store values in `.npz` files without pickle: arrays, and a JSON tree with a version and a fingerprint.

A value consists of registered classes (stored as the arguments of their constructors), arrays, sparse arrays, tuples,
lists, dicts, strings, numbers and None. An object that occurs twice is stored once, and is one object again after
reading.

Files may be damaged or malicious: headers are checked before arrays are read, and values by `_check_archived` before
compiled loops use them. skops.io does neither: it allocates whatever the header of an array announces.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from itertools import chain
from math import prod
from pathlib import Path
from typing import IO, Any, Self, TypeVar

import numpy as np
from numpy.lib import format as npy
from scipy.sparse import csr_array, issparse

from ._files import check_target, writing

FORMAT, VERSION = "wasserstein-transform", 4

T = TypeVar("T", bound=type)

_CLASSES: dict[str, type] = {}
_READ_HEADER: dict[Any, Any] = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}  # by version
_KINDS = {"b": "truth values", "f": "floats", "i": "integers"}


def class_name(cls: type) -> str:
    """Return the name of a class in files: `module.Class`, for ours `wasserstein_transform.package.Class`.

    The classes of this library can move between modules of a package, and files stay readable.
    """
    parts = cls.__module__.split(".")
    ours = parts[0] == __name__.partition(".")[0]
    return ".".join([*(parts[:2] if ours else parts), cls.__qualname__])


def archived(cls: T) -> T:
    """Register a class, so that its instances can be stored; a class that is defined again replaces the old one."""
    name = class_name(cls)
    if _CLASSES.setdefault(name, cls).__module__ != cls.__module__:
        raise TypeError(f"{cls.__module__} and {_CLASSES[name].__module__} both define {name}; rename one of them")
    _CLASSES[name] = cls
    return cls


def described(value: Any) -> tuple[str, tuple[np.ndarray, ...]]:
    """Describe a value by a string and arrays; raise a TypeError if it cannot be stored."""
    arrays: list[np.ndarray] = []
    return json.dumps(_encode(value, arrays, {})), tuple(arrays)


def write(path: str | os.PathLike[str], value: Any) -> Path:
    """Store a value in a `.npz` file and return its path; the file gets its name when it is complete."""
    path = Path(path)
    if path.suffix != ".npz":
        path = path.with_name(path.name + ".npz")
    check_target(path)
    tree, arrays = described(value)
    header = {"format": FORMAT, "version": VERSION, "fingerprint": fingerprint((tree, arrays)), "tree": tree}
    named: dict[str, Any] = {f"a{k}": array for k, array in enumerate(arrays)}
    with writing(path) as stream:
        np.savez(stream, header=np.array(json.dumps(header)), **named)
    return path


def read(path: str | os.PathLike[str], kind: type, reserve: Callable[[float], None] = lambda n_bytes: None) -> Any:
    """Read a value of the class `kind` from a file; `reserve` is called with its size first and may raise an error."""
    try:
        with Path(path).open("rb") as stream:
            stored = read_arrays(stream, reserve)
        header = json.loads(str(stored.pop("header")))
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise DamagedError("it has another format")
        arrays = tuple(stored[f"a{k}"] for k in range(len(stored)))
    except (ValueError, KeyError, RecursionError) as error:
        raise ValueError(f"{path} is not a file that save() wrote, or it is damaged ({error!s:.200})") from None
    if header.get("version") != VERSION:
        raise ValueError(
            f"{path} has version {header.get('version')!r:.60}, but this library reads version {VERSION}; write it "
            "again, or update the library"
        )
    tree, simple = header.get("tree"), all(array.dtype.kind in "biufcSU" for array in arrays)
    if not simple or not isinstance(tree, str) or header.get("fingerprint") != fingerprint((tree, arrays)):
        raise ValueError(f"{path} is damaged: its content does not match its fingerprint; write it again")
    try:
        value = _decode(json.loads(tree), arrays, {})
    except Exception as error:  # constructors may raise anything for content that somebody made up
        raise ValueError(f"{path} cannot be used: {type(error).__name__}, {error!s:.300}; write it again") from None
    if not isinstance(value, kind):
        raise ValueError(f"{path} holds a {type(value).__name__}, but a {kind.__name__} is needed")
    return value


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


def _encode(value: Any, arrays: list[np.ndarray], seen: dict[int, tuple[int, Any]]) -> Any:
    """Turn a value into a tree for JSON and a list of arrays; `seen` keeps values alive, so that ids stay unique."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):  # JSON has neither infinity nor NaN
        return value if np.isfinite(value) else {"float": str(value)}
    if id(value) in seen:
        return {"same": seen[id(value)][0]}
    number = len(seen)
    seen[id(value)] = number, value
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        arrays.append(value)
        return {"id": number, "array": len(arrays) - 1}
    name, content = _take_apart(value)
    return {"id": number, "class": name, "content": _each(content, lambda part: _encode(part, arrays, seen))}


def _decode(node: Any, arrays: tuple[np.ndarray, ...], known: dict[int, Any]) -> Any:
    """Turn the JSON tree and the arrays back into a value."""
    match node:
        case {"float": text}:
            return float(text)
        case {"same": number}:
            return known[number]
        case {"array": k, "id": number}:
            known[number] = arrays[k]
        case {"class": name, "content": content, "id": number}:
            known[number] = _put_together(name, _each(content, lambda part: _decode(part, arrays, known)))
        case dict():
            raise ValueError(f"its tree has an unknown entry, {node!s:.60}")
        case _:
            return node
    return known[number]


def _each(content: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(content, dict):
        return {key: function(part) for key, part in content.items()}
    return [function(part) for part in content]


def _take_apart(value: Any) -> tuple[str, Any]:
    """The name of a class, and what an object of it is made of: a list, or a dict of named parts."""
    cls, name = type(value), class_name(type(value))
    if cls in (tuple, list):
        return cls.__name__, value
    if cls is dict and all(isinstance(key, str) for key in value):
        return "dict", value
    if isinstance(value, np.ndarray):
        return "objects", [value.shape, *value.ravel().tolist()]
    if issparse(value):
        rows = csr_array(value)
        return "sparse", [rows.shape, rows.data, rows.indices, rows.indptr]
    if _CLASSES.get(name) is cls:
        if hasattr(value, "_archive_state"):
            return name, value._archive_state()
        return name, {parameter: getattr(value, parameter) for parameter in inspect.signature(cls).parameters}
    if callable(value):
        raise TypeError(f"a function cannot be stored, got {value!r:.60}; use a named profile")
    raise TypeError(f"{name} cannot be stored; use classes of this library, arrays, numbers and strings")


def _put_together(name: str, content: Any) -> Any:
    """Make an object of what `_take_apart` returned, and check it."""
    if name in ("tuple", "list", "dict"):
        return {"tuple": tuple, "list": list, "dict": dict}[name](content)
    if name == "objects":
        shape, *entries = content
        value: Any = np.empty(len(entries), object)
        value[:] = entries
        return value.reshape(shape)
    if name == "sparse":
        (height, width), data, indices, indptr = content
        check_rows(indptr, indices, height, width)
        return csr_array((data, indices, indptr), shape=(height, width))
    if name not in _CLASSES:
        raise ImportError(f"the class {name:.99} is unknown; import the module that defines it first")
    cls: Any = _CLASSES[name]
    value = cls._from_archive(content) if hasattr(cls, "_from_archive") else cls(**content)
    if hasattr(value, "_check_archived"):
        value._check_archived()
    return value


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


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, np.generic):
        value = value.item()
    name, parts = type(value).__name__, ()  # type: str, Any
    if isinstance(value, np.ndarray):
        digest.update(f"array {value.dtype.str} {value.shape};".encode())
        digest.update(np.ascontiguousarray(value).data)
        return
    if isinstance(value, bool | int | float | complex | str | bytes | type(None)):
        name = f"{name} {value!r}"
    elif isinstance(value, tuple | list):
        name, parts = f"{name} {len(value)}", value
    elif isinstance(value, dict):
        name, parts = f"{name} {len(value)}", chain.from_iterable((key, value[key]) for key in sorted(value))
    elif issparse(value):
        rows = value.tocsr()
        name, parts = "sparse", (rows.shape, rows.indptr, rows.indices, rows.data)
    elif is_dataclass(value) and not isinstance(value, type):
        name, parts = class_name(type(value)), [getattr(value, field.name) for field in fields(value)]
    else:
        raise TypeError(f"a fingerprint needs arrays, numbers, strings or tuples of them, got {name}")
    digest.update(f"{name};".encode())
    for part in parts:
        _feed(digest, part)


class DamagedError(ValueError):
    """A file that is damaged or not of the expected format."""


def read_arrays(stream: IO[bytes], reserve: Callable[[float], None]) -> dict[str, np.ndarray]:
    """Read all arrays of a `.npz` file, by name; raise `DamagedError` for any other.

    `reserve` is called with their size first and may raise an error. No more memory is taken.
    """
    with _any_error_is_damage():
        archive = zipfile.ZipFile(stream)
    members = archive.infolist()
    if not members or not all(member.filename.endswith(".npy") for member in members):
        inside = ", ".join(member.filename[:40] for member in members[:4])
        raise DamagedError(f"it is an archive of other files ({inside}), not of arrays")
    reserve(float(sum(member.file_size for member in members)))
    with _any_error_is_damage():
        return {
            member.filename.removesuffix(".npy"): read_array(archive.open(member), member.file_size)
            for member in members
        }


@contextmanager
def _any_error_is_damage() -> Iterator[None]:
    try:
        yield
    except DamagedError:
        raise
    except Exception as error:  # zipfile and NumPy raise many kinds for damaged files
        raise DamagedError(f"{type(error).__name__}: {error!s:.200}".removesuffix(": ")) from None


def read_array(stream: IO[bytes], n_bytes: int) -> np.ndarray:
    """Read an array of `n_bytes` with its header; NumPy alone would allocate whatever the header announces."""
    with _any_error_is_damage():
        shape, _, dtype = _READ_HEADER[npy.read_magic(stream)](stream)
        n_left = n_bytes - stream.tell()
        if dtype.hasobject:
            raise DamagedError("it holds Python objects, which are never read; save numbers or strings")
        if dtype.itemsize == 0 or min(shape, default=0) < 0 or prod(shape) * dtype.itemsize != n_left:
            raise DamagedError(f"it should hold an array of shape {shape!s:.60}, but has {n_left} bytes for it")
        stream.seek(0)
        return np.asarray(npy.read_array(stream, allow_pickle=False))


class Part:
    """An immutable object whose attributes are the arguments of its constructor.

    scikit-learn's `clone` and `get_params` work with it; `replaced` returns a copy with other parameters.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with deep=True also those of nested parts, as `part__parameter`."""
        params: dict[str, Any] = {}
        for name in inspect.signature(type(self)).parameters:
            params[name] = value = getattr(self, name)
            if deep and isinstance(value, Part):
                params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return params

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other parameters; `base__eps=2` changes `eps` of the part `base`."""
        params = self.get_params(deep=False)
        nested: dict[str, dict[str, Any]] = {}
        for key, value in changes.items():
            name, _, inner = key.partition("__")
            if name not in params:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(params) or 'none'}"
                )
            if inner:
                nested.setdefault(name, {})[inner] = value
            else:
                params[name] = value
        for name, inner_changes in nested.items():
            if not isinstance(params[name], Part):
                raise ValueError(f"{name} of {type(self).__name__} is {params[name]!r}, which has no parameters to set")
            params[name] = params[name].replaced(**inner_changes)
        return type(self)(**params)


def parts_in(names: Mapping[str, object], kind: type[Part]) -> dict[str, Any]:
    """The concrete subclasses of `kind` among the names of a module, by name in snake case."""
    classes = [value for value in names.values() if isinstance(value, type) and issubclass(value, kind)]
    return {
        re.sub(r"(?<!^)(?=[A-Z])", "_", part.__name__).lower(): part for part in classes if not inspect.isabstract(part)
    }
