"""What the clusters are: typical values of the columns, and how each cluster differs from the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._display import HasPlot, counted, frame, listed, table
from .._types import Floats, Ints

_TELLING = 0.5  # standard deviations from which on a difference tells a cluster apart
_DIGITS = 2  # of medians, after the first digit of their range
_LETTERS = 24  # of the name of a column
_WIDTH, _LINES = 100, 8  # characters in a line of text, and columns that are shown in lines
_CLUSTERS, _COLUMNS = 12, 30  # the most that are shown elsewhere


@dataclass(frozen=True, eq=False, repr=False)
class Profile(HasPlot):
    """Typical values of clusters, and how they differ from the other clusters; `Clustering.profile` makes it.

    Attributes
    ----------
    names : tuple of str
        Names of the m columns; () if only distances are known.
    sizes : array of int, shape (k,)
        Number of points in each cluster.
    rows : array of int, shape (k,)
        A typical row of each cluster: the one nearest to all others of the cluster.
    typical : array of shape (k, m)
        Medians; each is a value that occurs.
    differences : array of shape (k, m)
        Mean of the cluster minus mean of the other clusters, in standard deviations of the column. Noise does not
        count.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> profile = wt.cluster([[0.0, 1.0], [0.1, 2.0], [0.2, 1.0], [5.0, 1.0], [5.1, 2.0]]).profile()
    >>> print(profile)
    cluster            0          1
    points             3          2
    x        0.1 (-2.0*)  5 (+2.0*)
    y           1 (-0.3)   1 (+0.3)
    medians (and differences from the other clusters in standard deviations; * the largest)
    >>> profile.telling
    (('x',), ('x',))
    """

    names: tuple[str, ...]
    sizes: Ints
    rows: Ints
    typical: Floats
    differences: Floats

    @property
    def columns(self) -> Ints:
        """The columns, the most telling first."""
        return np.argsort(-np.abs(self.differences).max(axis=0, initial=0.0), kind="stable")

    @property
    def telling(self) -> tuple[tuple[str, ...], ...]:
        """The columns that tell each cluster apart, the strongest first."""
        return tuple(tuple(self.names[j] for j in self._telling(c)) for c in range(len(self.sizes)))

    def _telling(self, cluster: int) -> list[int]:
        size = np.abs(self.differences[cluster])
        return [int(j) for j in np.argsort(-size, kind="stable") if size[j] >= _TELLING]

    @property
    def table(self) -> dict[str, list[Any]]:
        """A row for each cluster and column, the most telling first; without columns, a row for each cluster."""
        k, m = self.differences.shape
        found: dict[str, list[Any]] = {
            name: np.repeat(values, max(m, 1)).tolist()
            for name, values in (("cluster", np.arange(k)), ("points", self.sizes), ("typical_row", self.rows))
        }
        if m:
            order = np.argsort(-np.abs(self.differences), axis=1, kind="stable")
            found["column"] = [self.names[j] for j in order.ravel()]
            found["median"] = np.take_along_axis(self.typical, order, 1).ravel().tolist()
            found["difference"] = np.take_along_axis(self.differences, order, 1).ravel().tolist()
        return found

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame."""
        return frame(self.table)

    def cells(self, n_clusters: int = _CLUSTERS, n_columns: int = _COLUMNS) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of a table to read: a column for each of the largest clusters, telling rows first."""
        clusters = range(len(self.sizes))[:n_clusters]
        rows = [["points", *(f"{self.sizes[c]:,}" for c in clusters)]]
        if not self.names:
            rows.append(["typical row", *(str(self.rows[c]) for c in clusters)])
        rows += [
            [shortened(self.names[j], _LETTERS), *(self._cell(c, j) for c in clusters)]
            for j in self.columns[:n_columns]
        ]
        return ["cluster", *map(str, clusters)], rows

    def value(self, cluster: int, column: int) -> str:
        """Return the median of a cluster with as many digits as tell it from those of the others."""
        value, known = self.typical[cluster, column], self.typical[~np.isnan(self.typical[:, column]), column]
        spread = float(np.ptp(known)) if len(known) else 0.0
        digits = _DIGITS - math.floor(math.log10(spread)) if spread > 0 else None
        if np.isnan(value):
            return "unknown"
        return f"{value:.4g}" if digits is None else f"{round(float(value), digits) + 0.0:.7g}"

    def _cell(self, cluster: int, column: int) -> str:
        mark = "*" * (column in self._telling(cluster)[:1])
        return f"{self.value(cluster, column)} ({round(self.differences[cluster, column], 1) + 0.0:+.1f}{mark})"

    def _legend(self, n_clusters: int, n_columns: int) -> list[str]:
        over = {"more cluster": len(self.sizes) - n_clusters, "more column": len(self.names) - n_columns}
        left = listed([counted(n, noun) for noun, n in over.items() if n > 0])
        said = "medians (and differences from the other clusters in standard deviations; * the largest)"
        return [said] * bool(self.names) + [left] * bool(left)

    def __repr__(self) -> str:
        return f"<Profile: {counted(len(self.sizes), 'cluster')}, {counted(len(self.names), 'column')}>"

    def __str__(self) -> str:
        n = min(len(self.sizes), _CLUSTERS)
        while len((lines := _aligned(*self.cells(n, _LINES)))[0]) > _WIDTH and n > 1:
            n -= 1
        return "\n".join([*lines, *self._legend(n, _LINES)])

    def _repr_html_(self) -> str:
        return table("; ".join(self._legend(_CLUSTERS, _COLUMNS)), *self.cells())


def shortened(name: str, letters: int) -> str:
    """Return the beginning of a long name."""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _aligned(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return lines of equal length: names to the left, numbers to the right."""
    first, *widths = (max(map(len, column)) for column in zip(head, *rows, strict=True))
    return [
        "  ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))])
        for name, *cells in (head, *rows)
    ]


