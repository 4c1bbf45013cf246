"""What words are to a backend: texts as numbers, contexts as compressed rows, covariances as packed factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Ints

Singles: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int32]


class Stretch(NamedTuple):
    """A part of a text: rows of words, and marks for words without one and for borders of documents.

    Attributes
    ----------
    kept : array of int32
    first, last : int
        The places whose contexts are counted; the rest is their context.
    """

    kept: Numbers
    first: int
    last: int


class ContextRows(NamedTuple):
    """Weights of contexts: those of word i are `weights[indptr[i]:indptr[i+1]]`, of the words `indices` there."""

    indptr: Ints
    indices: Numbers
    weights: Singles


class Spreads(NamedTuple):
    """What the covariances of words are made of.

    Σ(w) is the share of the word times the weighted mean of (v − c)(v − c)ᵀ over its contexts v, and the rest of the
    pooled covariance.

    Attributes
    ----------
    points : array of shape (n, m)
        Vectors, in single precision.
    contexts : ContextRows
    totals, shares : arrays of shape (n,)
        The weight of all contexts of each word, and the share of its own covariance.
    root : array of shape (m, m) or (0, m)
        A root of the pooled covariance; no rows if nothing is pooled.
    about : callable
        (word, mean of its contexts) → c. A value: it travels with tasks.
    """

    points: Singles
    contexts: ContextRows
    totals: Floats
    shares: Floats
    root: Floats
    about: Callable[[Floats, Floats], Floats]


class Packed(NamedTuple):
    """Factors R of covariances RᵀR: upper trapezoids of `ranks` rows, entry by entry, row by row, from `starts` on."""

    entries: Singles
    starts: Ints
    ranks: Ints
    m: int
