"""Checks of user input, and warnings that point at the line of the user's code.

Public functions call them once; internal code trusts its arrays. Messages say what came, what is needed and what to do.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._types import Floats

BLOCK_ROWS = 64  # rows of a matrix that are checked at a time

MAX_NARROW_COLUMNS = 16  # columns; NumPy is slow along short rows: a million rows of two took 0.2 s

# packages that call this one for the user
CALLING_PACKAGES = ("wasserstein_transform", "sklearn", "imblearn", "joblib")

_MAX_EXACT_INTEGER = 2**53  # up to this, floats represent all integers

_WARNING_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)

_OPTION_TEXT: ContextVar[Callable[[str, str], str] | None] = ContextVar("option_text", default=None)

before_warnings: list[Callable[[], None]] = []
"""Functions called before a warning is shown; they make room for it on the terminal."""


def floats(values: ArrayLike, name: str) -> Floats:
    """Return a C-ordered float64 array without NaN or infinity."""
    numbers(values, name)
    try:
        if np.iscomplexobj(values):
            raise ValueError("they are complex")
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be numbers, got {type(values).__name__} ({error})") from None
    array = array.reshape(np.shape(array) if np.ndim(values) else ())  # ascontiguousarray makes a scalar 1-D
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))[0]
        where = ", ".join(map(str, bad))
        raise ValueError(
            f"{name} must be finite, got {array[tuple(bad)]} at [{where}]; drop or fill NaN and infinite entries"
        )
    warn_of_rounding(values, name)
    return array


def numbers(values: Any, name: str) -> None:
    """Raise an error for values that NumPy would convert to numbers: masked entries, dates, text."""
    if values is None:
        raise ValueError(f"{name} must be numbers, got None")
    if isinstance(values, str | os.PathLike):
        kind = type(values).__name__
        raise ValueError(f"{name} must be numbers, got {kind} {os.fspath(values)!r:.80}; wt.read(path) reads a file")
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not be masked; drop or fill masked entries")
    if getattr(values, "columns", None) is not None and np.ndim(values) == 2:
        _columns(values, name)
        return
    try:
        kind = np.asarray(values).dtype.kind if isinstance(values, np.ndarray | list | tuple) else "f"
    except ValueError:  # rows of different lengths: `floats` raises the error
        return
    if kind in _ADVICE_BY_KIND:
        raise ValueError(f"{name} must be numbers, got {_ADVICE_BY_KIND[kind]}")


_ADVICE_BY_KIND = {
    "M": "dates; (X - X.min()) / np.timedelta64(1, 's') turns them into seconds",
    "m": "time spans; X / np.timedelta64(1, 's') turns them into seconds",
    "U": "text; X.astype(float) reads numbers from it",
    "S": "bytes; X.astype(float) reads numbers from them",
}


def _columns(table: Any, name: str) -> None:
    """Check a table column by column, so that messages can name the column."""
    for k, column in enumerate(table.columns):
        entries = np.asarray(table.iloc[:, k] if hasattr(table, "iloc") else table[column])
        if entries.dtype.kind in _ADVICE_BY_KIND:
            raise ValueError(f"{name} must be numbers, column {column!r} has {_ADVICE_BY_KIND[entries.dtype.kind]}")
        text = [isinstance(entry, str | bytes) for entry in entries] if entries.dtype.kind == "O" else []
        if any(text):
            row = text.index(True)
            raise ValueError(
                f"{name} must be numbers, column {column!r} has {entries[row]!r} in row {row}; drop or encode it"
            )
        missing = np.flatnonzero([_is_missing(entry) for entry in entries] if text else ~np.isfinite(entries))
        if len(missing):
            raise ValueError(
                f"{name} must be finite, column {column!r} has {entries[missing[0]]} in row {missing[0]} "
                f"({len(missing):,} of {len(entries):,}); drop or fill them"
            )


def _is_missing(entry: Any) -> bool:
    try:
        return not math.isfinite(entry)
    except (TypeError, OverflowError):  # None, pandas.NA, and values that raise an error later
        return True


def points(values: ArrayLike, name: str = "points") -> Floats:
    """Return a copy of coordinates, shape (n, m), so that later changes of the input have no effect."""
    array = floats(values, name).copy()
    shape_of_points(array.shape, name)
    extent(*_extent(array), name)
    return array


def shape_of_points(shape: tuple[int, ...], name: str = "points") -> None:
    """Check that a shape is (n, m) with n, m ≥ 1."""
    if len(shape) != 2:
        raise ValueError(
            f"{name} must be a 2-D array with one row per point, got shape {shape}; "
            "for points with one coordinate use X.reshape(-1, 1)"
        )
    if shape[0] == 0 or shape[1] == 0:
        raise ValueError(f"{name} must hold at least one point with one coordinate, got shape {shape}")


def extent(largest: float, spread: float, name: str = "points") -> None:
    """Check the range of coordinates, given the largest absolute value and the largest width along an axis."""
    if largest > 1e150 or 0 < spread < 1e-150:  # squares would overflow or underflow
        raise ValueError(
            f"{name} must lie between 1e-150 and 1e150, got {largest:g} and a width of {spread:g}; rescale them"
        )


def _extent(array: Floats) -> tuple[float, float]:
    """The largest absolute coordinate, and the largest width along an axis."""
    if array.shape[1] <= MAX_NARROW_COLUMNS:
        low, high = (np.array([side(column) for column in array.T]) for side in (np.min, np.max))
    else:
        low, high = array.min(axis=0), array.max(axis=0)
    with np.errstate(over="ignore"):  # `extent` raises an error for such coordinates
        return float(max(-low.min(), high.max())), float((high - low).max())


_OTHER_TABLES = {
    "polars.DataFrame": "X.to_pandas() is one",
    "polars.LazyFrame": "X.collect().to_pandas() is one",
    "polars.Series": "X.to_frame().to_pandas() is one",
    "pyarrow.Table": "X.to_pandas() is one",
    "pyarrow.RecordBatch": "X.to_pandas() is one",
    "pandas.Series": "X.to_frame() is one",
    "modin.DataFrame": "X._to_pandas() is one",
    "dask.DataFrame": "X.compute() is one",
}  # fmt: skip


def known_table(X: Any) -> None:
    """Raise for tables and columns of other libraries, whose ids and texts would be taken for coordinates."""
    kind = f"{type(X).__module__.partition('.')[0]}.{type(X).__name__}"
    if kind in _OTHER_TABLES:
        raise ValueError(f"X must be a pandas DataFrame or an array of points, got a {kind}; {_OTHER_TABLES[kind]}")


def weights(values: ArrayLike | None, n: int) -> Floats:
    """Return masses of n points with total 1; uniform for None."""
    if values is None:
        return np.full(n, 1.0 / n)
    array = floats(values, "weights")
    if array.shape != (n,):
        raise ValueError(f"weights must hold one number per point, shape ({n},), got shape {array.shape}")
    if (array < 0).any():
        raise ValueError(f"weights must not be negative, got {array.min()} at {array.argmin()}")
    if not array.any():
        raise ValueError("weights must have a positive total, but all of them are 0; use None for uniform weights")
    array = array / array.max()
    return np.asarray(array / math.fsum(array))  # fsum does not depend on the order of the points


def distances(values: ArrayLike, name: str = "distances") -> Floats:
    """Return a square matrix of distances from a square or condensed one; check that they are distances."""
    array = floats(values, name)
    if array.ndim == 1:
        array = _square(array, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.shape[0] == 0:
        raise ValueError(
            f"{name} must be a square matrix or SciPy's condensed vector, got shape {array.shape}; "
            "for coordinates use Space.from_points"
        )
    if array.min() < 0:
        index = np.unravel_index(array.argmin(), array.shape)
        raise ValueError(f"{name} must not be negative, got {array.min()} at [{index[0]}, {index[1]}]")
    if array.diagonal().any():
        k = int(np.flatnonzero(array.diagonal())[0])
        raise ValueError(f"{name} must be 0 on the diagonal, got {array[k, k]} at [{k}, {k}]")
    return _symmetric(array, name)


def _symmetric(array: Floats, name: str) -> Floats:
    """Return a symmetric copy, made block by block."""
    out, worst, at = np.empty_like(array), 1e-9 * array.max(), (-1, -1)
    for start in range(0, len(array), BLOCK_ROWS):
        rows = slice(start, start + BLOCK_ROWS)
        block, mirrored = array[rows], array[:, rows].T
        out[rows] = block / 2 + mirrored / 2
        off = np.abs(block - mirrored)
        if off.max() > worst:
            row, column = np.unravel_index(off.argmax(), off.shape)
            worst, at = off[row, column], (start + int(row), int(column))
    i, j = at
    if i >= 0:
        raise ValueError(
            f"{name} must be symmetric, got {array[i, j]} at [{i}, {j}] and {array[j, i]} at [{j}, {i}]; "
            "use (D + D.T) / 2"
        )
    return out


def not_distances(array: Floats, name: str = "points") -> None:
    """Raise for a matrix of five or more rows that can only be distances: square, symmetric, ≥ 0, 0 on the diagonal."""
    n = len(array)
    if n < 5 or array.shape != (n, n) or array.diagonal().any() or (array < 0).any() or not np.nansum(array):
        return
    if (np.abs(array - array.T) > 1e-9 * np.nanmax(array)).any():  # False where an entry is missing
        return
    how = option_text("metric='precomputed' or Space.from_distances(D)", "distances=True")
    raise ValueError(
        f"got a {n} × {n} matrix that is symmetric and 0 on the diagonal: {name} look like distances; use {how} "
        "(if they are points, X + 1 has the same distances)"
    )


def _square(condensed: Floats, name: str) -> Floats:
    n = round((1 + np.sqrt(1 + 8 * len(condensed))) / 2)
    if n * (n - 1) // 2 != len(condensed) or len(condensed) == 0:
        raise ValueError(
            f"{name} as a condensed vector must have n(n-1)/2 entries, got {len(condensed)}; "
            "or use a square matrix of shape (n, n)"
        )
    from scipy.spatial.distance import squareform  # noqa: PLC0415  slow to import, and seldom needed

    return np.asarray(squareform(condensed, checks=False))


def covariances(values: ArrayLike, name: str = "covs") -> Floats:
    """Return a stack of symmetric positive semidefinite matrices, shape (n, m, m)."""
    array = floats(values, name)
    if array.ndim != 3 or array.shape[1] != array.shape[2] or array.size == 0:
        raise ValueError(f"{name} must be a stack of square matrices, shape (n, m, m), got shape {array.shape}")
    size = np.abs(array).max(axis=(1, 2), keepdims=True)
    if (np.abs(array - array.transpose(0, 2, 1)) > 1e-9 * size).any():
        raise ValueError(f"{name} must be symmetric matrices; use (C + C.transpose(0, 2, 1)) / 2")
    array = array / 2 + array.transpose(0, 2, 1) / 2
    if not _has_roots(array):
        least = np.linalg.eigvalsh(array)[:, 0]
        if (least < -1e-9 * size[:, 0, 0]).any():
            worst = int(least.argmin())
            raise ValueError(f"{name} must be positive semidefinite, matrix {worst} has the eigenvalue {least[worst]}")
    return array


def _has_roots(matrices: Floats) -> bool:
    """Whether all matrices have a Cholesky factor, and so are positive; much faster than eigenvalues."""
    try:
        np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        return False
    return True


def variances(values: ArrayLike, name: str = "covs") -> Floats:
    """Return the diagonals of diagonal covariances, shape (n, m)."""
    array = floats(values, name)
    if (array < 0).any():
        index = np.unravel_index(array.argmin(), array.shape)
        raise ValueError(f"{name} as variances must not be negative, got {array.min()} at [{index[0]}, {index[1]}]")
    return array


def gaussians(means: ArrayLike | None, covs: ArrayLike, suffix: str = "") -> tuple[Floats, Floats]:
    """Return means (n, m), zeros for None, and covariances (n, m, m) or, with means, their diagonals (n, m)."""
    name, of_means = "covs" + suffix, "means" + suffix
    if means is None:
        stack = covariances(covs, name)
        return np.zeros(stack.shape[:2]), stack
    centers, entries = points(means, of_means), floats(covs, name)
    if entries.shape == centers.shape:
        return centers, variances(entries, name)
    stack = covariances(entries, name)
    if centers.shape != stack.shape[:2]:
        raise ValueError(
            f"{of_means} and {name} must have shapes (n, m) and (n, m, m) with the same n and m, "
            f"got {centers.shape} and {stack.shape}"
        )
    return centers, stack


def number(value: Any) -> float:
    """Convert a number to float; NaN if the value is not a number or too large."""
    truth: object = value  # bool is a number in Python, and timedelta64 in NumPy, but not here
    if isinstance(truth, bool | np.bool_ | np.timedelta64) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def choice(value: Any, name: str, known: Iterable[str | None]) -> None:
    """Check that a value is one of the known names."""
    known = list(known)
    if not (value is None or isinstance(value, str)) or value not in known:
        raise ValueError(f"{option_text(name)} must be one of {', '.join(map(repr, known))}, got {shown(value)}")


def shown(value: Any) -> str:
    """Return what a message shows of a value: one line, not long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}… ({len(text)} characters)"


