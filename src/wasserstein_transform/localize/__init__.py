"""L: every point gets the probability measure of its neighbourhood.

A new localization is one file here and one line in `LOCALIZATIONS`.
"""

from .base import Inductive, Intrinsic, Localization
from .extrinsic import Extrinsic, Gaussian, Mean, Ridge, sees_new_points
from .given import Given
from .heat import Heat
from .kernel import Kernel, Truncation
from .nearest import Nearest
from .once import Once
from .profiles import PROFILES
from .scale import Scale, suggest_eps
from .trivial import Point, Whole

LOCALIZATIONS: dict[str, type[Localization]] = {
    "truncation": Truncation,
    "kernel": Kernel,
    "once": Once,
    "nearest": Nearest,
    "heat": Heat,
    "given": Given,
    "whole": Whole,
    "point": Point,
    "mean": Mean,
    "ridge": Ridge,
    "gaussian": Gaussian,
}

__all__ = [
    "LOCALIZATIONS",
    "PROFILES",
    "Extrinsic",
    "Gaussian",
    "Given",
    "Heat",
    "Inductive",
    "Intrinsic",
    "Kernel",
    "Localization",
    "Mean",
    "Nearest",
    "Once",
    "Point",
    "Ridge",
    "Scale",
    "Truncation",
    "Whole",
    "sees_new_points",
    "suggest_eps",
]
