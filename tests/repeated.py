"""Statements that are repeated for many values: `make test` takes some of them, `make slow` the others."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def mostly_slow(values: Iterable[Any], quick: Container[Any]) -> list[Any]:
    """The values, those that are not among `quick` marked slow."""
    return [value if value in quick else pytest.param(value, marks=pytest.mark.slow) for value in values]
