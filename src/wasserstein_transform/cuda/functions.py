"""The functions that a GPU computes, by the names of those for the CPU, and what both are for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..engine import Engine
from . import balls, distances, exact, neighborhoods, pixels, trees
from .device import Device

_log = logging.getLogger("wasserstein_transform")

FUNCTIONS: dict[str, tuple[str, Callable[..., Any] | None]] = {
    "block": ("distances", distances.block),
    "n_within": ("", distances.n_within),
    "pairs": ("distances", distances.pairs),
    "dense": ("distances", distances.dense),
    "condensed": ("distances", distances.condensed),
    "movement": ("", distances.movement),
    "balls": ("balls", balls.balls),
    "leaders": ("merging", balls.leaders),
    "nearest": ("nearest neighbors", trees.nearest),
    "neighborhoods": ("neighborhoods", neighborhoods.neighborhoods),
    "ridge_step": ("", neighborhoods.ridge_step),
    "spanning_tree": ("spanning trees", trees.spanning_tree),
    "reach_tree": ("spanning trees", trees.reach_tree),
    "exact_among": ("exact transport", exact.exact_among),
    "exact_between": ("exact transport", exact.exact_between),
    "exact_listed": ("exact transport", exact.exact_listed),
    "line_among": ("transport on the line", None),
    "line_between": ("transport on the line", None),
    "range_features": ("", pixels.range_features),
    "painted": ("", pixels.painted),
    "shift_pixels": ("moving pixels", pixels.shift_pixels),
    "link_touching": ("regions", pixels.link_touching),
    "region_sums": ("regions", pixels.region_sums),
    "touching": ("regions", pixels.touching),
}
"""A function takes the arguments of the one for the CPU, then `device`; NotImplemented leaves the work to the CPU."""

_reported = set[str]()


class Gpu:
    """The functions of a device: on it if that is faster, on the CPU otherwise."""

    name = "cuda"
    n_cores = 150.0  # approximate speed of a GPU in CPU cores

    def __init__(self, device: Device) -> None:
        self.device = device

    def version_of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The version of a function of the CPU that tries the device first."""
        what, there = FUNCTIONS.get(function.__name__, ("", None))

        @wraps(function)
        def run(*args: Any) -> Any:
            result = NotImplemented if there is None else there(*args, device=self.device)
            if result is not NotImplemented:
                return result
            _report_once(what, args)
            return function(*args)

        return run


def _report_once(what: str, args: tuple[Any, ...]) -> None:
    """Report once, in the log and in the progress display, that the CPU does something."""
    if what and what not in _reported:
        _reported.add(what)
        _log.info("%s: on the CPU", what)
        for engine in (one for one in args if isinstance(one, Engine)):
            engine.report(f"{what}: on the CPU", 0, 1)
