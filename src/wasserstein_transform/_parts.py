"""Parts of a transform as immutable values with scikit-learn parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, Self

from ._archive import archived


class Part:
    """An immutable object whose attributes are the arguments of its constructor.

    scikit-learn's `clone` and `get_params` work with it; `replaced` returns a copy with other parameters.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with deep=True also those of nested parts, as `part__parameter`."""
        params: dict[str, Any] = {}
        for name in inspect.signature(type(self)).parameters:
            params[name] = value = getattr(self, name)
            if deep and isinstance(value, Part):
                params.update({f"{name}__{key}": inner for key, inner in value.get_params().items()})
        return params

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other parameters; `base__eps=2` changes `eps` of the part `base`."""
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
                raise ValueError(f"{name} of {type(self).__name__} is {params[name]!r}, which has no parameters to set")
            params[name] = params[name].replaced(**inner_changes)
        return type(self)(**params)


def parts_in(names: Mapping[str, object], kind: type[Part]) -> dict[str, Any]:
    """The concrete subclasses of `kind` among the names of a module, by name in snake case."""
    classes = [value for value in names.values() if isinstance(value, type) and issubclass(value, kind)]
    return {_key(part.__name__): part for part in classes if not inspect.isabstract(part)}


def _key(name: str) -> str:
    """Convert a class name to snake case: CachedNeighbors becomes cached_neighbors."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