def profile_of(labels: Ints, weights: Floats, names: tuple[str, ...], values: Floats, rows: Ints) -> Profile:
    """Return the profile of clusters 0, 1, … with a typical row each; gaps in the values are NaN, noise is −1."""
    own, k = labels >= 0, len(rows)
    labels, weights, columns = labels[own], weights[own], values[own].T
    typical = [[_median(x[labels == c], weights[labels == c]) for x in columns] for c in range(k)]
    differences = [_differences(x, labels, weights, k) for x in columns]
    return Profile(
        names,
        np.bincount(labels, minlength=k),
        rows,
        np.array(typical).reshape(k, len(names)),
        np.array(differences).reshape(len(names), k).T,
    )


def _median(values: Floats, weights: Floats) -> float:
    """Return the lowest known value that half of the weight does not exceed."""
    known = ~np.isnan(values) & (weights > 0)
    if not known.any():
        return np.nan
    order = np.argsort(values[known], kind="stable")
    held = np.cumsum(weights[known][order])
    return float(values[known][order][np.searchsorted(held, held[-1] * (0.5 - 1e-9))])


def _differences(values: Floats, labels: Ints, weights: Floats, k: int) -> Floats:
    """Return mean minus mean of the other clusters in standard deviations; 0 where one of them is unknown."""
    known = ~np.isnan(values)
    labels, weights, largest = labels[known], weights[known], np.abs(values[known]).max(initial=0.0) or 1.0
    held = np.bincount(labels, weights, k)
    x = values[known] / largest
    x = x - weights @ x / (held.sum() or 1.0)
    sums, rest = np.bincount(labels, weights * x, k), held.sum() - held
    spread = np.sqrt(weights @ x**2 / (held.sum() or 1.0))
    there = (held > 0) & (rest > 1e-12 * held.sum()) & (spread > 1e-9)
    means = sums / np.where(there, held, 1.0) + sums / np.where(there, rest, 1.0)  # all sums are 0 together
    return np.where(there, means / (spread or 1.0), 0.0)
