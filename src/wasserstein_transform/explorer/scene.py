"""The arrays that the views draw, independent of how they were computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._shown import Brief
from .._types import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Brief):
    """Mean number of neighbors as a function of the radius, and a suggested radius.

    Parameters
    ----------
    radii : array of shape (k,)
        Increasing radii, in the unit of the points.
    counts : array of shape (k,)
        Mean number of points within each radius of a point.
    suggested : float
        Suggested ε, in the unit of the points.
    reason : str, default ""
        Why this ε is suggested.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> curve = wt.explorer.scene.Curve(np.array([1.0, 2.0, 4.0]), np.array([1.5, 4.0, 11.0]), suggested=2.0)
    >>> float(np.interp(3.0, curve.radii, curve.counts))  # mean number of points within 3.0
    7.5
    """

    radii: Floats
    counts: Floats
    suggested: float
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Scene(Brief):
    """Everything that the page draws, as arrays. A part that is None does not exist or is not computed yet.

    Attributes
    ----------
    title : str
        Name of the data set.
    axes : (str, str)
        Names of the two axes of `frames`.
    frames : float array of shape (T + 1, n, 2)
        Positions of the points after 0, …, T iterations, usually float32. For transforms that do not move points
        (local truncation) all frames are equal.
    rows : integer array of shape (n,)
        Rows of the data that the points come from; not all rows if the data were sampled.
    eps, lam : float
        ε in the unit of the points (NaN if unknown), and λ (default 0). In each frame the ball of x is the set of
        points y with |x − y|² + λ·bures² ≤ ε².
    covariances : float32 array of shape (T + 1, n, 3), optional
        Entries xx, xy and yy of the covariance of each point in each frame, without the factor λ. None if the
        metric has no Gaussians.
    planar : bool, default True
        Whether balls can be computed from `frames` and `covariances`. False for projections of higher dimensions,
        and for points known only by distances.
    tree : array of shape (n − 1, 4), optional
        SciPy linkage matrix of the last metric.
    embedding : float32 array of shape (n, 2), optional
        Classical scaling of the last metric.
    matrix : float32 array of shape (k, k), optional
        Distances between the points `shown`, in the order of the leaves of the tree.
    shown : integer array of shape (k,), optional
        The points of `matrix`.
    curve : Curve, optional
        Number of neighbors as a function of the radius.
    truth : integer array of shape (n,), optional
        Known labels.
    labels : integer array of shape (n,), optional
        Labels that were found, for example by `wt.cluster`; −1 is noise.
    code : str, default ""
        Python code that computes the same.
    notes : tuple of str, default ()
        Remarks for the reader: sampling, warnings.
    taus : tuple of int, default ()
        The iteration of each frame if some were left out; empty if the frames are iterations 0, …, T.
    lines : tuple of arrays of shape (k, 2), default ()
        Lines to draw over the points, such as those of a skeleton.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> frames = np.array([[[0, 0], [1, 0], [3, 0]], [[0.5, 0], [0.5, 0], [3, 0]]], np.float32)
    >>> scene = wt.explorer.scene.Scene("three points", ("x", "y"), frames, np.arange(3), eps=1.0)
    >>> scene.n, scene.times  # points, and the iteration of each frame
    (3, (0, 1))
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
        """Number of points."""
        return int(self.frames.shape[1])

    @property
    def missing(self) -> str:
        """Text shown instead of a tree, an embedding or distances that are None."""
        return "needs at least two points" if self.n < 2 else "not computed yet"

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.frames)

    @property
    def times(self) -> tuple[int, ...]:
        """The iteration of each frame."""
        return self.taus or tuple(range(self.n_frames))

    def column(self, axis: int, frame: int) -> Any:
        """One coordinate of all points in a frame."""
        return self.frames[frame, :, axis]
