"""The paper's method: move every pixel within its window until it rests, then link pixels to regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from .. import _check as check
from ..backends.images import SHAPES, Motion
from ..engine import Engine
from .linking import LINKINGS, Linking
from .merging import Merging
from .moving import move, warn_of_unfinished
from .pixels import Pixels
from .regions import merge_small
from .segmentation import Segmentation, reshaped

_BLOCKS = 2.0**24  # bytes of pixels processed at a time


@dataclass(frozen=True)
class Windows:
    """Checked options for moving and linking pixels; see `segment`."""

    motion: Motion
    linking: Linking
    merging: Merging | None

    @classmethod
    def of(
        cls,
        spatial: float | None,
        range: float | None,
        lam: float | None,
        linking: str | Linking | None,
        merging: Merging | None,
        n_iter: int | None,
        tol: float | None,
    ) -> Self:
        """Check options. None means the default: 8, 8 and 0; with merging alone 5, 3 and 5, which it was tuned for."""
        merges_alone = merging is not None and spatial is None and range is None and lam is None
        usual = (5.0, 3.0, 5.0) if merges_alone else (8.0, 8.0, 0.0)
        motion = Motion(
            check.positive(usual[0] if spatial is None else spatial, "spatial"),
            check.positive(usual[1] if range is None else range, "range"),
            check.lam(usual[2] if lam is None else lam),
            check.tolerance(0.0 if tol is None else tol, "tol"),
            check.count(100 if n_iter is None else n_iter, "n_iter", 1),
        )
        linked = _linking("adjacent" if linking is None else linking)
        if merging is not None and not isinstance(merging, Merging):
            raise ValueError(f"merging must be a Merging or None, got {merging!r}; Merging() has its defaults")
        return cls(motion, linked, merging)

    def segment(self, pixels: Pixels, min_size: int, engine: Engine) -> Segmentation:
        """Segment an image."""
        motion, axes = self.motion, len(pixels.shape)
        _reserve(pixels, motion.lam, self.linking, min_size > 1, self.merging is not None, engine)
        moved = move(pixels, pixels.features(engine), motion, engine)
        warn_of_unfinished(moved, motion.n_iter)
        labels, count = self.linking(moved.modes, pixels.mask, pixels.shape, motion.spatial, motion.range, engine)
        labels = labels.reshape(pixels.shape)
        if min_size > 1:
            labels, count = merge_small(labels, moved.modes, min_size, engine, axes)
        if self.merging is not None:
            values = moved.modes[:, axes:]
            labels, count = self.merging(labels, pixels.features(engine).T, values, motion.range, engine)
        return Segmentation(
            labels,
            reshaped(moved.modes, (*pixels.shape, moved.modes.shape[1])),
            pixels.image,
            pixels.painted(moved.modes, engine),
            count,
            reshaped(moved.n_iter, pixels.shape),
            moved.n_unfinished == 0,
            moved.n_swinging,
        )


def _reserve(pixels: Pixels, lam: float, linked: Linking, tidies: bool, merges: bool, engine: Engine) -> None:
    """Reject an image that will not fit in memory before moving pixels; borders are counted later, with the regions."""
    axes, channels = len(pixels.shape), pixels.n_features
    features = float(np.dtype(pixels.precision).itemsize * channels)
    moving = features + (SHAPES[axes] * 8.0 if lam > 0 else 32.0 if channels == 1 else 0.0)  # one channel is sorted
    image = pixels.image.nbytes / pixels.n
    regions = 24.0 + (features + 32.0 if merges else 0.0) if tidies or merges else 0.0
    later = 8.0 + max(linked.working_bytes(axes + channels), image, regions)  # a label, and the largest later step
    each = 8.0 * (axes + channels) + 5.0 + max(moving, later)
    slack = min((64.0 if pixels.space is None else 256.0) * pixels.n, _BLOCKS)  # color conversion needs the most
    engine.reserve(each * pixels.n + slack, f"segmenting {pixels.n} pixels", "segment parts of the image")


def _linking(linking: str | Linking) -> Linking:
    if isinstance(linking, Linking):
        return linking
    if linking not in LINKINGS:
        raise ValueError(f"linking must be one of {', '.join(LINKINGS)} or a Linking, got {linking!r}")
    return LINKINGS[linking]
