"""Photographs cut by contours, against human regions: `python -m benchmarks photographs=FOLDER`.

FOLDER has NAME.jpg (or .png) and NAME.mat as in the Berkeley benchmark. Weights are fitted on every other photograph,
from the first on, and scored on those between, then the other way round: at the fixed scale that is best where they
were fitted, and at the scale that the tree of each picture chooses; in color, in gray, and made dull: with less
contrast and color, some blur and noise. The best scale of each picture, known from its human segmentations, is a bound.
`python -m benchmarks photographs=fit:FOLDER` fits on all of them and prints the weights of `image/joining.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

from wasserstein_transform.engine import current
from wasserstein_transform.image import RegionTree, segment
from wasserstein_transform.image.contours import completed, lightness
from wasserstein_transform.image.joining import Weights, joined, weighed
from wasserstein_transform.image.seams import NAMES, Evidence
from wasserstein_transform.image.sizes import reduced
from wt_paper.experiments.scores import adjusted_rand

from .segmentations import Photo, contingency, covering, photos_in
from .timing import Row, median_seconds

_ROUNDS = 3
_PENALTY = 1e-5  # on the squared weights
_LEVELS = (400, 200, 100, 50, 25, 12, 6, 3)  # numbers of regions at which seams are collected
_SCALES = np.linspace(0.2, 0.9, 36)
_PEER = tuple(product((200, 400, 800), (0.8,), (300, 1000)))  # felzenszwalb's scale, σ and min_size


class View(NamedTuple):
    """A photograph, as it is, in gray, or dull."""

    photo: Photo
    look: str = "color"

    def image(self) -> Any:
        """Of shape (h, w, 3), or (h, w)."""
        rgb = self.photo.image()
        gray = np.rint(rgb @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
        return gray if self.look == "gray" else _dulled(rgb, gray, self.photo.file.stem) if self.look == "dull" else rgb

    def truths(self) -> Any:
        """The human segmentations."""
        return self.photo.truths()


def _dulled(rgb: Any, gray: Any, name: str) -> Any:
    """Less contrast and color, blurred, with noise; how much depends on the name."""
    rng = np.random.default_rng(list(name.encode()))
    pale = gray[..., None] + rng.uniform(0.2, 0.8) * (rgb - 1.0 * gray[..., None])
    share = rng.uniform(0.25, 0.7)
    hazy = gaussian_filter(share * pale + (1 - share) * rng.uniform(60, 190), (*(rng.uniform(0.3, 0.9),) * 2, 0))
    return np.clip(np.rint(hazy + rng.normal(scale=rng.uniform(0, 2), size=hazy.shape)), 0, 255).astype(np.uint8)


@cache
def _evidence(photo: View) -> Evidence:
    image = photo.image()
    values, in_color = lightness(reduced(image, None, image.ndim == 3), image.ndim == 3)
    return Evidence.of(values, in_color, None, current())


@cache
def _tables(photo: View) -> list[Any]:
    """Number of pixels of each finest region in each human region."""
    labels = _evidence(photo).labels.ravel()
    return [contingency(labels, truth.ravel()) for truth in photo.truths()]


def _tree(photo: View, fit: Weights) -> RegionTree:
    found = _evidence(photo)
    return RegionTree(found.labels, *completed(*joined(found, current(), fit), len(found.sizes)))


def _pooled(found: Evidence, new: Any) -> Evidence:
    """Combined evidence of merged regions."""
    n = int(new.max()) + 1
    ends = np.sort(new[found.ends], axis=1)
    apart = ends[:, 0] != ends[:, 1]
    keys, seam = np.unique(ends[apart, 0] * n + ends[apart, 1], return_inverse=True)
    return Evidence(
        found.labels, np.stack(np.divmod(keys, n), axis=1), _sums(found.lengths[apart], seam, len(keys)),
        _sums(found.cues[apart], seam, len(keys)), _sums(found.sizes, new, n), _sums(found.counts, new, n),
        found.histograms,
    )  # fmt: skip


def _sums(rows: Any, into: Any, n: int) -> Any:
    return csr_array((np.ones(len(into)), (into, np.arange(len(into)))), (n, len(into))) @ rows


def _examples(photo: View, fit: Weights) -> tuple[Any, Any, Any]:
    """Evidence of all seams at some levels of a tree, the share of annotators who drew them, and the pixels counted."""
    tree, found, tables, rows = _tree(photo, fit), _evidence(photo), _tables(photo), []
    for n in (n for n in _LEVELS if n < tree.n_finest):
        new = tree.parts(tree.n_finest - n)
        level = _pooled(found, new)
        home = np.stack([_sums(table, new, n).argmax(axis=1) for table in tables])
        a, b = level.ends.T
        drawn = (home[:, a] != home[:, b]).mean(axis=0)
        rows.append((weighed(level), drawn, np.minimum(level.sizes[a], level.sizes[b]) / level.sizes.sum()))
    evidence, drawn, counts = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    return evidence, drawn, counts


def fitted(photos: Sequence[View]) -> Weights:
    """Fit the weights in several rounds, as the seams found depend on the weights; the seams of all rounds are kept."""
    fit, seen = _first(), []
    for _ in range(_ROUNDS):
        seen += [_examples(photo, fit) for photo in photos]
        evidence, drawn, counts = (np.concatenate(parts) for parts in zip(*seen, strict=True))
        fit = _regression(evidence, drawn, counts)
    return fit


def _first() -> Weights:
    """Weights set by hand: for some contrasts and for the size."""
    weights = np.zeros(len(NAMES))
    weights[[0, 1, 2, 5, 6, 9, 10, 13, 14]] = 0.25, 0.25, 0.2, 0.4, 0.2, 0.35, 0.2, 1.5, 1.0
    weights[NAMES.index("log of the smaller share")] = 0.2
    return Weights(weights, -4.0)


def _regression(evidence: Any, drawn: Any, counts: Any) -> Weights:
    """Logistic regression with weights ≥ 0, but for logarithms: contrast and distance never speak against a seam."""
    spread = evidence.std(axis=0) + 1e-12
    rows, share = np.column_stack([evidence / spread, np.ones(len(evidence))]), counts / counts.sum()

    def loss(weights: Any) -> tuple[float, Any]:
        odds = rows @ weights
        slope = rows.T @ (share * (expit(odds) - drawn))
        penalty = _PENALTY * weights[:-1] @ weights[:-1]
        slope[:-1] += 2 * _PENALTY * weights[:-1]
        return float(share @ (np.logaddexp(0.0, odds) - drawn * odds) + penalty), slope

    bounds = [(None if name.startswith("log") else 0.0, None) for name in (*NAMES, "log odds")]
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 500})
    return Weights(found.x[:-1] / spread, float(found.x[-1]))


def _curve(photo: View, fit: Weights) -> Any:
    """Covering, adjusted Rand index and number of regions at all scales, and at the scale that the tree chooses."""
    tree, rows, before = _tree(photo, fit), [], -1
    for scale in (*_SCALES, tree.choose_scale()):
        n = tree.n_segments(scale)
        if n != before:
            new = tree.parts(tree.n_finest - n)
            pooled = [_sums(table, new, n) for table in _tables(photo)]
            found = np.mean([(covering(table), adjusted_rand(table)) for table in pooled], axis=0)
        rows.append((*found, n))
        before = n
    return np.array(rows)


def run(folder: str | None = None) -> list[Row]:
    if folder is None:
        print("photographs: no folder given: python -m benchmarks photographs=FOLDER", file=sys.stderr)
        return []
    if folder.startswith("fit:"):
        photos = photos_in(folder.removeprefix("fit:"))
        for name, look in (("COLOR", "color"), ("GRAY", "gray")):
            _print_weights(name, fitted([View(photo, look) for photo in photos]))
        return []
    photos = photos_in(folder)
    print(
        "| method | fitted and chosen on | scored on | scale | regions | covering | adjusted rand |\n"
        "|---|---|---|---|---|---|---|"
    )
    halves = photos[::2], photos[1::2]
    fits = {look: [fitted([View(photo, look) for photo in half]) for half in halves] for look in ("color", "gray")}
    for look, name in (("color", "`wt.segment`"), ("gray", "in gray"), ("dull", "made dull")):
        _both_ways(halves, look, name, fits["gray" if look == "gray" else "color"])
    _peer_both_ways(photos)
    return [_timed(photos[0])]


def _timed(photo: Photo) -> Row:
    image = photo.image()
    size = " × ".join(map(str, image.shape[:2]))
    ours, theirs = median_seconds(lambda: segment(image)), median_seconds(lambda: _peer_labels(photo, _PEER[0]))
    return Row(f"contours of {size} pixels", f"{ours:.2f} s", f"felzenszwalb: {theirs:.2f} s", f"{theirs / ours:.1f}×")


def _both_ways(halves: tuple[list[Photo], list[Photo]], look: str, name: str, fits: list[Weights]) -> None:
    """Print rows for each way, and for both together."""
    both = []
    for known, way in ((0, "A | B"), (1, "B | A")):
        there, here = (
            np.array([_curve(View(photo, look), fits[known]) for photo in half])
            for half in (halves[known], halves[1 - known])
        )
        best = int(there.mean(axis=0)[:-1, :2].sum(axis=1).argmax())
        bound = here[np.arange(len(here)), here[:, :-1, 0].argmax(axis=1)]
        both.append([here[:, best], here[:, -1], bound])
        if look == "color":
            _print(f"{name}, scale chosen", way, f"{_SCALES[best]:.2f}", both[-1][0].mean(axis=0))
            _print(f"{name}, scale of each picture", way, "", both[-1][1].mean(axis=0))
    kinds = "scale chosen", "scale of each picture", "best scale of each picture, from its human segmentations"
    for k, kind in enumerate(kinds):
        bold = "**" if look == "color" and k < 2 else ""
        scores = np.concatenate([rows[k] for rows in both]).mean(axis=0)
        _print(f"{bold}{name}, {kind}{bold}", "the other half | all", "", scores)


def _print(name: str, way: str, scale: str, scores: Any) -> None:
    print(f"| {name} | {way} | {scale} | {scores[2]:.0f} | {scores[0]:.3f} | {scores[1]:.3f} |", flush=True)


def _peer_both_ways(photos: Sequence[Photo]) -> None:
    scores = np.array([[_peer(photo, setting) for photo in photos] for setting in _PEER])
    both = []
    for known in (0, 1):
        best = int(scores[:, known::2, :2].sum(axis=2).mean(axis=1).argmax())
        both.append(scores[best, 1 - known :: 2])
    _print("felzenszwalb (scikit-image)", "the other half | all", "", np.concatenate(both).mean(axis=0))


def _peer(photo: Photo, setting: tuple[Any, ...]) -> tuple[float, float, float]:
    labels = _peer_labels(photo, setting)
    tables = [contingency(labels.ravel(), truth.ravel()) for truth in photo.truths()]
    found = np.mean([(covering(table), adjusted_rand(table)) for table in tables], axis=0)
    return float(found[0]), float(found[1]), float(labels.max() + 1)


def _peer_labels(photo: Photo, setting: tuple[Any, ...]) -> Any:
    from skimage.segmentation import felzenszwalb  # noqa: PLC0415

    scale, sigma, min_size = setting
    return felzenszwalb(photo.image(), scale=scale, sigma=sigma, min_size=min_size)


def _print_weights(name: str, fit: Weights) -> None:
    print(f"{name} = Weights(\n    np.array([")
    for part, weight in zip(NAMES, fit.values, strict=True):
        print(f"        {weight:.4f},  # {part}")
    print(f"    ]),\n    {fit.bias:.4f},\n)\n", flush=True)
