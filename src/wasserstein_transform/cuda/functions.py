"""For each function of the CPU that has one, the function of a GPU, and what both are for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..compute.exact import batches as exact, on_line as line
from ..compute.metrics import distances
from ..compute.neighbors import moments as neighborhoods, nearest as nearby
from ..compute.pixels import colors, motion as pixels
from ..compute.trees import spanning as trees
from ..engine import Engine
from . import (
    balls as gpu_balls,
    distances as gpu_distances,
    exact as gpu_exact,
    neighborhoods as gpu_neighborhoods,
    pixels as gpu_pixels,
    trees as gpu_trees,
)
from .device import Device

_log = logging.getLogger("wasserstein_transform")

FUNCTIONS: dict[Callable[..., Any], tuple[str, Callable[..., Any] | None]] = {
    distances.block: ("distances", gpu_distances.block),
    distances.pairs: ("distances", gpu_distances.pairs),
    distances.dense: ("distances", gpu_distances.dense),
    distances.condensed: ("distances", gpu_distances.condensed),
    distances.movement: ("", gpu_distances.movement),
    nearby.balls: ("balls", gpu_balls.balls),
    nearby.leaders: ("merging", gpu_balls.leaders),
    nearby.nearest: ("nearest neighbors", gpu_trees.nearest),
    neighborhoods.neighborhoods: ("neighborhoods", gpu_neighborhoods.neighborhoods),
    neighborhoods.ridge_step: ("", gpu_neighborhoods.ridge_step),
    trees.spanning_tree: ("spanning trees", gpu_trees.spanning_tree),
    trees.mutual_reachability_tree: ("spanning trees", gpu_trees.mutual_reachability_tree),
    exact.exact_among: ("exact transport", gpu_exact.exact_among),
    exact.exact_between: ("exact transport", gpu_exact.exact_between),
    exact.exact_listed: ("exact transport", gpu_exact.exact_listed),
    line.line_among: ("transport on the line", None),
    line.line_between: ("transport on the line", None),
    colors.range_features: ("", gpu_pixels.range_features),
    colors.painted: ("", gpu_pixels.painted),
    pixels.shift_pixels: ("moving pixels", gpu_pixels.shift_pixels),
    pixels.link_touching: ("regions", gpu_pixels.link_touching),
    pixels.region_sums: ("regions", gpu_pixels.region_sums),
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
        label, gpu_function = FUNCTIONS.get(function, ("", None))

        @wraps(function)
        def run(*args: Any) -> Any:
            result = NotImplemented if gpu_function is None else gpu_function(*args, device=self.device)
            if result is not NotImplemented:
                return result
            _report_once(label, args)
            return function(*args)

        return run


def _report_once(label: str, args: tuple[Any, ...]) -> None:
    """Report once, in the log and in the progress display, that the CPU does something."""
    if label and label not in _reported:
        _reported.add(label)
        _log.info("%s: on the CPU", label)
        for engine in (arg for arg in args if isinstance(arg, Engine)):
            engine.report(f"{label}: on the CPU", 0, 1)
