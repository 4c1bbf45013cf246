"""The nearest neighbors of every point, collected in one pass over distances in a file."""

from __future__ import annotations

import numpy as np

from ..._types import Floats, Ints
from ...engine import Engine
from ..forms import Filed
from ..records import Nearest
from ..source import Cell
from .filed import go_through

_MANY = 8  # if candidates are this many times the list lengths, the best are selected before sorting


class Lists:
    """The k best neighbors of every point so far, sorted by key, then distance, then index.

    Candidates must be offered to a point in order of increasing index: in a tie the first one stays.
    """

    def __init__(self, n: int, k: int) -> None:
        self.k = k
        self.keys, self.lengths = np.full((n, k), np.inf), np.full((n, k), np.inf)
        self.others = np.full((n, k), -1, np.intp)

    def offer(self, first: int, first_other: int, keys: Floats, lengths: Floats) -> None:
        """Offer the points from `first_other` on to those from `first` on, a row each; infinite keys are ignored."""
        own = slice(first, first + len(keys))
        better = self._better(keys, lengths, self.keys[own, -1:], self.lengths[own, -1:])
        if keys.shape[1] > self.k and np.count_nonzero(better) > _MANY * self.k * len(keys):
            last = np.partition(keys, self.k - 1, axis=1)[:, self.k - 1 : self.k]
            better &= keys <= last
        row, col = _places(better)
        if len(row):
            self._merge(first, row, keys[row, col], lengths[row, col], first_other + col)

    @staticmethod
    def _better(keys: Floats, lengths: Floats, worst: Floats, farthest: Floats) -> np.ndarray:
        better = keys < worst
        if lengths is not keys:
            better |= (keys == worst) & (lengths < farthest) & np.isfinite(keys)
        return np.asarray(better)

    def _merge(self, first: int, row: Ints, keys: Floats, lengths: Floats, others: Ints) -> None:
        """Merge better candidates into the lists; existing entries come first and stay in a tie."""
        asked = np.unique(row)
        points = first + asked
        owner = np.concatenate([np.repeat(asked, self.k), row])
        keys = np.concatenate([self.keys[points].ravel(), keys])
        lengths = np.concatenate([self.lengths[points].ravel(), lengths])
        others = np.concatenate([self.others[points].ravel(), others])
        order = np.lexsort((lengths, keys, owner))
        starts = np.searchsorted(owner[order], asked)
        best = order[(starts[:, None] + np.arange(self.k)).ravel()]
        shape = (len(asked), self.k)
        self.keys[points], self.lengths[points] = keys[best].reshape(shape), lengths[best].reshape(shape)
        self.others[points] = others[best].reshape(shape)


def _places(marks: np.ndarray) -> tuple[Ints, Ints]:
    """Row and column indices of the marks, by row; searched in memory order with flat indices, which is faster."""
    if marks.flags.c_contiguous:
        return np.divmod(np.flatnonzero(marks), marks.shape[1])
    col, row = np.divmod(np.flatnonzero(marks.T), marks.shape[0])
    order = np.argsort(row, kind="stable")
    return row[order], col[order]


def nearest(form: Filed, k: int, engine: Engine) -> Nearest:
    """The k nearest other points of every point."""
    lists = Lists(form.n, k)

    def look(cell: Cell, values: Floats) -> None:
        cell.bar(values, np.inf)
        offer_both(lists, cell, values, values)

    go_through(form.source, engine, "nearest neighbors", look)
    return Nearest(lists.lengths, lists.others)


def offer_both(lists: Lists, cell: Cell, keys: Floats, lengths: Floats) -> None:
    """Offer the rows of a cell to its columns, then the columns to the rows, so that indices increase for all."""
    turned = keys.T
    lists.offer(cell.left, cell.top, turned, turned if lengths is keys else lengths.T)
    lists.offer(cell.top, cell.left, keys, lengths)