MAX_SHOWN_CHARACTERS = 60


def positive(value: Any, name: str) -> float:
    """Check a finite number > 0."""
    if not 0 < number(value) < np.inf:
        raise ValueError(f"{option_text(name)} must be positive and finite, got {shown(value)}")
    return float(value)


def eps(value: Any) -> float:
    """Check a radius."""
    if not 1e-150 < number(value) < 1e150:  # its square must not overflow or underflow
        advice = f"{option_text('wt.localize.suggest_eps(X)', 'eps=auto')} gives a starting value"
        if callable(value) or isinstance(value, str):
            advice += ", the profile comes after eps"
        raise ValueError(f"{option_text('eps')} must be positive and finite, got {shown(value)}; {advice}")
    return float(value)


def eps_sequence(value: Any) -> list[float]:
    """Check one radius, or one per iteration."""
    if np.ma.is_masked(value):
        raise ValueError("eps must not be masked; drop or fill masked entries")
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and np.ndim(value):
        if len(value) == 0:
            raise ValueError("eps as a sequence must hold one radius per iteration, got an empty sequence")
        return [eps(v) for v in value]
    return [eps(value.item() if isinstance(value, np.ndarray) else value)]


def lam(value: Any) -> float:
    """Check the weight λ of the covariances."""
    if not 0 <= number(value) < np.inf:
        raise ValueError(
            f"{option_text('lam')} must be a finite number ≥ 0, got {shown(value)}; 0 is mean shift, 1 to 5 is usual"
        )
    return float(value)


