"""Every localization of the table with every transport that compares its measures."""

from __future__ import annotations

import re

import numpy as np

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


def name(transform: wt.Transform) -> str:
    """A readable test id."""
    text = re.sub(" at 0x[0-9a-f]+", "", f"{transform.localize!r} {transform.transport!r}")  # the same in every process
    return text if len(text) < 90 else text[:60] + "…"
