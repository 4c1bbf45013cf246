"""Contexts without a corpus: each word's nearest neighbors in the embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .. import _check as check
from .._types import Ints
from .reading import as_vectors

_BLOCK = 1024  # words at a time


def nearest_contexts(vectors: Any, k: int = 30, rows: Ints | None = None) -> csr_array:
    """Find the k nearest words of each word by angle, as contexts for `WordTransform.fit`.

    Parameters
    ----------
    vectors : WordVectors, path, dict, or gensim's KeyedVectors
        The vectors of n words.
    k : int, default 30
        Number of neighbors of each word, itself excluded; at most n − 1 are used.
    rows : array of int, optional
        Only the words of these rows get contexts; None means all.

    Returns
    -------
    csr_array of shape (n, n)
        1 where a word (column) is among the k nearest of another (row).

    Notes
    -----
    Time O(n²·m) for n words in m dimensions; memory O(n·k) plus a block of 1,024 rows of similarities.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, -0.1], "ran": [0.0, 1.0], "sat": [0.1, 1.0]}
    >>> words.nearest_contexts(vectors, 1).toarray().argmax(axis=1)
    array([1, 0, 3, 2])
    """
    known = as_vectors(vectors)
    n, unit = len(known), known.unit
    k = min(check.count(k, "k", 1), n - 1)
    asked = np.arange(n) if rows is None else _rows(rows, n)
    columns = np.empty((len(asked), k), np.int32)
    for start in range(0, len(asked), _BLOCK):
        part = asked[start : start + _BLOCK]
        angles = unit[part] @ unit.T
        angles[np.arange(len(part)), part] = -np.inf
        columns[start : start + _BLOCK] = np.sort(np.argpartition(angles, -k, axis=1)[:, -k:], axis=1)
    sizes = np.zeros(n, np.int64)
    sizes[asked] = k
    values = np.ones(columns.size, np.float32)
    return csr_array((values, columns.ravel(), np.append(0, np.cumsum(sizes))), shape=(n, n))


def _rows(rows: Ints, n: int) -> Ints:
    """Check rows; return them sorted and without repetition."""
    asked = np.asarray(rows)
    if asked.size and (asked.ndim != 1 or asked.dtype.kind not in "iu" or asked.min() < 0 or asked.max() >= n):
        raise ValueError(f"rows must be a list of whole numbers from 0 to {n - 1}, got {rows!r}")
    return np.unique(asked).astype(np.intp)
