"""Every localization of the table with every transport that compares its measures."""

from __future__ import annotations

import re

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.localize import LOCALIZATIONS, PROFILES, Localization
from wasserstein_transform.transport import TRANSPORTS

EPS = 0.7


def random_walk(n: int) -> np.ndarray:
    """A lazy walk on a cycle."""
    return 0.5 * np.eye(n) + 0.25 * (np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0))


def examples(name: str, n: int, eps: float = EPS) -> list[Localization]:
    """Localizations of one entry of the table, ready for a space of n points."""
    made: dict[str, list[Localization]] = {
        "truncation": [wt.Truncation(eps)],
        "kernel": [
            *(wt.Kernel(eps, profile) for profile in PROFILES),
            wt.Kernel(eps, "gaussian", cut=2.0),
            wt.Kernel(eps, lambda t: 1 / (1 + t)),
        ],
        "once": [wt.Once(wt.Truncation(eps))],
        "nearest": [wt.Nearest(0.3)],
        "heat": [wt.Heat(1.5, wt.Truncation(eps)), wt.Heat(0.5, wt.Nearest(0.3))],
        "given": [wt.Given(random_walk(n))],
        "whole": [wt.Whole()],
        "point": [wt.Point()],
        "mean": [wt.Mean(wt.Truncation(eps)), wt.Mean(wt.Kernel(eps, "gaussian")), wt.Mean(wt.Given(random_walk(n)))],
        "ridge": [
            wt.Ridge(wt.Truncation(eps)),
            wt.Ridge(wt.Kernel(eps, "gaussian")),
            wt.Ridge(wt.Truncation(eps), dim=0),
            wt.Ridge(wt.Given(random_walk(n))),
        ],
        "gaussian": [
            wt.Gaussian(wt.Truncation(eps), lam=2.0, move=True, ridge=1),
            wt.Gaussian(wt.Truncation(eps), lam=2.0),
            wt.Gaussian(wt.Truncation(eps), lam=2.0, move=True),
            wt.Gaussian(wt.Kernel(eps, "epanechnikov"), lam=0.5, move=True),
            wt.Gaussian(wt.Whole(), lam=1.0),
        ],
    }
    return made[name]


def transforms(n: int, eps: float = EPS, *, of_alpha: bool = False) -> list[wt.Transform]:
    """All compositions; with `of_alpha` only those whose measures are made from the weights α."""
    space = wt.Space.from_points(np.linspace(0, 1, n)[:, None] * [1.0, 0.3])
    out = []
    for name in LOCALIZATIONS:
        for localize in examples(name, n, eps):
            if of_alpha and "Given" in repr(localize):
                continue
            measures = localize(space)
            for transport in TRANSPORTS.values():
                if isinstance(measures, transport.accepts) and transport is not wt.Line:  # these spaces are no lines
                    ps = [1.0, 2.0, np.inf] if transport is wt.Exact else [None]
                    out += [wt.Transform(localize, transport() if p is None else wt.Exact(p)) for p in ps]
    return out


def name(transform: wt.Transform) -> str:
    """A readable test id."""
    text = re.sub(" at 0x[0-9a-f]+", "", f"{transform.localize!r} {transform.transport!r}")  # the same in every process
    return text if len(text) < 90 else text[:60] + "…"
