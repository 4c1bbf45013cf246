"""Save and load fitted estimators."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

from .._archive import archived, read, write
from .._display import HasReport
from ..engine import Engine, current

_COMPUTED_ON_FIRST_USE = "_cached_distances", "_cached_scaling"


class Saved(HasReport):
    """An estimator that can be saved and loaded without pickle, with its parameters and fitted attributes."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the estimator to a `.npz` file, without pickle, and return its path. `load` reads it.

        An estimator with a callable profile cannot be stored.
        """
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """Read an estimator from a file that `save` wrote.

        Files that are damaged, too large for the memory, or of another version raise an error.
        """
        estimator: Self = read(
            path, cls, lambda n_bytes: current(engine).reserve(n_bytes, str(path), "free some memory")
        )
        return estimator

    def _archive_state(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _COMPUTED_ON_FIRST_USE}

    @classmethod
    def _from_archive(cls, state: dict[str, Any]) -> Self:
        known = cls()
        parameters = set(vars(known))
        stored = {name for name in state if not (name.startswith("_") or name.endswith("_"))}  # others are fitted
        if parameters != stored:
            wrong = ", ".join(sorted(parameters ^ stored))
            raise ValueError(f"parameters of a {cls.__name__} are missing or unknown: {wrong}")
        vars(known).update(state)
        return known
