"""Warnings that point at the line of the caller, not at one of ours."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

_WITHIN = ("wasserstein_transform", "sklearn", "imblearn", "joblib")  # who calls us on somebody's behalf

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listen: Callable[[str], None]) -> Iterator[None]:
    """Warnings of this thread go to `listen`: filters of Python are those of the whole process."""
    token = _LISTENER.set(listen)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line outside the package and of those who call it for others: pipelines, searches.

    Python shows what is said twice at one line once, so a search of a hundred fits does not repeat itself.
    """
    if (listen := _LISTENER.get()) is not None:
        listen(message)
        return
    warnings.warn(message, category, stacklevel=2 + sum(1 for _ in frames_within(sys._getframe(1))))


def frames_within(frame: FrameType | None = None) -> Iterator[FrameType]:
    """The frames from here, or from the one given, up to the caller's, which is left out."""
    frame = sys._getframe(1) if frame is None else frame
    while frame.f_back is not None and module_of(frame).partition(".")[0] in _WITHIN:
        yield frame
        frame = frame.f_back


def module_of(frame: FrameType) -> str:
    """The name of the module a frame is of."""
    return str(frame.f_globals.get("__name__", ""))
