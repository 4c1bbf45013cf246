"""A radius that does not fit the data: everybody alone, or everything in one ball."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from .._warn import warn
from ..localize.places import spread
from ..spaces import Space

_DISTANCES, _FEWEST, _MOST = 1e6, 20, 100  # looked at, about; places asked
_SMALL = 30  # points, of which nothing is said: examples, tests of one's own
_ALONE, _ALL = 0.97, 0.6  # shares of points without a neighbor; of all points in a typical ball
_UNEQUAL = 30.0  # times: columns of such different spread have different units


class ScaleWarning(UserWarning):
    """A radius at which nearly all points are alone, or at which a typical ball holds more than half of them."""


def warn_of_scale(space: Space, eps: float) -> None:
    """One warning if `eps` does not fit the data; some rows of distances are looked at, however many there are."""
    if space.n < _SMALL:
        return
    alone, share = company(space, eps)
    if alone >= _ALONE:
        wrong = f"at eps={eps:.4g} {'all' if alone == 1 else 'nearly all'} points are alone: nothing will move"
    elif share >= _ALL:
        wrong = f"at eps={eps:.4g} a typical neighborhood holds {share:.0%} of the points: all will fall together"
    else:
        return
    warn(
        f"{wrong}; is eps in the unit of the data?{_of_columns(space.points)} wt.suggest(X) proposes one", ScaleWarning
    )


def company(space: Space, eps: float) -> tuple[float, float]:
    """The share of points, of some, that have nobody else within `eps`; the median share of points within it."""
    asked = spread(space.n, int(np.clip(_DISTANCES / space.n, _FEWEST, _MOST)))
    counts = space.metric.n_within(asked, eps)
    return float(np.mean(counts <= 1)), float(np.median(counts)) / space.n


def _of_columns(points: Floats | None) -> str:
    """What to say of columns whose spreads are far apart."""
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
