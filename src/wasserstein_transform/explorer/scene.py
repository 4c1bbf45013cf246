"""What the views show, as arrays: views draw it and know nothing of how it was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shown import Brief
from .._types import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Brief):
    """How many neighbors a radius has: radii, the mean number of points within each, and the radius suggested."""

    radii: Floats
    counts: Floats
    suggested: float
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Scene(Brief):
    """One state of the page. What is None has not been computed, or there is none.

    Attributes
    ----------
    title : str
        Name of the data set.
    axes : (str, str)
        What the two directions of `frames` are called.
    frames : float32 array of shape (T + 1, n, 2)
        Where the points are after 0, …, T iterations; where points do not move (local truncation), all alike.
    covariances : float32 array of shape (T + 1, n, 3), optional
        xx, xy and yy of the Gaussian of each point in each frame, not scaled by λ: those of the metric of that state;
        None where neighborhoods have no shape.
    eps, lam : float
        In frame t the ball of a point are the points with |x − y|² + λ·bures² ≤ ε².
    planar : bool
        Whether frames are all there is to a point: balls can be told from them. False for projections and distances.
    tree : array of shape (n − 1, 4), optional
        SciPy's linkage of the last metric.
    embedding : float32 array of shape (n, 2), optional
        Classical scaling of the last metric.
    matrix : float32 array of shape (k, k), optional
        Distances of the points `shown`, in the order of the leaves of the tree.
    shown : integer array of shape (k,), optional
    curve : Curve, optional
    truth : integer array of shape (n,), optional
        Known labels.
    labels : integer array of shape (n,), optional
        What `wt.cluster` found; −1 is noise.
    rows : integer array of shape (n,)
        The rows of the data these points are: not all where there are too many.
    code : str
        Python that computes the same.
    notes : tuple of str
        What a reader must know: what was sampled, warnings.
    taus : tuple of int
        The iteration of each frame where some were left out; empty if frames are iterations 0, …, T.
    lines : tuple of arrays of shape (k, 2)
        Lines to draw over the points, such as those of a skeleton.
    """

    title: str
    axes: tuple[str, str]
    frames: NDArray[np.float32]
    rows: Ints
    eps: float
    lam: float = 0.0
    covariances: NDArray[np.float32] | None = None
    planar: bool = True
    tree: Floats | None = None
    embedding: NDArray[np.float32] | None = None
    matrix: NDArray[np.float32] | None = None
    shown: Ints | None = None
    curve: Curve | None = None
    truth: Ints | None = None
    labels: Ints | None = None
    code: str = ""
    notes: tuple[str, ...] = field(default=())
    taus: tuple[int, ...] = ()
    lines: tuple[Floats, ...] = ()

    @property
    def n(self) -> int:
        """How many points there are."""
        return int(self.frames.shape[1])

    @property
    def missing(self) -> str:
        """What is said in place of a tree, a scaling or distances that are None."""
        return "one point has none" if self.n < 2 else "not computed yet"

    @property
    def n_frames(self) -> int:
        """How many frames there are: one more than iterations."""
        return len(self.frames)

    @property
    def times(self) -> tuple[int, ...]:
        """The iteration of each frame."""
        return self.taus or tuple(range(self.n_frames))

    def column(self, axis: int, frame: int) -> Any:
        """One coordinate of all points in a frame."""
        return self.frames[frame, :, axis]
