"""Decide when an answer is late."""

from __future__ import annotations

import statistics
import time
from collections import deque

from .errands import Copy

_TIMES = 4.0  # multiple of the usual time after which an answer is late
_LEAST = 2.0  # seconds
_REMEMBERED = 50  # recent times that define the usual one
_COPIES = 3  # of one errand in flight, at most


class Lateness:
    """Measures the usual time between message and answer, and finds messages that take much longer."""

    def __init__(self, silence: float | None) -> None:
        self._silence, self._heard = silence, time.monotonic()
        self._times = deque[float](maxlen=_REMEMBERED)

    def learn(self, copy: Copy) -> None:
        """Record an answer."""
        self._heard = time.monotonic()
        self._times.append(self._heard - copy.sent)

    def is_late(self, copy: Copy) -> bool:
        """Tell whether to send an errand once more; the limit doubles with each copy."""
        n_copies = len(copy.errand.copies)
        if not self._times or n_copies >= _COPIES or copy is not copy.errand.copies[-1]:
            return False
        usual = max(_LEAST, _TIMES * statistics.median(self._times))
        return time.monotonic() - copy.sent > usual * 2.0 ** (n_copies - 1)

    def is_silent(self, under_way: list[Copy]) -> bool:
        """Tell whether no answer has come for so long that everything is sent again; the limit doubles each time."""
        last = max(self._heard, max((copy.sent for copy in under_way), default=float("inf")))
        if self._silence is None or time.monotonic() - last <= self._silence:
            return False
        self._silence *= 2
        return True
