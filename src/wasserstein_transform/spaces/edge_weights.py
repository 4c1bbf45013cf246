"""The meaning of edge weights: lengths, strengths, or unknown."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats

ASK = "ask"
"""The default of `weight`: clear attribute names are used, and ambiguous ones raise an error."""

_LENGTHS, _STRENGTHS, _OPEN = ("length", "distance"), ("strength",), "weight"
KNOWN = (*_LENGTHS, *_STRENGTHS, _OPEN)
"""Names of edge attributes and columns that are read."""

_ANSWERS = "weight='length', weight='strength' (lengths are 1/strength) or weight=None (all edges have length 1)"


class EdgeList(list[tuple[Any, ...]]):
    """Edges (a, b) or (a, b, number), and the name of the number, one of `KNOWN`."""

    def __init__(self, edges: Collection[tuple[Any, ...]], column: str = _LENGTHS[0]) -> None:
        super().__init__(edges)
        self.column = column


class Meaning(NamedTuple):
    """The edge attribute that is used, or None, and whether it is a strength."""

    column: str | None
    strength: bool = False


def meaning(present: Collection[str], weight: str | None) -> Meaning:
    """Choose the edge attribute to use among those present, by `weight`."""
    check_weight(weight)
    found = [name for name in KNOWN if name in present]
    if weight is None or not found:
        return Meaning(None)
    if weight == ASK:
        if len(found) > 1:
            raise ValueError(f"edges have {' and '.join(map(repr, found))}; choose one by {_ANSWERS}")
        return Meaning(found[0], found[0] in _STRENGTHS)
    names = (*(_LENGTHS if weight == "length" else _STRENGTHS), _OPEN)
    chosen = next((name for name in names if name in found), None)
    if chosen is None:
        raise ValueError(
            f"weight={weight!r} needs edges with {' or '.join(map(repr, names))}, but these have {found[0]!r}; "
            f"say {_ANSWERS}"
        )
    return Meaning(chosen, weight == "strength")


def check_weight(weight: str | None) -> None:
    """Check the value of `weight`."""
    if not (weight is None or (isinstance(weight, str) and weight in (ASK, "length", "strength"))):
        raise ValueError(f"weight must be 'length', 'strength' or None, got {weight!r}: say {_ANSWERS}")


def lengths_of(values: Floats, meant: Meaning, weight: str | None) -> Floats:
    """Turn the numbers at edges into lengths; raise an error if their meaning is unclear, unless all are 1."""
    if meant.strength:
        return _inverse(values)
    if weight == ASK and meant.column == _OPEN and (check.floats(values, "weights of edges") != 1).any():
        raise ValueError(
            f"weights of edges, {np.min(values):g} to {np.max(values):g}, may be lengths or strengths; say {_ANSWERS}; "
            "where a function has no weight=, pass wt.Graph.of(graph, weight=…)"
        )
    return values


def number(a: Hashable, b: Hashable, value: Any, meant: Meaning) -> float:
    """Convert the number at one edge to a float."""
    try:
        return float(value)
    except (TypeError, ValueError):
        kind = "strengths" if meant.strength else "lengths"
        raise ValueError(
            f"{kind} of edges must be numbers, got {meant.column} {value!r} between {a!r} and {b!r}"
        ) from None


def _inverse(strengths: Floats) -> Floats:
    strengths = check.floats(strengths, "strengths of edges")
    if (strengths <= 0).any():
        raise ValueError(f"strengths of edges must be positive, got {strengths.min():g}; leave out edges of strength 0")
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / strengths)
