"""The engine that work runs on where none is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from .core import Engine

_CURRENT: ContextVar[Engine | None] = ContextVar("wasserstein_transform_engine", default=None)
_DEFAULT = Engine()


def current(engine: Engine | None = None, **changes: Any) -> Engine:
    """The engine given, or that of the innermost `using`, or all cores; with those changes that are not None."""
    if engine is not None and not isinstance(engine, Engine):
        raise TypeError(f"engine must be an Engine such as wt.Engine(n_jobs=2), got {engine!r}")
    engine = engine or _CURRENT.get() or _DEFAULT
    wanted = {name: value for name, value in changes.items() if value is not None}
    return replace(engine, **wanted) if wanted else engine


@contextmanager
def using(engine: Engine | None = None, **changes: Any) -> Iterator[Engine]:
    """Where everything inside the block runs: estimators, functions, applications and metrics.

    Parameters
    ----------
    engine : Engine, optional
        A whole engine; by default the current one.
    **changes
        Parameters of `Engine` to change: n_jobs, progress, memory, …

    Notes
    -----
    An explicit `engine=`, and `n_jobs` or `verbose` of an estimator that are not None, win. The block holds for the
    thread (or asynchronous task) that entered it: threads started inside, and joblib's worker processes, begin with the
    default engine. What is computed when first read, such as `distances_`, runs on the engine that is current then. The
    engine that the block gives can be cancelled from another thread.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> with wt.using(n_jobs=1) as engine:
    ...     shifted = wt.MeanShift(eps=1.0).fit(np.array([[0.0], [0.5], [9.0]]))
    >>> engine.n_threads
    1
    """
    known = ("n_jobs", "progress", "memory", "device", "precision", "executor", "client", "store")
    if unknown := sorted(set(changes) - set(known)):
        raise TypeError(f"using takes an engine or changes of {', '.join(known)}; got {', '.join(unknown)}")
    token = _CURRENT.set(
        replace(current(engine), **({"flag": np.zeros(1, np.uint8)} if engine is None else {}) | changes)
    )
    try:
        yield current()
    finally:
        _CURRENT.reset(token)