def order_p(value: Any) -> float:
    """Check the order of a Wasserstein distance."""
    if not number(value) >= 1:
        raise ValueError(f"{option_text('p')} must be a number ≥ 1 or infinity, got {shown(value)}; 1 and 2 are usual")
    return float(value)


def solvable_p(value: Any) -> None:
    """Check the order of a distance that is found by solving transport problems."""
    p = order_p(value)
    if 150 <= p < np.inf:
        raise ValueError(
            f"{option_text('p')} must be less than 150 or infinity, got {p:g}: so high a power of most distances "
            "vanishes beside that of the largest; infinity is the limit"
        )


MAX_INT64 = int(np.iinfo(np.int64).max)  # compiled loops count in 64 bits


def count(value: Any, name: str, least: int, most: int = MAX_INT64, of: str = "") -> int:
    """Check an integer from `least` to `most`, which is the number of something; a float may be one."""
    if not np.isfinite(number(value)) or value != int(value) or value < least:
        raise ValueError(f"{option_text(name)} must be an integer ≥ {least}, got {shown(value)}")
    if int(value) > most:
        limit = f"at most {most}, the number of {of}" if of else f"an integer of at most {most}"
        raise ValueError(f"{option_text(name)} must be {limit}, got {shown(value)}")
    return int(value)


