"""Regions of an image: linking moved pixels, labeling connected components, merging adjacent regions.

Regions are merged cheapest border first, with a heap of borders and a linked list of borders per region. A border e has
two ends, 2e and 2e + 1; the chain of a region links the ends at it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .compile import jit
from .spanning_trees import root


@jit
def unite(parent: Any, i: int, j: int) -> bool:
    """Join two components with the earlier pixel as root. Returns whether they were different."""
    a, b = root(parent, i), root(parent, j)
    if a == b:
        return False
    if a < b:
        parent[b] = a
    else:
        parent[a] = b
    return True


@jit
def are_near(modes: Any, axes: int, i: int, j: int, spatial: float, range_: float) -> bool:
    """Whether two moved pixels are within both radii, which are squares."""
    place = 0.0
    for k in range(axes):
        place += (modes[i, k] - modes[j, k]) ** 2
    value = 0.0
    for k in range(axes, modes.shape[1]):
        value += (modes[i, k] - modes[j, k]) ** 2
    return place <= spatial and value <= range_


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
                unite(parent, i, j)


@jit
def _first_group(cells: Any, groups: Any, axes: int, g: int, rows: Any, row: int, back: int) -> int:
    """The first group that does not come before group g shifted by a row, and back along the last axis."""
    low, high = 0, groups.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        before = False
        for k in range(axes):
            aim = cells[groups[g], k] + (rows[row, k] if k < axes - 1 else -back)
            at = cells[groups[middle], k]
            if at != aim:
                before = at < aim
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
    if root(parent, order[starts[a]]) == root(parent, order[starts[b]]):
        return
    for p in range(starts[a], starts[a + 1]):
        for q in range(starts[b], starts[b + 1]):
            if are_near(modes, axes, order[p], order[q], spatial, range_):
                unite(parent, order[p], order[q])
                return


@jit
def link_inside(order: Any, starts: Any, parent: Any) -> None:
    """Join all pixels of each cell."""
    for cell in range(starts.shape[0] - 1):
        for p in range(starts[cell] + 1, starts[cell + 1]):
            unite(parent, order[starts[cell]], order[p])


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


class Regions(NamedTuple):
    """Regions; merged ones are counted in their representative.

    sizes : shares of the image
    sums, squares : sums of values and of their squares, one row per region, in the same measure
    head, tail : first and last end of each chain, −1 for none
    seen, by : the last merge that visited a region, and the border it came by
    """

    sizes: Any
    sums: Any
    squares: Any
    head: Any
    tail: Any
    seen: Any
    by: Any


class Borders(NamedTuple):
    """Borders of regions and the heap over them.

    ends : the two original regions
    lengths, gaps : pairs of pixels across, and the sum of their distances
    next : the next end in the chain, −1 for the last
    cost, heap, place : cost of each border; heap of borders; position of each in the heap, −1 if removed
    """

    ends: Any
    lengths: Any
    gaps: Any
    next: Any
    cost: Any
    heap: Any
    place: Any


@jit
def border_cost(regions: Regions, borders: Borders, e: int, a: int, b: int, growth: float, edge: float) -> float:
    """s^growth · d^(1 − edge) · g^edge: s grows with both sizes, d is d_W of values by channel, g the gap across."""
    m, n = regions.sizes[a], regions.sizes[b]
    square = 0.0
    for c in range(regions.sums.shape[1]):
        x, y = regions.sums[a, c] / m, regions.sums[b, c] / n
        u = max(regions.squares[a, c] / m - x * x, 0.0) ** 0.5
        v = max(regions.squares[b, c] / n - y * y, 0.0) ** 0.5
        square += (x - y) ** 2 + (u - v) ** 2
    gap = borders.gaps[e] / borders.lengths[e]
    return (m * n / (m + n)) ** growth * square ** ((1 - edge) / 2) * gap**edge


@jit
def _before(borders: Borders, e: int, f: int) -> bool:
    return borders.cost[e] < borders.cost[f] or (borders.cost[e] == borders.cost[f] and e < f)


@jit
def _put(borders: Borders, e: int, i: int) -> None:
    borders.heap[i] = e
    borders.place[e] = i


@jit
def _settle(borders: Borders, e: int, n: int) -> None:
    """Restore the position of a border in the heap of n."""
    i = borders.place[e]
    while i > 0 and _before(borders, e, borders.heap[(i - 1) // 2]):
        _put(borders, borders.heap[(i - 1) // 2], i)
        i = (i - 1) // 2
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n and _before(borders, borders.heap[child + 1], borders.heap[child]):
            child += 1
        if _before(borders, e, borders.heap[child]):
            break
        _put(borders, borders.heap[child], i)
        i = child
    _put(borders, e, i)


@jit
def _remove(borders: Borders, e: int, n: int) -> int:
    """Remove a border from the heap of n. Returns the new size."""
    last = borders.heap[n - 1]
    if last != e:
        _put(borders, last, borders.place[e])
        _settle(borders, last, n - 1)
    borders.place[e] = -1
    return n - 1


@jit
def _chain(regions: Regions, borders: Borders) -> None:
    for end in range(borders.next.shape[0]):
        a = borders.ends[end // 2, end % 2]
        if regions.head[a] < 0:
            regions.head[a] = end
        else:
            borders.next[regions.tail[a]] = end
        regions.tail[a] = end


@jit
def _pool(regions: Regions, borders: Borders, a: int, b: int) -> None:
    """Merge b into a, and append its chain to that of a; neither chain is empty."""
    regions.sizes[a] += regions.sizes[b]
    for c in range(regions.sums.shape[1]):
        regions.sums[a, c] += regions.sums[b, c]
        regions.squares[a, c] += regions.squares[b, c]
    borders.next[regions.tail[a]] = regions.head[b]
    regions.tail[a] = regions.tail[b]


@jit
def _other(borders: Borders, parent: Any, end: int) -> int:
    return root(parent, borders.ends[end // 2, 1 - end % 2])


@jit
def _tidy(regions: Regions, borders: Borders, a: int, step: int, parent: Any, n: int) -> int:
    """Keep one border to each neighbor in the chain of a. Returns the size of the heap."""
    end, kept = regions.head[a], -1
    while end >= 0:
        after, e = borders.next[end], end // 2
        b = _other(borders, parent, end)
        if borders.place[e] >= 0 and b != a and regions.seen[b] != step:
            regions.seen[b], regions.by[b] = step, e
            if kept < 0:
                regions.head[a] = end
            else:
                borders.next[kept] = end
            kept = end
        elif borders.place[e] >= 0:
            if b != a:
                first = regions.by[b]
                borders.lengths[first] += borders.lengths[e]
                borders.gaps[first] += borders.gaps[e]
            n = _remove(borders, e, n)
        end = after
    if kept < 0:
        regions.head[a] = -1
    else:
        borders.next[kept] = -1
    regions.tail[a] = kept
    return n


@jit
def merge_regions(
    regions: Regions, borders: Borders, growth: float, edge: float, limit: float, parent: Any, stop: Any
) -> int:
    """Merge along the cheapest border until all cost more than `limit`. Returns the number of merges."""
    n = borders.heap.shape[0]
    _chain(regions, borders)
    for e in range(n):
        borders.cost[e] = border_cost(regions, borders, e, borders.ends[e, 0], borders.ends[e, 1], growth, edge)
        _put(borders, e, e)
        _settle(borders, e, e + 1)
    merges = 0
    while n > 0 and borders.cost[borders.heap[0]] <= limit and stop[0] == 0:
        e = borders.heap[0]
        a, b = root(parent, borders.ends[e, 0]), root(parent, borders.ends[e, 1])
        a, b = min(a, b), max(a, b)
        n = _remove(borders, e, n)
        parent[b] = a
        _pool(regions, borders, a, b)
        merges += 1
        n = _tidy(regions, borders, a, merges, parent, n)
        end = regions.head[a]
        while end >= 0:
            f = end // 2
            borders.cost[f] = border_cost(regions, borders, f, a, _other(borders, parent, end), growth, edge)
            _settle(borders, f, n)
            end = borders.next[end]
    return merges
