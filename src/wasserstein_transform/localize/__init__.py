"""Localizations: each assigns to every point a probability measure on its neighborhood.

To add a localization, write one file in this folder and import its class below. The table `LOCALIZATIONS`, the exports,
the shared tests and the command line read these imports.
"""

from .. import _parts
from .base import (
    HasMoments as HasMoments,
    Inductive as Inductive,
    Intrinsic as Intrinsic,
    Localization as Localization,
)
from .cached_neighbors import CachedNeighbors as CachedNeighbors
from .extrinsic import (
    Extrinsic as Extrinsic,
    Gaussian as Gaussian,
    Mean as Mean,
    Ridge as Ridge,
    takes_new_points as takes_new_points,
)
from .given import Given as Given
from .heat import Heat as Heat
from .kernel import Kernel as Kernel, Truncation as Truncation
from .nearest import Nearest as Nearest
from .profiles import PROFILES as PROFILES
from .scale import Scale as Scale, suggest_eps as suggest_eps
from .trivial import Identity as Identity, Whole as Whole

LOCALIZATIONS: dict[str, type[Localization]] = _parts.parts_in(globals(), Localization)
"""All localizations by name in snake case, such as "truncation" and "cached_neighbors"."""