def tolerance(value: Any, name: str) -> float:
    """Check a finite number ≥ 0."""
    if not 0 <= number(value) < np.inf:
        raise ValueError(f"{option_text(name)} must be a finite number ≥ 0, got {shown(value)}")
    return float(value)


def import_extra(module: str, needed_for: str, extra: str) -> Any:
    """Import a module that an extra of this package installs, or raise an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ImportError(
            f'{needed_for} {package}, which is not installed; pip install "wasserstein-transform[{extra}]" installs it'
        ) from None


def option_text(python: str, argument: str | None = None) -> str:
    """An option that a message advises, as the user writes it: in Python, or as another interface writes `argument`.

    The command line makes `--clusters 2` of `n_clusters=2`. `argument` is `python` itself unless it is given; "" is
    for advice that only Python users can follow.
    """
    write = _OPTION_TEXT.get()
    return python if write is None else write(python, python if argument is None else argument)


@contextmanager
def use_option_texts(write: Callable[[str, str], str]) -> Iterator[None]:
    """Let `option_text` call this function in the block."""
    token = _OPTION_TEXT.set(write)
    try:
        yield
    finally:
        _OPTION_TEXT.reset(token)


@contextmanager
def redirect_warnings(listen: Callable[[str], None]) -> Iterator[None]:
    """Send the warnings of this thread to `listen`; Python's own filters are global to the process."""
    token = _WARNING_LISTENER.set(listen)
    try:
        yield
    finally:
        _WARNING_LISTENER.reset(token)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line outside this package and the packages that call it, such as scikit-learn's pipelines.

    Python shows equal warnings of one line once, so that a grid search of a hundred fits does not repeat them.
    """
    if (listen := _WARNING_LISTENER.get()) is not None:
        listen(message)
        return
    for prepare in before_warnings:
        prepare()
    warnings.warn(message, category, stacklevel=2 + sum(1 for _ in frames_within(sys._getframe(1))))


def warn_of_rounding(values: Any, name: str) -> None:
    """Warn of integers in an array or a table that no float represents: distinct ones can become equal."""
    frame = hasattr(values, "iloc") and values.ndim == 2
    columns = [values.iloc[:, k] for k in range(values.shape[1])] if frame else [values]
    for column in map(np.asarray, columns):
        if column.dtype.kind not in "iu" or column.dtype.itemsize < 8 or not column.size:
            continue
        if column.max() <= _MAX_EXACT_INTEGER and column.min() >= -_MAX_EXACT_INTEGER:
            continue
        with np.errstate(invalid="ignore"):  # the largest ones are rounded up, out of their range
            rounded = column[column.astype(np.float64).astype(column.dtype) != column]
        if rounded.size:
            warn(
                f"{name} has integers beyond 2^53, which are rounded, such as {rounded[0]} to {float(rounded[0]):.0f}; "
                "subtract an offset first"
            )
            return


def frames_within(frame: FrameType | None = None) -> Iterator[FrameType]:
    """Yield the frames from here, or from `frame`, up to the user's frame, which is left out."""
    frame = sys._getframe(1) if frame is None else frame
    while frame.f_back is not None and module_of(frame).partition(".")[0] in CALLING_PACKAGES:
        yield frame
        frame = frame.f_back


def module_of(frame: FrameType) -> str:
    """The name of the module of a frame."""
    return str(frame.f_globals.get("__name__", ""))
