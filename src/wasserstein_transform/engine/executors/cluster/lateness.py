"""When an answer is late."""

from __future__ import annotations

import statistics
import time
from collections import deque

from .errands import Copy

_TIMES = 4.0  # the usual time, and an answer is late
_LEAST = 2.0  # seconds
_REMEMBERED = 50
_COPIES = 3  # of one errand under way, at most


class Lateness:
    """What the usual time between message and answer is, and who has exceeded it by far."""

    def __init__(self, silence: float | None) -> None:
        self._silence, self._heard = silence, time.monotonic()
        self._times = deque[float](maxlen=_REMEMBERED)

    def learn(self, copy: Copy) -> None:
        """An answer came."""
        self._heard = time.monotonic()
        self._times.append(self._heard - copy.sent)

    def is_late(self, copy: Copy) -> bool:
        """Whether an errand is to be sent once more: the longer, the more copies of it there are."""
        n_copies = len(copy.errand.copies)
        if not self._times or n_copies >= _COPIES or copy is not copy.errand.copies[-1]:
            return False
        usual = max(_LEAST, _TIMES * statistics.median(self._times))
        return time.monotonic() - copy.sent > usual * 2.0 ** (n_copies - 1)

    def is_silent(self, under_way: list[Copy]) -> bool:
        """Whether nobody has answered for so long that all is to be sent again; the next time, twice as long."""
        last = max(self._heard, max((copy.sent for copy in under_way), default=float("inf")))
        if self._silence is None or time.monotonic() - last <= self._silence:
            return False
        self._silence *= 2
        return True
