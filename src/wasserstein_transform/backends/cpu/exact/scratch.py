"""Sizes of the workspace of the solver."""

from __future__ import annotations

from typing import NamedTuple


class Scratch(NamedTuple):
    """Sizes of the workspaces; see `costs`."""

    cap: int
    n_met: int
    n_points: int
    n_stored: int
    farthest: bool
    width: int
