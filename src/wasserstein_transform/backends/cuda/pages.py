"""Memory of the host that is there before a copy begins."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

_PAGE = 4096  # bytes, or more
_PART = 1 << 23  # bytes that a thread touches at a time
_MOST = 8  # threads


def take_pages(array: np.ndarray) -> None:
    """Have the system find memory for a new array, by several threads: a copy from a device would do so by one."""
    pages = array.reshape(-1).view(np.uint8)[::_PAGE]
    with ThreadPoolExecutor(min(_MOST, os.cpu_count() or 1)) as pool:
        for start in range(0, len(pages), _PART // _PAGE):
            pool.submit(pages[start : start + _PART // _PAGE].fill, 0)
