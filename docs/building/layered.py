"""Places for the boxes of a layered graph, and ways for its arrows around them (after Sugiyama).

An arrow over several layers gets a joint in each layer that it passes, so that it does not run behind boxes. Rows are
ordered by the mean place of what their boxes are joined to, down and up again, and then drawn together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import networkx as nx
import numpy as np

Place = tuple[float, float]
_SWEEPS = 40
_ROOM = {"box": 0.62, "joint": 0.17}  # half of the width that each takes


def arrange(graph: nx.DiGraph, layers: Sequence[Sequence[str]]) -> tuple[dict[str, Place], list[list[Place]]]:
    """Places of the boxes, y falling from 0 by 1 a layer, and the joints of every arrow, ends included."""
    depth = {package: row for row, layer in enumerate(layers) for package in layer}
    chains = [_chain(start, end, depth) for start, end in sorted(graph.edges)]
    rows: list[list[str]] = [list(layer) for layer in layers]
    for chain in chains:
        for joint, row in chain[1:-1]:
            rows[row].append(joint)
    near = nx.Graph((a[0], b[0]) for chain in chains for a, b in pairwise(chain))
    x = _ordered(rows, near, set(depth))
    places = {package: (x[package], -float(row)) for package, row in depth.items()}
    return places, [[(x[node], -float(row)) for node, row in chain] for chain in chains]


def _chain(start: str, end: str, depth: dict[str, int]) -> list[tuple[str, int]]:
    """The ends of an arrow, and a joint for each layer between them."""
    between = [(f"{start}→{end}@{row}", row) for row in range(depth[start] + 1, depth[end])]
    return [(start, depth[start]), *between, (end, depth[end])]


def _ordered(rows: list[list[str]], near: nx.Graph, boxes: set[str]) -> dict[str, float]:
    """Where everything stands from left to right."""
    x = {node: float(k) - len(row) / 2 for row in rows for k, node in enumerate(row)}
    row_of = {node: k for k, row in enumerate(rows) for node in row}
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for k in range(len(rows)) if down else reversed(range(len(rows))):
            wanted = {node: _wish(node, near, x, row_of, down, final=sweep > _SWEEPS - 6) for node in rows[k]}
            rows[k].sort(key=lambda node: wanted[node])
            x.update(_apart(rows[k], wanted, boxes))
    middle = (max(x.values()) + min(x.values())) / 2
    return {node: place - middle for node, place in x.items()}


def _wish(node: str, near: nx.Graph, x: dict[str, float], row_of: dict[str, int], down: bool, final: bool) -> float:
    """The mean place of what it is joined to in the layer before; in the end, of all it is joined to."""
    side = -1 if down else 1
    others = [x[one] for one in near[node] if final or (row_of[one] - row_of[node]) * side > 0] if node in near else []
    return float(np.mean(others)) if others else x[node]


def _apart(row: list[str], wanted: dict[str, float], boxes: set[str]) -> dict[str, float]:
    """Places in this order near the wanted ones: the mean of what pushing to the right and to the left would give."""
    half = [_ROOM["box" if node in boxes else "joint"] for node in row]
    aims = np.array([wanted[node] for node in row])
    gaps = np.array([0.0, *(a + b for a, b in pairwise(half))])
    offset = np.cumsum(gaps)
    right = np.maximum.accumulate(aims - offset)
    left = np.minimum.accumulate((aims - offset)[::-1])[::-1]
    return dict(zip(row, ((right + left) / 2 + offset).tolist(), strict=True))
