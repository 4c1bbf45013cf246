"""How well regions agree with those people drew."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import distance_transform_edt
from sklearn.metrics import adjusted_rand_score, rand_score

from .._shown import Tabled
from .._types import Bools, Floats, Ints
from ..engine import current
from .matlab import read_variable
from .regions import boundaries

_NEAR = 0.0075  # of the diagonal: how far a boundary may be off


@dataclass(frozen=True)
class Scores(Tabled):
    """Agreement of a segmentation with people's, means over the people.

    Attributes
    ----------
    covering : float
        Σ |R|·max IoU(R, R′) / pixels, over the person's regions R and the best of ours each; 1 is perfect.
    rand : float
        The Rand index, the share of pairs of pixels on which both agree; its mean over people is known as the
        probabilistic Rand index. 1 is perfect.
    adjusted_rand : float
        The Rand index, corrected for chance: 0 is chance, 1 perfect.
    variation : float
        Variation of information in bits; 0 is perfect.
    boundary : float
        Harmonic mean of the shares of our boundary near theirs and of theirs near ours, within 0.0075 of the diagonal.
        A boundary pixel may be near several: not the one-to-one matching of the Berkeley benchmark, whose values are
        somewhat lower.
    """

    covering: float
    rand: float
    adjusted_rand: float
    variation: float
    boundary: float


class _Lines(NamedTuple):
    """Boundary pixels of regions, and how far every pixel is from them."""

    marks: Bools
    away: Floats

    @classmethod
    def of(cls, labels: Ints) -> _Lines:
        marks = boundaries(labels) & ~boundaries(labels >= 0)  # where regions end at −1 says nothing
        return cls(marks, cast(Floats, distance_transform_edt(~marks)))


def score_segmentation(labels: ArrayLike, truths: Sequence[ArrayLike]) -> Scores:
    """Compare regions with those people drew.

    Parameters
    ----------
    labels : array of int
        Regions; pixels of −1 are left out.
    truths : sequence of arrays of int
        One a person; pixels of −1 are left out.

    Returns
    -------
    Scores

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.repeat([[0] * 4 + [1] * 4], 8, axis=0)
    >>> score_segmentation(truth, [truth])
    Scores(covering=1.0, rand=1.0, adjusted_rand=1.0, variation=0.0, boundary=1.0)
    >>> score_segmentation(np.zeros((8, 8), int), [truth])
    Scores(covering=0.5, rand=0.49206349206349204, adjusted_rand=0.0, variation=1.0, boundary=0.0)
    """
    ours = _regions(labels, "labels")
    theirs = [_regions(truth, "truths") for truth in truths]
    if not theirs:
        raise ValueError("truths must hold at least one segmentation, got none")
    for truth in theirs:
        if truth.shape != ours.shape:
            raise ValueError(f"truths must be a list of arrays of the shape of labels, {ours.shape}, got {truth.shape}")
    lines = _Lines.of(ours)
    return Scores(*np.mean([astuple(_scored(ours, lines, truth)) for truth in theirs], axis=0).tolist())


def read_bsds(file: str | os.PathLike[str]) -> list[Ints]:
    """People's segmentations from a `.mat` file of the Berkeley benchmark, one a person; regions are 0, 1, … there."""
    name = os.fspath(file)
    if not Path(file).is_file():
        raise FileNotFoundError(f"{name} is not there; give a .mat file of the Berkeley benchmark")
    current().reserve(2 * Path(file).stat().st_size, name, "raise the limit with wt.using(memory=…)")
    try:
        found = read_variable(Path(file).read_bytes(), "groundTruth", name)
        people = None if found is None else [entry["Segmentation"][0] for entry in found]
    except (ValueError, TypeError, KeyError, IndexError, struct.error, zlib.error) as error:
        raise ValueError(f"{name} is damaged, or no file of the Berkeley benchmark ({error!s:.200})") from None
    if people is None:
        raise ValueError(f"{name} must hold groundTruth, as files of the Berkeley benchmark do")
    if not all(isinstance(person, np.ndarray) and person.ndim == 2 and person.size for person in people):
        raise ValueError(f"{name} holds segmentations that are no pictures")
    return [_regions(person, name) - 1 for person in people]


def _regions(labels: ArrayLike, name: str) -> Ints:
    regions = np.asarray(labels)
    if regions.dtype.kind not in "iub":
        raise ValueError(f"{name} must be whole numbers, got dtype {regions.dtype}")
    if regions.size == 0:
        raise ValueError(f"{name} must hold at least one pixel, got shape {regions.shape}")
    return regions.astype(np.intp)


def _scored(ours: Ints, lines: _Lines, theirs: Ints) -> Scores:
    inside = (ours >= 0) & (theirs >= 0)
    if not inside.any():
        raise ValueError("labels and truths must have pixels in common that are not −1, they have none")
    a, b = ours[inside], theirs[inside]
    table = contingency(a, b)
    return Scores(
        covering(table), _rand(a, b), float(adjusted_rand_score(a, b)), _variation(table),
        _boundary(lines, _Lines.of(theirs), inside),
    )  # fmt: skip


def contingency(ours: Ints, theirs: Ints) -> Floats:
    """Pixels of each region of ours, a row, in each of theirs, a column."""
    a, b = (np.unique(part, return_inverse=True)[1] for part in (ours, theirs))
    height, width = int(a.max()) + 1, int(b.max()) + 1
    return np.bincount(a * width + b, minlength=height * width).reshape(height, width).astype(np.float64)


def covering(table: Floats) -> float:
    """Of each of their regions the best overlap with one of ours, by size."""
    ours, theirs = table.sum(axis=1, keepdims=True), table.sum(axis=0)
    overlap = table / (ours + theirs - table)
    return float(theirs @ overlap.max(axis=0) / table.sum())


def _rand(ours: Ints, theirs: Ints) -> float:
    return float(rand_score(ours, theirs)) if len(ours) > 1 else 1.0  # one pixel has no pairs


def _variation(table: Floats) -> float:
    """H(ours | theirs) + H(theirs | ours) = 2H(both) − H(ours) − H(theirs)."""
    both, ours, theirs = map(_entropy, (table, table.sum(axis=1), table.sum(axis=0)))
    return max(2 * both - ours - theirs, 0.0)


def _entropy(counts: Floats) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share @ np.log2(share)))


def _boundary(ours: _Lines, theirs: _Lines, inside: Bools) -> float:
    a, b = ours.marks & inside, theirs.marks & inside
    if not a.any() or not b.any():
        return float(a.any() == b.any())
    reach = _NEAR * float(np.linalg.norm(inside.shape))
    precision, recall = float((theirs.away[a] <= reach).mean()), float((ours.away[b] <= reach).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
