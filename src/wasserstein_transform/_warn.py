"""Warnings that point at the line of the user's code, not at a line of the package."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

import numpy as np

_CALLERS = ("wasserstein_transform", "sklearn", "imblearn", "joblib")  # packages that call this one for the user

_MAX_EXACT_INTEGER = 2**53  # up to this, floats represent all integers

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


@contextmanager
def redirect_warnings(listen: Callable[[str], None]) -> Iterator[None]:
    """Send the warnings of this thread to `listen`; Python's own filters are global to the process."""
    token = _LISTENER.set(listen)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line outside this package and the packages that call it, such as scikit-learn's pipelines.

    Python shows equal warnings of one line once, so that a grid search of a hundred fits does not repeat them.
    """
    if (listen := _LISTENER.get()) is not None:
        listen(message)
        return
    warnings.warn(message, category, stacklevel=2 + sum(1 for _ in frames_within(sys._getframe(1))))


def warn_of_rounding(values: Any, name: str) -> None:
    """Warn of integers in an array or a table that no float represents: distinct ones can become equal."""
    columns = [values.iloc[:, k] for k in range(values.shape[1])] if hasattr(values, "iloc") else [values]
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
    while frame.f_back is not None and module_of(frame).partition(".")[0] in _CALLERS:
        yield frame
        frame = frame.f_back


def module_of(frame: FrameType) -> str:
    """The name of the module of a frame."""
    return str(frame.f_globals.get("__name__", ""))
