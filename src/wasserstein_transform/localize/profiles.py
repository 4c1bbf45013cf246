"""Kernel profiles: weights as a function of t = d²/ε²."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from .._types import Floats
from ..backends import host as codes


class Profile(NamedTuple):
    """A named profile: its code in compiled loops, its reach in units of ε, and its formula."""

    code: int
    reach: float
    formula: Callable[[Floats], Floats]


PROFILES: dict[str, Profile] = {
    "flat": Profile(codes.FLAT, 1.0, np.ones_like),
    "gaussian": Profile(codes.GAUSSIAN, np.inf, lambda t: np.where(t < codes.FAINTEST, np.exp(-0.5 * t), 0.0)),
    "epanechnikov": Profile(codes.EPANECHNIKOV, 1.0, lambda t: np.maximum(1.0 - t, 0.0)),
    "triangle": Profile(codes.TRIANGLE, 1.0, lambda t: np.maximum(1.0 - np.sqrt(t), 0.0)),
}
"""Kernel profiles by name. With t = d²/ε², flat: 1 on [0, 1]; gaussian: exp(−t/2), so ε is the standard deviation;
epanechnikov: 1 − t on [0, 1]; triangle: 1 − √t on [0, 1]."""

ProfileLike: TypeAlias = str | Callable[[Floats], Floats]


def check_profile(profile: ProfileLike) -> ProfileLike:
    """Check that a profile is a name from the table or a callable."""
    if callable(profile) or (isinstance(profile, str) and profile in PROFILES):
        return profile
    raise ValueError(f"profile must be one of {', '.join(PROFILES)} or a function of d²/ε², got {profile!r}")


def evaluate(profile: ProfileLike, t: Floats) -> Floats:
    """Weights at t = d²/ε²; those of a callable are checked."""
    if not callable(profile):
        return PROFILES[profile].formula(t)
    values = np.asarray(profile(t), dtype=np.float64)
    if values.shape != t.shape or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            "a profile must turn an array of d²/ε² into finite weights ≥ 0 of the same shape; "
            f"for shape {t.shape} it returned shape {values.shape}, from {np.min(values)} to {np.max(values)}"
        )
    return values
