"""Parts of a transform as values that scikit-learn can look into."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, Self

from ._archive import archived


class Part:
    """An immutable part whose constructor's arguments are its attributes.

    scikit-learn's `clone` and `get_params` see its parameters; `replaced` makes a part with some of them changed.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, and with `deep` those of nested parts as `part__parameter`."""
        params: dict[str, Any] = {}
        for name in inspect.signature(type(self)).parameters:
            params[name] = value = getattr(self, name)
            if deep and isinstance(value, Part):
                params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return params

    def replaced(self, **changes: Any) -> Self:
        """A copy with other parameters; `base__eps=2` reaches into the part `base`."""
        params = self.get_params(deep=False)
        nested: dict[str, dict[str, Any]] = {}
        for key, value in changes.items():
            name, _, inner = key.partition("__")
            if name not in params:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(params) or 'none'}"
                )
            if inner:
                nested.setdefault(name, {})[inner] = value
            else:
                params[name] = value
        for name, inner_changes in nested.items():
            if not isinstance(params[name], Part):
                raise ValueError(f"{name} of {type(self).__name__} is {params[name]!r} and has no parameters to set")
            params[name] = params[name].replaced(**inner_changes)
        return type(self)(**params)


def parts_in(names: Mapping[str, object], kind: type[Part]) -> dict[str, Any]:
    """The parts of one kind among the names of a room, in small letters: what a room imports is what it offers."""
    classes = [value for value in names.values() if isinstance(value, type) and issubclass(value, kind)]
    return {_key(found.__name__): found for found in classes if not inspect.isabstract(found)}


def _key(name: str) -> str:
    """CachedNeighbors is cached_neighbors."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
