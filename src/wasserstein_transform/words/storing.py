"""Save and load a fitted WordTransform as one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from .._archive import check_rows
from .._arrays import DamagedError, read_arrays
from .._files import writing
from .._parts import Part
from . import cleaning, contexts, corpus, variants
from .contexts import Contexts, check_weights
from .files import PathLike
from .vectors import WordVectors

_VERSION = 2
_PARTS = {
    name: value
    for room in (cleaning, contexts, corpus, variants)
    for name, value in vars(room).items()
    if isinstance(value, type) and issubclass(value, Part)
}


class Stored(NamedTuple):
    """The saved state of a fitted transform: its parameters without the vectors, its vectors, and its contexts."""

    parameters: dict[str, Any]
    vectors: WordVectors
    contexts: Contexts


def save(stored: Stored, file: PathLike) -> None:
    """Write the state to a file; the file is complete or does not appear."""
    parameters = json.dumps({name: _plain(value) for name, value in stored.parameters.items()})
    matrix = stored.contexts.matrix
    with writing(file) as stream:
        np.savez(
            stream,
            version=_VERSION,
            parameters=parameters,
            words=np.frombuffer(json.dumps(stored.vectors.words).encode(), np.uint8),
            vectors=stored.vectors.matrix,
            indptr=matrix.indptr,
            indices=matrix.indices,
            weights=matrix.data,
            counts=stored.contexts.counts,
            n_kept=stored.contexts.n_kept,
        )


def load(file: PathLike, names: frozenset[str], room: Callable[[float], None]) -> Stored:
    """Read and check a saved state; `names` are the allowed parameters, `room` reserves memory."""
    try:
        return _stored(read_arrays(file, room), names)
    except OSError as error:
        raise ValueError(f"{file} is not there, or not a file ({error.strerror or error})") from None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError(
            f"{file} is not a saved WordTransform of version {_VERSION}, or it is damaged ({error}); fit and save again"
        ) from None


def _stored(arrays: dict[str, np.ndarray], names: frozenset[str]) -> Stored:
    if int(_one(arrays, "version", "iu")) != _VERSION:
        raise DamagedError(f"it has version {int(arrays['version'])}")
    vectors = _vectors(arrays)
    n = len(vectors)
    counts = _typed(arrays, "counts", "iu", (n,)).astype(np.intp)
    n_kept = int(_one(arrays, "n_kept", "iu"))
    if counts.min() < 0 or n_kept < 0:
        raise DamagedError("it has negative counts of words")
    parameters = json.loads(str(_one(arrays, "parameters", "U")))
    if not isinstance(parameters, dict) or not names.issuperset(parameters):
        raise DamagedError("its parameters are not those of a WordTransform")
    made = {name: _made(value) for name, value in parameters.items()}
    return Stored(made, vectors, Contexts(_matrix(arrays, n), counts, n_kept))


def _one(arrays: dict[str, np.ndarray], name: str, kinds: str) -> Any:
    return _typed(arrays, name, kinds, ()).item()


def _typed(arrays: dict[str, np.ndarray], name: str, kinds: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """Return an array after checking its kind of numbers and its shape; None in `shape` allows any length."""
    found = arrays[name]
    fits = found.ndim == len(shape) and all(b in (None, a) for a, b in zip(found.shape, shape, strict=True))
    if found.dtype.kind not in kinds or not fits:
        raise DamagedError(f"{name} has dtype {found.dtype} and shape {found.shape}")
    return found


def _vectors(arrays: dict[str, np.ndarray]) -> WordVectors:
    words = json.loads(_typed(arrays, "words", "u", (None,)).tobytes())
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
        raise DamagedError("its words are not nonempty strings")
    matrix = np.ascontiguousarray(_typed(arrays, "vectors", "f", (len(words), None)), np.float32)
    if len(set(words)) < len(words) or matrix.shape[1] == 0:
        raise DamagedError("its words are not all different, or its vectors have no dimensions")
    if not np.isfinite(matrix).all() or not matrix.any(axis=1).all():
        raise DamagedError("its vectors are not all finite and nonzero")
    return WordVectors(tuple(words), matrix)


def _matrix(arrays: dict[str, np.ndarray], n: int) -> csr_array:
    starts, indices = arrays["indptr"], arrays["indices"]
    check_rows(starts, indices, n, n)
    weights = np.asarray(_typed(arrays, "weights", "f", (len(indices),)), np.float32)
    check_weights(weights)
    return csr_array((weights, indices, starts), shape=(n, n))


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        if _PARTS.get(type(value).__name__) is not type(value):
            raise ValueError(f"a part of your own cannot be saved, got {value!r}; pickle the transform instead")
        return {"part": type(value).__name__, **{k: _plain(v) for k, v in value.get_params(deep=False).items()}}
    if isinstance(value, np.random.Generator):  # its state has advanced: it cannot repeat the fit
        return None
    return value.item() if isinstance(value, np.generic) else value


def _made(value: Any) -> Any:
    if isinstance(value, list):
        raise DamagedError("its parameters hold a list")
    if not isinstance(value, dict):
        return value
    fields = {name: _made(inner) for name, inner in value.items() if name != "part"}
    return _PARTS[value["part"]](**fields)
