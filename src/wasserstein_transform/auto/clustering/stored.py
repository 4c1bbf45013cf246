"""Clusterings in files: named tuples as dicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._archive import check_array, check_range, check_type
from ...hierarchy import Tree
from ...spaces import Space
from ...spaces.named import known_name
from .candidates import KINDS, Recipe
from .ground import Ground

_KINDS = {name: type(default) for name, default in Recipe._field_defaults.items()} | {"kind": str}


def plain_recipe(recipe: Recipe | None) -> dict[str, Any] | None:
    """Convert a recipe to a dict."""
    return None if recipe is None else recipe._asdict()


def recipe_of(plain: dict[str, Any] | None) -> Recipe | None:
    """Convert a dict to a recipe; reject invalid values."""
    if plain is None:
        return None
    recipe = Recipe(**plain)
    for name, kind in _KINDS.items():
        check_type(getattr(recipe, name), name, kind)
    if recipe.kind not in KINDS:
        raise ValueError(f"a recipe must be one of {', '.join(KINDS)}, got {recipe.kind!r}")
    return recipe


def plain_ground(ground: Ground | None) -> dict[str, Any] | None:
    """Convert a ground to a dict."""
    return None if ground is None else ground._asdict()


def ground_of(plain: dict[str, Any] | None) -> Ground | None:
    """Convert a dict to a ground; reject invalid values."""
    if plain is None:
        return None
    ground = Ground(**plain)
    check_type(ground.space, "the space of places", Space)
    check_array(ground.points, "coordinates", "f", ground.space.n, None)
    check_array(ground.mass, "mass", "f", ground.space.n)
    check_array(ground.indices, "neighbors", "i", ground.space.n, None)
    check_range(ground.indices, "neighbors", 0, ground.space.n - 1)
    check_array(ground.distances, "distances", "f", *ground.indices.shape)
    check_type(ground.unit, "unit", float)
    check_range(ground.unit, "unit", np.finfo(float).tiny)
    check_type(ground.note, "note", str)
    return ground


def check_tree(tree: Any, n: int) -> None:
    """Reject anything but a tree of n places or None."""
    check_type(tree, "tree", Tree, type(None))
    if tree is not None and tree.n != n:
        raise ValueError(f"the tree has {tree.n} places, but {n} were clustered")


def check_name(named: Any, space: Space) -> None:
    """Reject an unknown metric, and a metric of coordinates if there are none."""
    if named is not None:
        known_name(named)
        if space.points is None:
            raise ValueError(f"the distance {named!r} needs coordinates, and the space has none")
