"""Statements that are repeated for many values: `make test` takes some of them, `make slow` the others."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable
from typing import Any

import pytest

only_quick = False
"""Whether slow cases are left out where they are made; conftest sets it, since to collect thousands takes seconds."""


def mostly_slow(values: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """The values, those that are not among `quick` marked slow."""
    return [
        value if value in quick else pytest.param(value, marks=pytest.mark.slow)
        for value in values
        if value in quick or not only_quick
    ]


def each_once(*axes: Iterable[Any]) -> list[Any]:
    """All combinations of values, marked slow but for a few in which every value is met.

    >>> [case.values for case in each_once("ab", [1, 2, 3]) if not case.marks]
    [('a', 1), ('a', 3), ('b', 2)]
    """
    sides = [list(axis) for axis in axes]
    longest = max(map(len, sides))
    quick = {tuple(k % len(side) for side in sides) for k in range(longest)}
    return [
        pytest.param(
            *(side[k] for side, k in zip(sides, places, strict=True)),
            marks=() if places in quick else pytest.mark.slow,
        )
        for places in itertools.product(*(range(len(side)) for side in sides))
        if places in quick or not only_quick
    ]
