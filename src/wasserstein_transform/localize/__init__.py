"""Localizations: each assigns to every point a probability measure on its neighborhood.

To add a localization, write one file in this folder and import its class below. The table `LOCALIZATIONS` is made of
these imports, and the shared tests run over the table.
"""

from .. import _archive
from .extrinsic import Extrinsic, Gaussian, Mean, Ridge
from .kernel import CachedNeighbors, Kernel, Truncation
from .localization import Inductive as Inductive, Intrinsic, Localization
from .markov import Given, Heat
from .nearest import Identity, Nearest, Whole
from .scale import Scale as Scale, rows_of as rows_of, suggest_eps

__all__ = (
    "CachedNeighbors",
    "Extrinsic",
    "Gaussian",
    "Given",
    "Heat",
    "Identity",
    "Intrinsic",
    "Kernel",
    "Localization",
    "Mean",
    "Nearest",
    "Ridge",
    "Truncation",
    "Whole",
    "suggest_eps",
)

LOCALIZATIONS: dict[str, type[Localization]] = _archive.parts_in(globals(), Localization)
"""All localizations by name in snake case, such as "truncation" and "cached_neighbors"."""
