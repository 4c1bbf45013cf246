"""What all vectors share is taken away before they are compared: a mean, common components, unequal variances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._parts import Part
from .._types import Floats
from ..engine import Engine, current, one_blas_thread
from .blocks import row_blocks
from .vectors import Singles, WordVectors, mean_of

_NOTHING = 1e-5  # of a unit vector: what rounding leaves


class Cleaning(Part):
    """What is done to all vectors before anything else; the result has unit vectors of its own."""

    def __call__(self, vectors: WordVectors) -> WordVectors:
        """Clean vectors; words that had nothing of their own are left out."""
        raise NotImplementedError


@dataclass(frozen=True)
class Common(Cleaning):
    """What vectors have in common is removed: their mean, then their first principal components.

    Unit vectors lose their mean and the `n_components` directions of largest variance; what is left is scaled to
    length 1 again. (Mu and Viswanath, "All-but-the-top".)

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = words.WordVectors.of(["a", "b", "c"], [[1.0, 0.0, 0.1], [1.0, 0.1, 0.0], [1.0, 0.0, -0.1]])
    >>> abs(words.Common(n_components=0)(vectors).matrix.mean(axis=0)).max().round(5)
    np.float32(0.0)
    """

    n_components: int = 1

    def __post_init__(self) -> None:
        check.count(self.n_components, "n_components", 0)

    def __call__(self, vectors: WordVectors) -> WordVectors:
        """Vectors without what they have in common; words that had nothing else are left out."""
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
    """Directions in which all words vary much count less: each principal axis is divided by (its variance)^(power/2).

    Unit vectors lose their mean; then `power` 0 changes nothing more, and 1 makes all variances equal. It is a softer
    `Common`: no direction is lost, and there is no number of components to choose. Axes stay where they were. Variances
    v of n words in m dimensions are taken as (n·v + m·v̄)/(n + m), v̄ their mean, so that few words do not make noise
    large. Cost: O(n·m²) time; beside the result, memory for some thousand rows.

    Parameters
    ----------
    power : float, 0 to 1

    Examples
    --------
    >>> import numpy as np
    >>> from wasserstein_transform import words
    >>> spread = np.random.default_rng(0).normal(size=(5000, 3)) * [9.0, 1.0, 1.0]
    >>> white = words.Whiten(1.0)(words.WordVectors.of(map(str, range(5000)), spread))
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
        """The symmetric matrix that vectors are multiplied with; the mean variance stays what it was."""
        variances, axes = np.linalg.eigh(scatter / n)
        mean = max(float(variances.mean()), 1e-30)
        ratios = (n * np.maximum(variances, 0.0) / mean + len(scatter)) / (n + len(scatter))
        return np.asarray((axes * ratios ** (-0.5 * self.power)) @ axes.T)


def _scatter(unit: Singles, mean: Floats, engine: Engine) -> Floats:
    """The sum of (w − mean)(w − mean)ᵀ over all words."""
    out = np.zeros((len(mean), len(mean)))
    for part in row_blocks(len(unit), "variances", engine):
        off = unit[part] - mean
        out += off.T @ off
    return out


def _without_zeros(vectors: WordVectors, rest: Singles) -> WordVectors:
    rest[np.linalg.norm(rest, axis=1) < _NOTHING] = 0.0
    if not rest.any():
        raise ValueError(
            f"nothing is left of {len(vectors)} vectors without what they have in common: all point the same way; "
            "give more words"
        )
    return WordVectors.of(vectors.words, np.ascontiguousarray(rest, np.float32))
