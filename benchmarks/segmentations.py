"""Human segmentations of photographs: their files, and scores of other segmentations against them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.io import loadmat
from scipy.ndimage import distance_transform_edt
from sklearn.metrics import adjusted_rand_score, rand_score

from wasserstein_transform._types import Bools, Floats, Ints
from wasserstein_transform.image.regions import boundaries

_NEAR = 0.0075  # tolerance of boundaries, as a fraction of the diagonal


@dataclass(frozen=True)
class Scores:
    """Agreement of a segmentation with human segmentations, averaged over people.

    Attributes
    ----------
    covering : float
        Mean over pixels of the largest IoU(R, R′), R the person's region and R′ any found region; 1 is perfect.
    rand : float
        The Rand index, the fraction of pairs of pixels on which both agree; its mean over people is known as the
        probabilistic Rand index. 1 is perfect.
    adjusted_rand : float
        The Rand index corrected for chance: 0 is chance level, 1 is perfect.
    variation : float
        Variation of information in bits; 0 is perfect.
    boundary : float
        F-measure of boundaries: the harmonic mean of the fraction of found boundary pixels near human ones and vice
        versa, within 0.0075 of the diagonal; 1 is perfect. A pixel may match several, unlike in the one-to-one matching
        of the Berkeley benchmark, whose values are somewhat lower.

    Examples
    --------
    >>> truth = np.repeat([[0] * 4 + [1] * 4], 8, axis=0)
    >>> scores = score_segmentation(np.zeros((8, 8), int), [truth])
    >>> scores.covering, scores.variation
    (0.5, 1.0)
    """

    covering: float
    rand: float
    adjusted_rand: float
    variation: float
    boundary: float


class Photo(NamedTuple):
    """An image and its human segmentations; hashed by its file."""

    file: Path

    @cache  # noqa: B019 - the cache may live as long as the run
    def image(self) -> Any:
        from skimage.io import imread  # noqa: PLC0415 - the other benchmarks need no image library

        return imread(self.file)

    @cache  # noqa: B019
    def truths(self) -> Any:
        return read_bsds(self.file.with_suffix(".mat"))


def photos_in(folder: str) -> list[Photo]:
    """All NAME.jpg and NAME.png of a folder that have a NAME.mat."""
    files = [*Path(folder).glob("*.jpg"), *Path(folder).glob("*.png")]
    return [Photo(file) for file in sorted(files) if file.with_suffix(".mat").exists()]


class _Lines(NamedTuple):
    """Boundary pixels of regions, and the distance of every pixel to the nearest of them."""

    marks: Bools
    away: Floats

    @classmethod
    def of(cls, labels: Ints) -> _Lines:
        marks = boundaries(labels) & ~boundaries(labels >= 0)  # borders to −1 are no boundaries
        return cls(marks, cast(Floats, distance_transform_edt(~marks)))


def score_segmentation(labels: ArrayLike, truths: Sequence[ArrayLike]) -> Scores:
    """Compare a segmentation with human segmentations.

    Parameters
    ----------
    labels : array of int, shape (h, w)
        Regions; pixels of −1 are ignored.
    truths : sequence of arrays of int, shape (h, w)
        One segmentation per person; pixels of −1 are ignored.

    Returns
    -------
    Scores
        Means over people.

    Notes
    -----
    Time O(pixels) per person, plus O(a·b) for a and b regions.

    Examples
    --------
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
    """Read human segmentations from a `.mat` file of the Berkeley benchmark (BSDS).

    Parameters
    ----------
    file : path
        A file with the variable `groundTruth`.

    Returns
    -------
    list of arrays of int, shape (h, w)
        One per person; regions are numbered from 0.
    """
    found = loadmat(file)
    if "groundTruth" not in found:
        raise ValueError(f"{os.fspath(file)} must hold groundTruth, as files of the Berkeley benchmark do")
    people = [person["Segmentation"][0, 0] for person in found["groundTruth"].ravel()]
    return [_regions(person, os.fspath(file)) - 1 for person in people]


def _regions(labels: ArrayLike, name: str) -> Ints:
    regions = np.asarray(labels)
    if regions.dtype.kind not in "iub":
        raise ValueError(f"{name} must be integers, got dtype {regions.dtype}")
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
    """Count the pixels of each region of ours (row) in each region of theirs (column)."""
    a, b = (np.unique(part, return_inverse=True)[1] for part in (ours, theirs))
    height, width = int(a.max()) + 1, int(b.max()) + 1
    return np.bincount(a * width + b, minlength=height * width).reshape(height, width).astype(np.float64)


def covering(table: Floats) -> float:
    """Return the mean best overlap of their regions with ours, weighted by size."""
    ours, theirs = table.sum(axis=1, keepdims=True), table.sum(axis=0)
    overlap = table / (ours + theirs - table)
    return float(theirs @ overlap.max(axis=0) / table.sum())


def _rand(ours: Ints, theirs: Ints) -> float:
    return float(rand_score(ours, theirs)) if len(ours) > 1 else 1.0  # one pixel makes no pair


def _variation(table: Floats) -> float:
    """Return H(ours | theirs) + H(theirs | ours) = 2H(both) − H(ours) − H(theirs)."""
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
