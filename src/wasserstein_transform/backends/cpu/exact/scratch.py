"""How large the memory is that problems are solved in."""

from __future__ import annotations

from typing import NamedTuple


class Scratch(NamedTuple):
    """What workspaces must hold; see `costs`."""

    cap: int
    n_met: int
    n_points: int
    n_stored: int
    farthest: bool
    width: int
