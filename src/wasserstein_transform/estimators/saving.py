"""Fitted estimators in files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

from .._archive import archived, read, write
from ..engine import Engine, current

_MADE_AGAIN = ("_distances", "_scaling")  # computed on first use


class Saved:
    """An estimator that is saved and loaded without pickle, with its parameters and all it learned."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the estimator to a `.npz` file, without pickle; returns its path. `load` reads it.

        Profiles that are functions cannot be stored.
        """
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """An estimator from a file that `save` wrote; files of other versions, damaged or too large are refused."""
        found: Self = read(path, cls, lambda n_bytes: current(engine).reserve(n_bytes, str(path), "free some memory"))
        return found

    def _archive_state(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _MADE_AGAIN}

    @classmethod
    def _from_archive(cls, state: dict[str, Any]) -> Self:
        known = cls()
        vars(known).update(state)
        return known
