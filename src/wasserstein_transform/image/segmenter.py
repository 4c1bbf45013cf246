"""ImageSegmenter: image segmentation as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Literal, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin

from .._types import Ints
from .linking import Linking
from .merging import Merging
from .radii import segment_by_radii
from .segmentation import Segmentation


class ImageSegmenter(ClusterMixin, BaseEstimator):
    """Segment images by radii, as a scikit-learn estimator: parameters can be read, set, cloned and searched.

    An image is a grid, not an array of samples × features: `fit` takes one image, labels have its shape, and
    scikit-learn's `check_estimator` does not apply. Parameters are checked in `fit`.

    Parameters
    ----------
    spatial_radius, range_radius, lam, color, linking, merging, n_iter, tol, min_size, channel_axis, n_jobs, verbose
        As for `segment_by_radii`.

    Attributes
    ----------
    labels_ : array of int, shape of the grid
        Regions 0, 1, …; −1 outside the mask.
    segmentation_ : Segmentation
        Regions, their modes, and the filtered image.
    n_segments_ : int
        Number of regions.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> image = np.repeat([[10.0] * 8 + [50.0] * 8], 16, axis=0)
    >>> wt.image.ImageSegmenter(spatial_radius=4).fit(image).n_segments_
    2
    """

    labels_: Ints
    segmentation_: Segmentation
    n_segments_: int

    def __init__(
        self,
        spatial_radius: float = 8.0,
        range_radius: float = 8.0,
        lam: float = 0.0,
        *,
        color: Literal["luv", "lab", "rgb", "none"] = "luv",
        linking: str | Linking = "adjacent",
        merging: Merging | None = None,
        n_iter: int = 100,
        tol: float = 0.0,
        min_size: int = 0,
        channel_axis: int | Literal["auto"] | None = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.spatial_radius = spatial_radius
        self.range_radius = range_radius
        self.lam = lam
        self.color = color
        self.linking = linking
        self.merging = merging
        self.n_iter = n_iter
        self.tol = tol
        self.min_size = min_size
        self.channel_axis = channel_axis
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, image: ArrayLike, y: Any = None, mask: ArrayLike | None = None) -> Self:
        """Segment an image.

        Parameters
        ----------
        image : array of shape (h, w), (h, w, channels), (d, h, w) or (d, h, w, channels)
            As for `segment_by_radii`.
        y : ignored
        mask : array of bool, shape of the grid, optional
            Pixels to segment; None means all.

        Returns
        -------
        ImageSegmenter
            This object.
        """
        self.segmentation_ = segment_by_radii(image, mask=mask, **self.get_params(deep=False))
        self.labels_ = self.segmentation_.labels
        self.n_segments_ = self.segmentation_.n_segments
        return self

    def fit_predict(self, image: ArrayLike, y: Any = None, mask: ArrayLike | None = None) -> Ints:
        """Segment an image as `fit` does, and return its labels."""
        return self.fit(image, y, mask).labels_
