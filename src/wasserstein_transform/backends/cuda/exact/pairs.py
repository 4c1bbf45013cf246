"""Pairs of measures that are solved together: those whose larger measure has about the same size.

Measures are sorted by size, so that such pairs are rows of a triangle or rectangles; all pairs need not be listed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...._types import Ints
from ..device import Array, Device
from .classes import classes_of


class Pairs(NamedTuple):
    """First and second measures of some pairs, and the positions of their distances in the result."""

    firsts: Array
    seconds: Array
    places: Array


class Part(NamedTuple):
    """Pairs whose larger measure belongs to one class: their number, and a function from numbers to pairs."""

    size: int
    n_pairs: int
    pairs: Callable[[Array], Pairs]


class Plan(NamedTuple):
    """The parts that are solved on the device, and the pairs solved on the CPU, as arrays on the host."""

    parts: list[Part]
    large: Pairs

    @property
    def n_pairs(self) -> int:
        """Number of pairs solved on the device."""
        return sum(part.n_pairs for part in self.parts)


def triangle(sizes: Ints, device: Device) -> Plan:
    """Each pair of measures once; the result is an n × n matrix."""
    n, xp, order = len(sizes), device.xp, _falling(sizes)
    starts = np.append(0, np.cumsum(np.arange(n - 1, -1, -1)))  # first pair of each row with the measures after it
    begin, measures = device.put(starts), device.put(order)

    def part(size: int, low: int, high: int) -> Part:
        def pairs(numbers: Array) -> Pairs:
            numbers = numbers + int(starts[low])
            rows = xp.searchsorted(begin, numbers, side="right") - 1
            firsts, seconds = measures[rows], measures[numbers - begin[rows] + rows + 1]
            return Pairs(firsts, seconds, firsts * n + seconds)

        return Part(size, int(starts[high] - starts[low]), pairs)

    classes = classes_of(device)
    edges = _edges(sizes, classes)
    parts = [part(size, low, high) for size, low, high in zip(classes, edges[1:], edges, strict=False)]
    rows = np.repeat(np.arange(edges[-1]), n - 1 - np.arange(edges[-1]))
    cols = np.arange(len(rows)) - starts[rows] + rows + 1
    return _plan(parts, Pairs(order[rows], order[cols], order[rows] * n + order[cols]))


def rectangle(sizes_a: Ints, sizes_b: Ints, device: Device) -> Plan:
    """Every measure of A with every measure of B; the result is an n_a × n_b matrix."""
    n_a, n_b = len(sizes_a), len(sizes_b)
    order_a, order_b = _falling(sizes_a), _falling(sizes_b)
    some_a, some_b = device.put(order_a), device.put(order_b)

    def part(size: int, rows: tuple[int, int], cols: tuple[int, int]) -> Part:
        width = max(cols[1] - cols[0], 1)

        def pairs(numbers: Array) -> Pairs:
            firsts, seconds = some_a[rows[0] + numbers // width], some_b[cols[0] + numbers % width]
            return Pairs(firsts, seconds, firsts * n_b + seconds)

        return Part(size, (rows[1] - rows[0]) * (cols[1] - cols[0]), pairs)

    classes = classes_of(device)
    edges_a, edges_b = _edges(sizes_a, classes), _edges(sizes_b, classes)
    parts = []
    for k, size in enumerate(classes):
        (high_a, low_a), (high_b, low_b) = edges_a[k : k + 2], edges_b[k : k + 2]
        parts += [part(size, (low_a, high_a), (low_b, n_b)), part(size, (high_a, n_a), (low_b, high_b))]
    blocks = (order_a[: edges_a[-1]], order_b), (order_a[edges_a[-1] :], order_b[: edges_b[-1]])
    firsts, seconds = (np.concatenate(side) for side in zip(*(_product(*block) for block in blocks), strict=True))
    return _plan(parts, Pairs(firsts, seconds, firsts * n_b + seconds))


def listed(firsts: Ints, seconds: Ints, sizes_a: Ints, sizes_b: Ints, device: Device) -> Plan:
    """The listed pairs; the result is in their order."""
    classes = classes_of(device)
    found = np.searchsorted(classes, np.maximum(sizes_a[firsts], sizes_b[seconds]))
    some_a, some_b = device.put(firsts), device.put(seconds)

    def part(size: int, which: Ints) -> Part:
        members = device.put(which)

        def pairs(numbers: Array) -> Pairs:
            places = members[numbers]
            return Pairs(some_a[places], some_b[places], places)

        return Part(size, len(which), pairs)

    parts = [part(size, np.flatnonzero(found == k)) for k, size in enumerate(classes)]
    large = np.flatnonzero(found == len(classes))
    return _plan(parts, Pairs(firsts[large], seconds[large], large))


def _plan(parts: list[Part], large: Pairs) -> Plan:
    return Plan([part for part in parts if part.n_pairs], large)


def _falling(sizes: Ints) -> Ints:
    return np.argsort(-sizes, kind="stable")


def _edges(sizes: Ints, classes: tuple[int, ...]) -> list[int]:
    """The number of measures, and of those larger than each class."""
    return [len(sizes), *(int(np.count_nonzero(sizes > size)) for size in classes)]


def _product(rows: Ints, cols: Ints) -> tuple[Ints, Ints]:
    return np.repeat(rows, len(cols)), np.tile(cols, len(rows))
