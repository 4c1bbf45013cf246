"""The current engine: where work runs if no engine is given."""

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
    """Return the given engine, else that of the innermost `using`, else the default with all cores.

    Parameters
    ----------
    engine : Engine, optional
        None means the current engine.
    **changes
        Parameters of `Engine` to change; those that are None are ignored.

    Returns
    -------
    Engine

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> with wt.using(n_jobs=2):
    ...     print(wt.engine.current().n_jobs, wt.engine.current(n_jobs=1, memory=None).n_jobs)
    2 1
    """
    if engine is not None and not isinstance(engine, Engine):
        raise TypeError(f"engine must be an Engine such as wt.Engine(n_jobs=2), got {engine!r}")
    engine = engine or _CURRENT.get() or _DEFAULT
    wanted = {name: value for name, value in changes.items() if value is not None}
    return replace(engine, **wanted) if wanted else engine


@contextmanager
def using(engine: Engine | None = None, **changes: Any) -> Iterator[Engine]:
    """Set the engine for everything within a `with` block: estimators, functions and metrics.

    Parameters
    ----------
    engine : Engine, optional
        A complete engine; None means the current one.
    **changes
        Parameters of `Engine` to change: n_jobs, progress, memory, …

    Yields
    ------
    Engine
        The engine of the block.

    Notes
    -----
    An explicit `engine=`, and `n_jobs` or `verbose` of an estimator that are not None, take precedence. The block
    applies to the thread (or asynchronous task) that entered it: threads started inside, and joblib's worker processes,
    begin with the default engine. Attributes that are computed when first read, such as `distances_`, use the engine
    that is current at that time. The engine of the block can be cancelled from another thread.

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
