"""Data that a backend keeps for problems that are solved repeatedly."""

from __future__ import annotations

from typing import Any


class Memory:
    """Solutions of listed transport problems, for solving the same pairs again with other masses and distances.

    It is passed to `exact_listed` each time; its content depends on the backend. Results depend on it only by rounding.
    """

    def __init__(self) -> None:
        self.kept: Any = None
