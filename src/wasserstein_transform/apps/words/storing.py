"""A fitted WordTransform in one file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from ..._parts import Part
from . import contexts, corpus, variants
from .contexts import Contexts
from .files import PathLike
from .vectors import WordVectors

if TYPE_CHECKING:
    from .transform import WordTransform

T = TypeVar("T", bound="WordTransform")
_VERSION = 2
_PARTS = {
    name: value
    for room in (contexts, corpus, variants)
    for name, value in vars(room).items()
    if isinstance(value, type) and issubclass(value, Part)
}


def save(transform: WordTransform, file: PathLike) -> None:
    """Write it, all or nothing."""
    transform._check_fitted()
    matrix, path = transform.contexts_.matrix, Path(file)
    parameters = json.dumps(_parameters(transform))
    half = path.with_name(f"{path.name}.half")
    try:
        with half.open("wb") as stream:
            np.savez(
                stream,
                version=_VERSION,
                parameters=parameters,
                words=np.frombuffer(json.dumps(transform.vectors_.words).encode(), np.uint8),
                vectors=transform.vectors_.matrix,
                indptr=matrix.indptr,
                indices=matrix.indices,
                weights=matrix.data,
                counts=transform.contexts_.counts,
                n_kept=transform.contexts_.n_kept,
            )
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def load(kind: type[T], file: PathLike) -> T:
    """Read it back."""
    if not Path(file).is_file():
        raise ValueError(f"{file} is not there, or no file")
    try:
        return _read(kind, Path(file))
    except (ValueError, TypeError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{file} is no saved WordTransform of version {_VERSION}; fit again, and save") from None


def _read(kind: type[T], path: Path) -> T:
    with path.open("rb") as stream:
        held = np.load(stream, allow_pickle=False)
        arrays = {name: held[name] for name in held.files} if isinstance(held, np.lib.npyio.NpzFile) else {}
    if int(arrays["version"]) != _VERSION:
        raise ValueError
    words = tuple(json.loads(arrays["words"].tobytes()))
    vectors = WordVectors(words, arrays["vectors"])
    n = len(words)
    matrix = csr_array((arrays["weights"], arrays["indices"], arrays["indptr"]), shape=(n, n))
    parameters = {name: _made(value) for name, value in json.loads(str(arrays["parameters"])).items()}
    transform = kind(vectors, **parameters)
    return transform._set(vectors, Contexts(matrix, arrays["counts"], int(arrays["n_kept"])))


def _parameters(transform: WordTransform) -> dict[str, Any]:
    """All but the vectors, which are kept as they are compared: nothing common is left to remove."""
    found = {**transform.get_params(deep=False), "common": None}
    del found["vectors"], found["verbose"]
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        if _PARTS.get(type(value).__name__) is not type(value):
            raise ValueError(f"a part of your own cannot be saved, got {value!r}; keep the transform by pickle")
        return {"part": type(value).__name__, **{k: _plain(v) for k, v in value.get_params(deep=False).items()}}
    if isinstance(value, np.random.Generator):  # it has been used up
        return None
    return value.item() if isinstance(value, np.generic) else value


def _made(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    fields = {name: _made(inner) for name, inner in value.items() if name != "part"}
    return _PARTS[value["part"]](**fields)
