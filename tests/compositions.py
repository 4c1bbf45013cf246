"""Every localization of the table with every transport that compares its measures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import repeated

import wasserstein_transform as wt

EPS = 0.7


def transforms(n: int, eps: float = EPS, *, dim: int = 2, of_alpha: bool = False) -> list[wt.Transform]:
    """All compositions for points in R^dim; with `of_alpha` only those whose measures are made from the weights α."""
    ground = wt.Euclidean(np.zeros((n, dim)))
    return [
        wt.Transform(localize, transport)
        for kind in wt.localize.LOCALIZATIONS.values()
        for localize in kind.examples(n, eps)
        for other in wt.transport.TRANSPORTS.values()
        for transport in other.examples()
        if (localize.of_alpha or not of_alpha) and localize.makes is transport.accepts and transport.fits(ground)
    ]


def first_of_each_kind(found: list[wt.Transform]) -> list[Any]:
    """The compositions, all but the first of each localization with each transport marked slow."""
    first = {(type(transform.localize), type(transform.transport)): transform for transform in reversed(found)}
    quick = {id(transform) for transform in first.values()}
    return [
        transform if id(transform) in quick else pytest.param(transform, marks=pytest.mark.slow)
        for transform in found
        if id(transform) in quick or not repeated.only_quick
    ]


def name(transform: wt.Transform) -> str:
    """A readable test id."""
    text = re.sub(" at 0x[0-9a-f]+", "", f"{transform.localize!r} {transform.transport!r}")  # the same in every process
    return text if len(text) < 90 else text[:60] + "…"
