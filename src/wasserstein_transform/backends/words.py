"""Words for the backends: texts as integers, contexts as compressed rows, covariances as packed factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Ints

Singles: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int32]


class Stretch(NamedTuple):
    """A part of a text as indices of words, with marks for words without an index and for borders of documents.

    Attributes
    ----------
    kept : array of int32
    first, last : int
        The range of positions whose contexts are counted; the rest is only context.
    """

    kept: Numbers
    first: int
    last: int


class ContextRows(NamedTuple):
    """Contexts of word i: the words `indices[indptr[i]:indptr[i+1]]`, with `weights` at the same positions."""

    indptr: Ints
    indices: Numbers
    weights: Singles


class Spreads(NamedTuple):
    """The data for the covariances of words.

    Σ(w) = share·(weighted mean of (v − c)(v − c)ᵀ over the contexts v of w) + (1 − share)·(pooled covariance).

    Attributes
    ----------
    points : array of shape (n, m)
        Vectors, in single precision.
    contexts : ContextRows
    totals, shares : arrays of shape (n,)
        The total weight of the contexts of each word, and the share of its own covariance.
    root : array of shape (m, m) or (0, m)
        A root of the pooled covariance; no rows if nothing is pooled.
    about : callable
        Function (word, mean of its contexts) → c. It must be picklable.
    """

    points: Singles
    contexts: ContextRows
    totals: Floats
    shares: Floats
    root: Floats
    about: Callable[[Floats, Floats], Floats]


class Packed(NamedTuple):
    """Factors R of covariances RᵀR: upper trapezoids with `ranks` rows, stored row by row from `starts` on."""

    entries: Singles
    starts: Ints
    ranks: Ints
    m: int
