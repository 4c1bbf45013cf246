"""Remove what all word vectors share before they are compared: their mean, common components, unequal variances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._parts import Part
from .._types import Floats
from ..engine import Engine, current, one_blas_thread
from .blocks import row_blocks
from .vectors import Singles, WordVectors, mean_of

_NOTHING = 1e-5  # length relative to a unit vector below which only rounding errors are left


class Cleaning(Part):
    """Base class of steps that clean all vectors before contexts are counted.

    A subclass defines `__call__`, which maps WordVectors to WordVectors; `WordTransform(common=…)` applies it first.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> class FirstTwo(words.cleaning.Cleaning):
    ...     def __call__(self, vectors):
    ...         return words.WordVectors.of(vectors.words, vectors.matrix[:, :2])
    >>> FirstTwo()(words.WordVectors.of(["a", "b"], [[3.0, 4.0, 1.0], [0.0, 2.0, 5.0]]))
    <WordVectors of 2 words in R^2>
    """

    def __call__(self, vectors: WordVectors) -> WordVectors:
        """Return the cleaned vectors; words whose vector becomes zero are left out."""
        raise NotImplementedError


@dataclass(frozen=True)
class Common(Cleaning):
    """Remove the mean of all vectors, then their first principal components.

    Vectors are scaled to length 1; then their mean and the `n_components` directions of largest variance are
    subtracted. (Mu and Viswanath, "All-but-the-top".)

    Parameters
    ----------
    n_components : int, default 1
        Number of principal components to remove, less than the dimension; 0 removes only the mean.

    Notes
    -----
    Time O(n·m²), memory O(n·m), for n words in m dimensions.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = words.WordVectors.of(["a", "b", "c"], [[1.0, 0.0, 0.1], [1.0, 0.1, 0.0], [1.0, 0.0, -0.1]])
    >>> abs(words.cleaning.Common(n_components=0)(vectors).matrix.mean(axis=0)).max().round(5)
    np.float32(0.0)
    """

    n_components: int = 1

    def __post_init__(self) -> None:
        check.count(self.n_components, "n_components", 0)

    def __call__(self, vectors: WordVectors) -> WordVectors:
        """Return the vectors without the common part; words whose vector becomes zero are left out."""
        if self.n_components >= vectors.m:
            raise ValueError(f"n_components must be less than the {vectors.m} dimensions, got {self.n_components}")
        unit = vectors.unit
        rest = np.asarray(unit - mean_of(unit).astype(np.float32))
        if self.n_components:
            _, axes = np.linalg.eigh(rest.T.astype(np.float64) @ rest)
            top = axes[:, ::-1][:, : self.n_components].astype(np.float32)
            rest = np.asarray(rest - (rest @ top) @ top.T, np.float32)
        return _without_zeros(vectors, rest)


@dataclass(frozen=True)
class Whiten(Cleaning):
    """Whiten vectors partly: divide each principal axis by (its variance)^(power/2).

    Directions in which all words vary a lot then count less. Vectors are scaled to length 1 and lose their mean; with
    `power` 0 nothing else changes, with 1 all variances become equal. This is a softer `Common`: no direction is lost,
    and no number of components must be chosen. The result is in the original coordinates, not in those of the principal
    axes. Variances v of n words in m dimensions are regularized to (n·v + m·v̄)/(n + m), where v̄ is their mean, so that
    noise is not amplified when there are few words.

    Parameters
    ----------
    power : float, 0 to 1, default 0.75
        Strength: 0 removes only the mean, 1 makes all variances equal.

    Notes
    -----
    Time O(n·m²); besides the result, memory for a block of a few thousand rows.

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> spread = np.random.default_rng(0).normal(size=(5000, 3)) * [9.0, 1.0, 1.0]
    >>> white = words.cleaning.Whiten(1.0)(words.WordVectors.of(map(str, range(5000)), spread))
    >>> np.round(white.matrix.var(axis=0) / white.matrix.var(), 1)
    array([1., 1., 1.], dtype=float32)
    """

    power: float = 0.75

    def __post_init__(self) -> None:
        if not 0 <= check.tolerance(self.power, "power") <= 1:
            raise ValueError(f"power must lie between 0 and 1, got {self.power!r}")

    def __call__(self, vectors: WordVectors) -> WordVectors:
        unit, engine = vectors.unit, current()
        engine.reserve(4.0 * unit.size, f"whitened vectors of {len(vectors)} words", "take fewer words")
        mean = mean_of(unit)
        with engine.watched() as engine, one_blas_thread():
            change = self._change(_scatter(unit, mean, engine), len(unit))
            white = np.empty_like(unit)
            for part in row_blocks(len(unit), "whitening", engine):
                white[part] = (unit[part] - mean) @ change
        return _without_zeros(vectors, white)

    def _change(self, scatter: Floats, n: int) -> Floats:
        """Return the symmetric matrix that vectors are multiplied by; it keeps the mean variance about the same."""
        variances, axes = np.linalg.eigh(scatter / n)
        mean = max(float(variances.mean()), 1e-30)
        ratios = (n * np.maximum(variances, 0.0) / mean + len(scatter)) / (n + len(scatter))
        return np.asarray((axes * ratios ** (-0.5 * self.power)) @ axes.T)


def _scatter(unit: Singles, mean: Floats, engine: Engine) -> Floats:
    """Return the sum of (w − mean)(w − mean)ᵀ over all words."""
    out = np.zeros((len(mean), len(mean)))
    for part in row_blocks(len(unit), "variances", engine):
        off = unit[part] - mean
        out += off.T @ off
    return out


def _without_zeros(vectors: WordVectors, rest: Singles) -> WordVectors:
    rest[np.linalg.norm(rest, axis=1) < _NOTHING] = 0.0
    if not rest.any():
        raise ValueError(
            f"nothing is left of {len(vectors)} vectors after their common part is removed: all point the same way; "
            "give more words"
        )
    return WordVectors.of(vectors.words, np.ascontiguousarray(rest, np.float32))
