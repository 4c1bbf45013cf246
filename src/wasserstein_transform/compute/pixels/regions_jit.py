"""Regions of an image: linking moved pixels, labeling connected components."""

from __future__ import annotations

from typing import Any

from ..jit import jit
from ..trees import spanning_jit as spanning


@jit
def are_near(modes: Any, axes: int, i: int, j: int, spatial: float, range_: float) -> bool:
    """Whether two moved pixels are within both radii, which are squares."""
    offset = 0.0
    for k in range(axes):
        off = modes[i, k] - modes[j, k]
        offset += off * off
    value = 0.0
    for k in range(axes, modes.shape[1]):
        off = modes[i, k] - modes[j, k]
        value += off * off
    return offset <= spatial and value <= range_


@jit
def link_adjacent(
    modes: Any, axes: int, inside: Any, shape: Any, spatial: float, range_: float, parent: Any, stop: Any
) -> None:
    """Join adjacent pixels whose modes are near. An empty mask `inside` means all pixels."""
    depth, height, width = shape[0], shape[1], shape[2]
    masked = inside.shape[0] > 0
    for i in range(depth * height * width):
        if stop[0] != 0:
            return
        if masked and not inside[i]:
            continue
        z, y, x = i // (height * width), i // width % height, i % width
        for k in range(3):
            ahead = x + 1 < width if k == 0 else y + 1 < height if k == 1 else z + 1 < depth
            j = i + (1 if k == 0 else width if k == 1 else height * width)
            if ahead and (not masked or inside[j]) and are_near(modes, axes, i, j, spatial, range_):
                spanning.unite(parent, i, j)


@jit
def _first_group(cells: Any, groups: Any, axes: int, g: int, rows: Any, row: int, back: int) -> int:
    """The first group that does not come before group g shifted by a row, and back along the last axis."""
    low, high = 0, groups.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        before = False
        for k in range(axes):
            aim = cells[groups[g], k] + (rows[row, k] if k < axes - 1 else -back)
            cell = cells[groups[middle], k]
            if cell != aim:
                before = cell < aim
                break
        low, high = (middle + 1, high) if before else (low, middle)
    return low


@jit
def link_cells(
    modes: Any, axes: int, order: Any, starts: Any, groups: Any, cells: Any, rows: Any, reach: Any, spatial: float,
    range_: float, parent: Any, stop: Any,
) -> None:  # fmt: skip
    """Join cells with near modes; the pixels of a cell are linked already.

    order, starts : pixels by cell, and the start of each cell
    groups : the first cell of each position; cells are sorted by position
    cells : position and value of each cell, in steps of its sides
    rows : offsets along all axes but the last at which near positions can be; the first is zero
    reach : largest difference of near modes along each column of `cells`, in steps
    """
    n_groups = groups.shape[0] - 1
    for g in range(n_groups):
        if stop[0] != 0:
            return
        for row in range(rows.shape[0]):
            h = g if row == 0 else _first_group(cells, groups, axes, g, rows, row, reach[axes - 1])
            while h < n_groups and _is_in_row(cells, groups[g], groups[h], rows, row, axes, reach[axes - 1]):
                for a in range(groups[g], groups[g + 1]):
                    for b in range(max(groups[h], a + 1), groups[h + 1]):
                        if not _are_apart(cells, a, b, reach, axes, cells.shape[1]):
                            _link_pair(modes, axes, order, starts, a, b, spatial, range_, parent)
                h += 1


@jit
def _is_in_row(cells: Any, a: int, b: int, rows: Any, row: int, axes: int, reach: int) -> bool:
    for k in range(axes - 1):
        if cells[b, k] != cells[a, k] + rows[row, k]:
            return False
    return abs(cells[b, axes - 1] - cells[a, axes - 1]) <= reach


@jit
def _are_apart(cells: Any, a: int, b: int, reach: Any, first: int, end: int) -> bool:
    for k in range(first, end):  # noqa: SIM110 - compiled code has no generators
        if abs(cells[a, k] - cells[b, k]) > reach[k]:
            return True
    return False


@jit
def _link_pair(
    modes: Any, axes: int, order: Any, starts: Any, a: int, b: int, spatial: float, range_: float, parent: Any
) -> None:
    if spanning.root(parent, order[starts[a]]) == spanning.root(parent, order[starts[b]]):
        return
    for p in range(starts[a], starts[a + 1]):
        for q in range(starts[b], starts[b + 1]):
            if are_near(modes, axes, order[p], order[q], spatial, range_):
                spanning.unite(parent, order[p], order[q])
                return


@jit
def link_inside(order: Any, starts: Any, parent: Any) -> None:
    """Join all pixels of each cell."""
    for cell in range(starts.shape[0] - 1):
        for p in range(starts[cell] + 1, starts[cell + 1]):
            spanning.unite(parent, order[starts[cell]], order[p])


@jit
def number(labels: Any, inside: Any) -> int:
    """Turn a forest, in which the first pixel of a tree is its root, into labels 0, 1, … by first pixels; −1 outside.

    In place: earlier pixels in the forest have their labels already. Returns the number of labels. An empty mask
    `inside` means all pixels.
    """
    count = 0
    for i in range(labels.shape[0]):
        if inside.shape[0] > 0 and not inside[i]:
            labels[i] = -1
        elif labels[i] == i:
            labels[i] = count
            count += 1
        else:
            labels[i] = labels[labels[i]]
    return count


@jit
def number_by_first(labels: Any, new: Any) -> None:
    """Number regions 0, 1, … by their first pixels, in place; negative labels stay.

    new : −1 initially, then the new number of each region
    """
    count = 0
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            if new[labels[i]] < 0:
                new[labels[i]] = count
                count += 1
            labels[i] = new[labels[i]]
