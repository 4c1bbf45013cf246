"""What numbers at edges mean: lengths, strengths, or nothing that is known."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats

ASK = "ask"
"""Nothing was said: names that speak for themselves are believed, others asked about."""

_LENGTHS, _STRENGTHS, _OPEN = ("length", "distance"), ("strength",), "weight"
KNOWN = (*_LENGTHS, *_STRENGTHS, _OPEN)
"""Names of edge attributes and columns that are looked at."""

_ANSWERS = "weight='length', weight='strength' (lengths are 1/strength) or weight=None (all edges have length 1)"


class EdgeList(list[tuple[Any, ...]]):
    """Edges (a, b) or (a, b, number), and what the numbers are called: one of `KNOWN`."""

    def __init__(self, edges: Collection[tuple[Any, ...]], column: str = _LENGTHS[0]) -> None:
        super().__init__(edges)
        self.column = column


class Meaning(NamedTuple):
    """The attribute that is taken, if any, and whether it is a strength."""

    column: str | None
    strength: bool = False


def meaning(present: Collection[str], weight: str | None) -> Meaning:
    """Which of the attributes that are there is taken, by what was said; `lengths_of` asks where nothing was."""
    check_weight(weight)
    found = [name for name in KNOWN if name in present]
    if weight is None or not found:
        return Meaning(None)
    if weight == ASK:
        if len(found) > 1:
            raise ValueError(f"edges have {' and '.join(map(repr, found))}; say which by {_ANSWERS}")
        return Meaning(found[0], found[0] in _STRENGTHS)
    names = (*(_LENGTHS if weight == "length" else _STRENGTHS), _OPEN)
    chosen = next((name for name in names if name in found), None)
    if chosen is None:
        raise ValueError(
            f"weight={weight!r} needs edges with {' or '.join(map(repr, names))}, these have {found[0]!r}; "
            f"say {_ANSWERS}"
        )
    return Meaning(chosen, weight == "strength")


def check_weight(weight: str | None) -> None:
    """Refuse what is no answer."""
    if not (weight is None or (isinstance(weight, str) and weight in (ASK, "length", "strength"))):
        raise ValueError(f"weight must be 'length', 'strength' or None, got {weight!r}: say {_ANSWERS}")


def lengths_of(values: Floats, meant: Meaning, weight: str | None) -> Floats:
    """Lengths of edges by their numbers; numbers that might be either are asked about, unless all are 1."""
    if meant.strength:
        return _inverse(values)
    if weight == ASK and meant.column == _OPEN and (check.floats(values, "weights of edges") != 1).any():
        raise ValueError(
            f"weights of edges, {np.min(values):g} to {np.max(values):g}, may be lengths or strengths; say {_ANSWERS}; "
            "where a function has no weight=, give wt.Graph.of(graph, weight=…)"
        )
    return values


def number(a: Hashable, b: Hashable, value: Any, meant: Meaning) -> float:
    """The number of one edge."""
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
        raise ValueError(
            f"strengths of edges must be positive, got {strengths.min():g}; leave out edges without strength"
        )
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / strengths)
