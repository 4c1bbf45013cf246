"""Report once, in the log and in the progress display, which operations run on the CPU."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from ...engine import Engine
from ..cpu import Cpu

_OPERATIONS = {
    "block": "distances",
    "pairs": "distances",
    "dense": "distances",
    "condensed": "distances",
    "balls": "balls",
    "nearest": "nearest neighbors",
    "neighborhoods": "neighborhoods",
    "leaders": "merging",
    "spanning_tree": "spanning trees",
    "reach_tree": "spanning trees",
    "exact_among": "exact transport",
    "exact_between": "exact transport",
    "exact_listed": "exact transport",
    "exact_at_most": "bounds of transport",
    "line_among": "transport on the line",
    "line_between": "transport on the line",
    "shift_pixels": "moving pixels",
    "link_touching": "regions",
    "region_sums": "regions",
    "touching": "regions",
    "count_contexts": "contexts of words",
    "word_factors": "distances of words",
    "word_gaps": "distances of words",
    "word_means": "means of words",
}
_SAID = set[str]()
_log = logging.getLogger("wasserstein_transform")


class OnCpu(Cpu):
    """The operations of the CPU, for a backend that uses some of them."""


def _said(operation: Callable[..., Any], what: str) -> Callable[..., Any]:
    """The operation, with a report on its first call that it runs on the CPU."""

    @wraps(operation)
    def on_cpu(self: OnCpu, *given: Any) -> Any:
        if what not in _SAID:
            _SAID.add(what)
            _log.info("%s: on the CPU", what)
            for engine in (one for one in given if isinstance(one, Engine)):
                engine.report(f"{what}: on the CPU", 0, 1)
        return operation(self, *given)

    return on_cpu


for _name, _what in _OPERATIONS.items():
    setattr(OnCpu, _name, _said(getattr(Cpu, _name), _what))
