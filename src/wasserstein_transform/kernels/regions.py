"""Regions of an image: linking moved pixels, and numbering what hangs together."""

from __future__ import annotations

from typing import Any

from .compile import jit
from .trees import root


@jit
def unite(parent: Any, i: int, j: int) -> bool:
    """Join two parts, the earlier pixel standing for both. Returns whether they were apart."""
    a, b = root(parent, i), root(parent, j)
    if a == b:
        return False
    if a < b:
        parent[b] = a
    else:
        parent[a] = b
    return True


@jit
def are_near(modes: Any, i: int, j: int, spatial: float, range_: float) -> bool:
    """Whether two moved pixels are within both radii, which are squares."""
    place = 0.0
    for k in range(3):
        place += (modes[i, k] - modes[j, k]) ** 2
    value = 0.0
    for k in range(3, modes.shape[1]):
        value += (modes[i, k] - modes[j, k]) ** 2
    return place <= spatial and value <= range_


@jit
def link_adjacent(modes: Any, inside: Any, shape: Any, spatial: float, range_: float, parent: Any) -> None:
    """Join pixels that touch along an axis and whose modes are near."""
    depth, height, width = shape[0], shape[1], shape[2]
    for i in range(depth * height * width):
        if not inside[i]:
            continue
        z, rest = i // (height * width), i % (height * width)
        y, x = rest // width, rest % width
        if x + 1 < width and inside[i + 1] and are_near(modes, i, i + 1, spatial, range_):
            unite(parent, i, i + 1)
        if y + 1 < height and inside[i + width] and are_near(modes, i, i + width, spatial, range_):
            unite(parent, i, i + width)
        below = i + height * width
        if z + 1 < depth and inside[below] and are_near(modes, i, below, spatial, range_):
            unite(parent, i, below)


@jit
def link_cells(
    modes: Any, order: Any, starts: Any, first: Any, second: Any, spatial: float, range_: float, parent: Any
) -> None:
    """Join cells, each one part already, of which some two pixels are near: pairs of cells are listed."""
    for pair in range(first.shape[0]):
        a, b = first[pair], second[pair]
        if root(parent, order[starts[a]]) == root(parent, order[starts[b]]):
            continue
        _link_pair(modes, order, starts[a], starts[a + 1], starts[b], starts[b + 1], spatial, range_, parent)


@jit
def _link_pair(
    modes: Any, order: Any, a: int, a_end: int, b: int, b_end: int, spatial: float, range_: float, parent: Any
) -> None:
    for p in range(a, a_end):
        for q in range(b, b_end):
            if are_near(modes, order[p], order[q], spatial, range_):
                unite(parent, order[p], order[q])
                return


@jit
def link_inside(order: Any, starts: Any, parent: Any) -> None:
    """Join all pixels of each cell."""
    for cell in range(starts.shape[0] - 1):
        for p in range(starts[cell] + 1, starts[cell + 1]):
            unite(parent, order[starts[cell]], order[p])


@jit
def number(parent: Any, inside: Any, labels: Any) -> int:
    """Labels 0, 1, … in the order of the first pixels; −1 outside. Returns how many."""
    count = 0
    for i in range(parent.shape[0]):
        if not inside[i]:
            labels[i] = -1
        elif root(parent, i) == i:
            labels[i] = count
            count += 1
        else:
            labels[i] = labels[root(parent, i)]
    return count
