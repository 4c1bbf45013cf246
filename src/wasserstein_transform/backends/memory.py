"""What a backend keeps of problems that will come again."""

from __future__ import annotations

from typing import Any


class Memory:
    """What is known of listed transport problems: the same measures meet again, with other masses and distances.

    Handed to `exact_listed` each time; what is in it is the backend's own. Results do not depend on it beyond rounding.
    """

    def __init__(self) -> None:
        self.kept: Any = None
