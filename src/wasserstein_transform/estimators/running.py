"""From scikit-learn's `n_jobs` and `verbose` to an engine."""

from __future__ import annotations

from ..engine import Engine, bar


def engine_of(n_jobs: int | None, verbose: bool) -> Engine:
    """The engine of an estimator; None leaves the number of threads to the engine."""
    return Engine(-1 if n_jobs is None else n_jobs, bar() if verbose else None)
