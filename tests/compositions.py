"""Every localization of the table with every transport that compares its measures."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.compute.neighbors.moments_jit import PROFILES

EPS = 0.7


def cycle(n: int) -> wt.localize.Given:
    """A lazy walk on a cycle."""
    stay = np.eye(n)
    return wt.localize.Given(0.5 * stay + 0.25 * (np.roll(stay, 1, axis=0) + np.roll(stay, -1, axis=0)))


def rational(t: np.ndarray) -> np.ndarray:
    """A callable profile without a cutoff."""
    return np.asarray(1 / (1 + t))


def bases(n: int, eps: float) -> list[wt.localize.Intrinsic]:
    return [wt.Truncation(eps), wt.Kernel(eps, "gaussian"), cycle(n)]


LOCALIZATIONS: dict[type, Callable[[int, float], list[Any]]] = {
    wt.Kernel: lambda n, eps: [
        *(wt.Kernel(eps, profile) for profile in PROFILES),
        wt.Kernel(eps, cut=2.0),
        wt.Kernel(eps, rational),
    ],
    wt.Nearest: lambda n, eps: [wt.Nearest(0.3)],
    wt.localize.Whole: lambda n, eps: [wt.localize.Whole()],
    wt.localize.Identity: lambda n, eps: [wt.localize.Identity()],
    wt.localize.Given: lambda n, eps: [cycle(n)],
    wt.localize.Heat: lambda n, eps: [
        wt.localize.Heat(1.5, wt.Truncation(eps)),
        wt.localize.Heat(0.5, wt.Nearest(0.3)),
    ],
    wt.Mean: lambda n, eps: [wt.Mean(base) for base in bases(n, eps)],
    wt.localize.Ridge: lambda n, eps: [
        *(wt.localize.Ridge(base) for base in bases(n, eps)),
        wt.localize.Ridge(wt.Truncation(eps), dim=0),
    ],
    wt.Gaussian: lambda n, eps: [
        wt.Gaussian(wt.Truncation(eps), lam=2.0, move=True, ridge=1),
        wt.Gaussian(wt.Truncation(eps), lam=2.0),
        wt.Gaussian(wt.Truncation(eps), lam=2.0, move=True),
        wt.Gaussian(wt.Kernel(eps, "epanechnikov"), lam=0.5, move=True),
        wt.Gaussian(wt.localize.Whole(), lam=1.0),
    ],
}
"""Examples of localizations that `Name(eps)` does not make, or does not make well."""

TRANSPORTS: dict[type, list[wt.transport.Transport]] = {
    wt.Exact: [wt.Exact(1.0), wt.Exact(2.0), wt.Exact(np.inf)],
    wt.transport.Line: [wt.transport.Line(1.0), wt.transport.Line(2.0), wt.transport.Line(np.inf)],
    wt.transport.Stored: [wt.transport.Stored(wt.transport.DiracDistance()), wt.transport.Stored(wt.Bures())],
}
"""Examples of transports that `Name()` does not make."""


def localizations(kind: type, n: int, eps: float = EPS) -> list[Any]:
    """Examples of a class of localizations, for n points that are about eps apart."""
    return LOCALIZATIONS[kind](n, eps) if kind in LOCALIZATIONS else [kind(eps)]


def transports(kind: type) -> list[Any]:
    """Examples of a class of transports."""
    return TRANSPORTS.get(kind) or [kind()]


def transforms(n: int, eps: float = EPS, *, dim: int = 2, of_alpha: bool = False) -> list[wt.Transform]:
    """All compositions for points in R^dim; with `of_alpha` only those whose measures are made from the weights α."""
    base_metric = wt.spaces.Euclidean(np.zeros((n, dim)))
    return [
        wt.Transform(localize, transport)
        for kind in wt.localize.LOCALIZATIONS.values()
        for localize in localizations(kind, n, eps)
        for other in wt.transport.TRANSPORTS.values()
        for transport in transports(other)
        if (localize.of_alpha or not of_alpha) and localize.makes is transport.accepts and transport.fits(base_metric)
    ]


def first_of_each_kind(found: list[wt.Transform]) -> list[Any]:
    """The compositions, all but the first of each localization with each transport marked slow."""
    first = {(type(transform.localize), type(transform.transport)): transform for transform in reversed(found)}
    quick = {id(transform) for transform in first.values()}
    return [
        transform if id(transform) in quick else pytest.param(transform, marks=pytest.mark.slow) for transform in found
    ]


def name(transform: wt.Transform) -> str:
    """A readable test id."""
    text = re.sub(" at 0x[0-9a-f]+", "", f"{transform.localize!r} {transform.transport!r}")  # the same in every process
    return text if len(text) < 90 else text[:60] + "…"
