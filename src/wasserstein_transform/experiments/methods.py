"""The paper's methods, by their names in its figures."""

from __future__ import annotations

from ..transforms import Process, gaussian_transform, local_truncation, mean_shift


def method(name: str, eps: float, profile: str = "flat") -> Process:
    """The process of MS, LT-WT1, LT-WT2 or GT-λ."""
    family, _, number = name.partition("-")
    if family == "MS":
        return mean_shift(eps, profile)
    if family == "GT":
        return gaussian_transform(eps, float(number), profile)
    return local_truncation(eps, int(number.removeprefix("WT")))
