"""Warn of a radius that does not fit the data: all points alone, or most of them in one ball."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from .._warn import warn
from ..localize.scale import spread
from ..spaces import Space

_DISTANCES, _FEWEST, _MOST = 1e6, 20, 100  # distances to compute, about; smallest and largest number of places
_SMALL = 30  # with fewer points there is no warning: examples, small tests
_ALONE, _ALL = 0.97, 0.6  # fraction of points without a neighbor; fraction of all points in a typical ball
_UNEQUAL = 30.0  # ratio of spreads above which columns seem to have different units


class ScaleWarning(UserWarning):
    """Warning: at the given radius nearly all points are alone, or a typical ball holds more than half of them.

    Examples
    --------
    >>> import warnings, numpy as np, wasserstein_transform as wt
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = wt.GaussianTransform(eps=1e-6).fit(X)
    >>> caught[0].category.__name__, str(caught[0].message).split(":")[0]
    ('ScaleWarning', 'at eps=1e-06 all points are alone')
    """


def warn_of_scale(space: Space, eps: float) -> None:
    """Warn once if `eps` does not fit the data; only some rows of distances are computed."""
    if space.n < _SMALL:
        return
    alone, share = company(space, eps)
    if alone >= _ALONE:
        wrong = f"at eps={eps:.4g} {'all' if alone == 1 else 'nearly all'} points are alone: nothing will move"
    elif share >= _ALL:
        wrong = f"at eps={eps:.4g} a typical neighborhood holds {share:.0%} of the points: all will collapse to one"
    else:
        return
    warn(
        f"{wrong}; is eps in the unit of the data?{_of_columns(space.points)} wt.suggest(X) proposes an eps",
        ScaleWarning,
    )


def company(space: Space, eps: float) -> tuple[float, float]:
    """Return the fraction of sampled points without another within `eps`, and the median fraction of points within."""
    asked = spread(space.n, int(np.clip(_DISTANCES / space.n, _FEWEST, _MOST)))
    counts = space.metric.n_within(asked, eps)
    return float(np.mean(counts <= 1)), float(np.median(counts)) / space.n


def _of_columns(points: Floats | None) -> str:
    """Return a hint on columns whose spreads differ widely, or nothing."""
    if points is None or points.shape[1] < 2:
        return ""
    spreads = points.std(axis=0)
    wide, narrow = int(spreads.argmax()), int(np.where(spreads > 0, spreads, np.inf).argmin())
    if not spreads[wide] > _UNEQUAL * spreads[narrow] > 0:
        return ""
    return (
        f" Column {wide} spreads {spreads[wide] / spreads[narrow]:.2g} times as far as column {narrow}: if they have "
        "different units, scale them first (StandardScaler)."
    )
