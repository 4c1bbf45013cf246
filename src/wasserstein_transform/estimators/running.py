"""From scikit-learn's `n_jobs` and `verbose` to an engine."""

from __future__ import annotations

from ..engine import Engine, bar, current


def engine_of(n_jobs: int | None, verbose: bool) -> Engine:
    """The engine of an estimator; None and False leave threads and progress to the current one."""
    return current(n_jobs=n_jobs, progress=bar() if verbose else None)
