"""Checks of user input, and warnings that point at the line of the user's code.

Public functions call them once; internal code trusts its arrays. Messages say what came, what is needed and what to do.
"""

from __future__ import annotations

import importlib
import itertools
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._types import Floats

MAX_SHOWN_CHARACTERS = 60  # of a value in a message
_BLOCK_SIDE = 256  # of the parts of a matrix that are compared at a time

# packages that call this one for the user
CALLING_PACKAGES = ("wasserstein_transform", "sklearn", "imblearn", "joblib")

_WARNING_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)

_OPTION_TEXT: ContextVar[Callable[[str, str], str] | None] = ContextVar("option_text", default=None)

before_warnings: list[Callable[[], None]] = []
"""Functions called before a warning is shown; they make room for it on the terminal."""


def floats(values: ArrayLike, name: str) -> Floats:
    """Return a C-ordered float64 array without NaN or infinity."""
    if type(values) is np.ndarray and values.dtype == np.float64 and values.flags.c_contiguous:
        array: Floats = values
    else:
        array = _as_floats(values, name)
    if not math.isfinite(np.vdot(array, array)) and not np.isfinite(array).all():  # the sum of squares is fast
        bad = np.argwhere(~np.isfinite(array))[0]
        where = ", ".join(map(str, bad))
        raise ValueError(
            f"{name} must be finite, got {array[tuple(bad)]} at [{where}]; drop or fill NaN and infinite entries"
        )
    return array


def _as_floats(values: ArrayLike, name: str) -> Floats:
    numbers(values, name)
    if hasattr(values, "toarray"):  # of SciPy, which is imported late
        raise ValueError(
            f"{name} must be a dense array, got {type(values).__name__}; give its .toarray() if all that it leaves out "
            "is 0; of a graph of neighbors, give the points"
        )
    try:
        if np.iscomplexobj(values):
            raise ValueError("they are complex")
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be numbers, got {type(values).__name__} ({error})") from None
    return array.reshape(np.shape(array) if np.ndim(values) else ())  # ascontiguousarray makes a scalar 1-D


def numbers(values: Any, name: str) -> None:
    """Raise an error for values that NumPy would convert to numbers: masked entries, dates, text."""
    if values is None or isinstance(values, str | os.PathLike):
        raise ValueError(f"{name} must be numbers, got {shown(values)}; wt.read(path) reads a file")
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not be masked; drop or fill masked entries")
    if getattr(values, "columns", None) is not None and np.ndim(values) == 2:  # a table: name the column
        for k, column in enumerate(values.columns):
            entries = values.iloc[:, k] if hasattr(values, "iloc") else values[column]
            floats(np.asarray(entries), f"column {column!r} of {name}")
    if not isinstance(values, np.ndarray | list | tuple):
        return
    try:
        entries = np.asarray(values)
    except ValueError:  # rows of different lengths: `floats` raises the error
        return
    kind = entries.dtype.kind
    if kind in "mMUS" or (kind == "O" and any(isinstance(entry, str | bytes) for entry in entries.flat)):
        what = "dates or times" if kind in "mM" else "text"
        raise ValueError(f"{name} must be numbers, got {what}; drop them, or convert them to numbers")


def points(values: ArrayLike, name: str = "points") -> Floats:
    """Return a copy of coordinates, shape (n, m), so that later changes of the input have no effect."""
    array = floats(values, name)
    if not isinstance(values, np.ndarray) or np.may_share_memory(array, values):
        array = array.copy()
    shape_of_points(array.shape, name)
    low, high = float(array.min()), float(array.max())
    extent(max(-low, high), high - low, name)
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


def known_table(X: Any) -> None:
    """Raise for tables of other libraries, whose ids and texts would be taken for coordinates."""
    if hasattr(X, "to_pandas"):
        raise ValueError(
            f"X must be a pandas DataFrame or an array of points, got {type(X).__name__}; use X.to_pandas()"
        )


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


def not_distances(array: Floats, name: str = "points") -> None:
    """Raise for a matrix of five or more rows that can only be distances: square, symmetric, ≥ 0, 0 on the diagonal."""
    n = len(array)
    if n < 5 or array.shape != (n, n) or array.diagonal().any() or np.nanmin(array) < 0:
        return
    largest = np.nanmax(array)
    if largest == 0 or not is_symmetric(array, 1e-9 * largest):
        return
    how = option_text("metric='precomputed' or Space.from_distances(D)", "distances=True")
    raise ValueError(
        f"got a {n} × {n} matrix that is symmetric and 0 on the diagonal: {name} look like distances; use {how} "
        "(if they are points, X + 1 has the same distances)"
    )


def is_symmetric(array: Floats, tolerance: float) -> bool:
    """Whether no entry of a square matrix differs by more from its mirror image; in blocks, since columns are slow."""
    starts = range(0, len(array), _BLOCK_SIDE)
    for i, j in itertools.combinations_with_replacement(starts, 2):
        rows, cols = slice(i, i + _BLOCK_SIDE), slice(j, j + _BLOCK_SIDE)
        block, mirrored = array[rows, cols], array[cols, rows].T
        if not (block == mirrored).all() and (np.abs(block - mirrored) > tolerance).any():
            return False
    return True


def covariances(values: ArrayLike, name: str = "covs") -> Floats:
    """Return a stack of symmetric positive semidefinite matrices, shape (n, m, m)."""
    array = floats(values, name)
    if array.ndim != 3 or array.shape[1] != array.shape[2] or array.size == 0:
        raise ValueError(f"{name} must be a stack of square matrices, shape (n, m, m), got shape {array.shape}")
    size = np.abs(array).max(axis=(1, 2), keepdims=True)
    if (np.abs(array - array.transpose(0, 2, 1)) > 1e-9 * size).any():
        raise ValueError(f"{name} must be symmetric matrices; use (C + C.transpose(0, 2, 1)) / 2")
    array = array / 2 + array.transpose(0, 2, 1) / 2
    least = np.linalg.eigvalsh(array)[:, 0]
    if (least < -1e-9 * size[:, 0, 0]).any():
        worst = int(least.argmin())
        raise ValueError(f"{name} must be positive semidefinite, matrix {worst} has the eigenvalue {least[worst]}")
    return array


def gaussians(means: ArrayLike | None, covs: ArrayLike, suffix: str = "") -> tuple[Floats, Floats]:
    """Return means (n, m), zeros for None, and covariances (n, m, m) or, with means, their diagonals (n, m)."""
    name, of_means = "covs" + suffix, "means" + suffix
    if means is None:
        stack = covariances(covs, name)
        return np.zeros(stack.shape[:2]), stack
    centers, entries = points(means, of_means), floats(covs, name)
    if entries.shape == centers.shape:
        if (entries < 0).any():
            raise ValueError(f"{name} as variances must not be negative, got {entries.min()}")
        return centers, entries
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


def positive(value: Any, name: str) -> float:
    """Check a finite number > 0."""
    if not 0 < number(value) < np.inf:
        raise ValueError(f"{option_text(name)} must be positive and finite, got {shown(value)}")
    return float(value)


def eps(value: Any) -> float:
    """Check a radius."""
    if not 1e-150 < number(value) < 1e150:  # its square must not overflow or underflow
        advice = f"{option_text('wt.localize.suggest_eps(X)', 'eps=auto')} gives a starting value"
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
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in CALLING_PACKAGES:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)
