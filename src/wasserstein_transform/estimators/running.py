"""Turn `n_jobs` and `verbose` of scikit-learn into an engine."""

from __future__ import annotations

from ..engine import Engine, bar, current


def engine_of(n_jobs: int | None, verbose: bool) -> Engine:
    """The engine of an estimator; n_jobs=None and verbose=False keep the settings of the current engine."""
    return current(n_jobs=n_jobs, progress=bar() if verbose else None)
