"""Values in a file, without pickle: arrays beside a tree of names and numbers, with a version and a fingerprint.

A value is built of registered classes (by the arguments of their constructors), arrays, sparse arrays, tuples, lists,
dicts, strings, numbers and None. What stands in it twice is stored once and is one thing again when it is read.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array, issparse

from ._files import check_target, writing
from ._fingerprint import fingerprint
from ._npz import read_arrays

FORMAT, VERSION = "wasserstein-transform", 1

T = TypeVar("T", bound=type)

_CLASSES: dict[str, type] = {}
_KINDS = {"f": "floats", "i": "whole numbers"}


def archived(cls: T) -> T:
    """Register a class, by its name, as one whose values can be stored."""
    _CLASSES[cls.__name__] = cls
    return cls


def described(value: Any) -> tuple[str, tuple[np.ndarray, ...]]:
    """What a value is, as a text and arrays; TypeError for what cannot be stored."""
    writer = _Writer()
    tree = writer.encode(value)
    return json.dumps(tree, sort_keys=True), tuple(writer.arrays)


def write(path: str | os.PathLike[str], value: Any) -> Path:
    """Store a value as `.npz`; the file has its name only once it is complete. Returns where it is."""
    path = Path(path)
    if path.suffix != ".npz":
        path = path.with_name(path.name + ".npz")
    check_target(path)
    writer = _Writer()
    tree = writer.encode(value)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "kind": type(value).__name__,
        "tree": tree,
        "fingerprint": fingerprint((json.dumps(tree, sort_keys=True), tuple(writer.arrays))),
    }
    arrays: dict[str, Any] = {f"a{k}": array for k, array in enumerate(writer.arrays)}
    with writing(path) as stream:
        np.savez(stream, header=np.array(json.dumps(header)), **arrays)
    return path


def read(path: str | os.PathLike[str], kind: type, room: Callable[[float], None] = lambda n_bytes: None) -> Any:
    """The value in a file, which must be of the class `kind`; `room` may refuse its size before anything is read."""
    try:
        stored = read_arrays(path, room)
        header = json.loads(str(stored.pop("header")))
        arrays = [stored[f"a{k}"] for k in range(len(stored))]
    except (ValueError, KeyError, RecursionError) as error:
        raise ValueError(f"{path} is no file that save() wrote, or it is damaged ({_brief(error)})") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"{path} is no file that save() wrote")
    if header.get("version") != VERSION:
        raise ValueError(
            f"{path} has version {_brief(repr(header.get('version')))}, and this library reads version {VERSION}"
        )
    tree = header.get("tree")
    if any(array.dtype.kind not in "biufcSU" for array in arrays):
        raise ValueError(f"{path} is damaged: it holds arrays that save() never writes")
    try:
        written = json.dumps(tree, sort_keys=True)
    except RecursionError:
        raise ValueError(f"{path} is damaged: what it holds is nested too deep") from None
    if header.get("fingerprint") != fingerprint((written, tuple(arrays))):
        raise ValueError(f"{path} is damaged: its content does not match its fingerprint; write it again")
    if str(header.get("kind")) not in _names(kind):
        raise ValueError(f"{path} holds a {_brief(header.get('kind'))}, and a {kind.__name__} is asked for")
    try:
        value = _Reader(arrays).decode(tree)
    except UnknownClassError as error:
        raise ValueError(f"{path}: {_brief(error, 300)}") from None
    except Exception as error:  # constructors of whatever it names, with whatever it holds
        raise ValueError(f"{path} is damaged: {type(error).__name__}, {_brief(error, 300)}; write it again") from None
    if not isinstance(value, kind):
        raise ValueError(f"{path} is damaged: it says that it holds a {kind.__name__}, and does not; write it again")
    return value


def _brief(words: object, most: int = 200) -> str:
    """What a file says, for messages: it may say anything at any length."""
    text = str(words)
    return text if len(text) <= most else f"{text[:most]}…"


class UnknownClassError(ValueError):
    """A class of somebody's own that was not imported."""


def check_array(value: Any, name: str, kinds: str, *shape: int | None) -> None:
    """Refuse what a stored value cannot hold: no array, of other numbers or another shape (None: any), not finite."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
        got = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
        raise ValueError(f"{name} must be an array of {_KINDS[kinds]}, got {got}")
    if value.ndim != len(shape) or any(side not in (None, got) for side, got in zip(shape, value.shape, strict=True)):
        raise ValueError(f"{name} must have shape {shape}, got {value.shape}")
    if "f" in kinds and not np.isfinite(value).all():
        raise ValueError(f"{name} must be finite")


def check_rows(indptr: Any, indices: Any, height: int, width: int) -> None:
    """Refuse what cannot be compressed rows: kernels look up what they name, without asking again."""
    check_array(indptr, "indptr", "i", height + 1)
    check_array(indices, "indices", "i", None)
    check_range(indices, "indices", 0, width - 1)
    if indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("rows must follow each other, from the first entry to the last")


def check_range(values: Any, name: str, low: float, high: float = float("inf")) -> None:
    """Refuse numbers below `low` or above `high`."""
    if np.size(values) and not (low <= np.min(values) and np.max(values) <= high):
        raise ValueError(f"{name} must be {low} to {high}, got {np.min(values)} to {np.max(values)}")


def check_type(value: Any, name: str, *kinds: type) -> None:
    """Refuse a stored value of another class; True is no number."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise ValueError(f"{name} must be a {kinds[0].__name__}, got {type(value).__name__}")


def _names(kind: type) -> set[str]:
    return {name for name, cls in _CLASSES.items() if issubclass(cls, kind)}


class _Writer:
    """Turns a value into a tree for JSON and a list of arrays."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self._seen: dict[int, tuple[dict[str, Any], Any]] = {}  # holds the values, so that no other gets their id
        self._count = 0

    def encode(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):  # JSON knows neither infinity nor NaN
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
        name = type(value).__name__
        if _CLASSES.get(name) is type(value):
            return {"class": name, "state": {key: self.encode(part) for key, part in _state(value).items()}}
        if type(value) in (tuple, list):
            return {name: [self.encode(entry) for entry in value]}
        if type(value) is dict and all(isinstance(key, str) for key in value):
            return {"dict": {key: self.encode(entry) for key, entry in value.items()}}
        if callable(value):
            raise TypeError(f"a function cannot be stored, got {value!r}; use a profile that has a name")
        raise TypeError(f"{name} cannot be stored; archived classes, arrays, numbers and strings can")


def _state(value: Any) -> dict[str, Any]:
    """What a value is made of: what it says itself, or the arguments of its constructor."""
    if hasattr(value, "_archive_state"):
        return dict(value._archive_state())
    return {name: getattr(value, name) for name in inspect.signature(type(value)).parameters}


class _Reader:
    """The way back."""

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
                f"the class {_brief(node['class'], 60)} is not known here; import the module that defines it first"
            )
        state = {key: self.decode(part) for key, part in node["state"].items()}
        value = cls._from_archive(state) if hasattr(cls, "_from_archive") else cls(**state)
        if hasattr(value, "_check_archived"):
            value._check_archived()
        return value
