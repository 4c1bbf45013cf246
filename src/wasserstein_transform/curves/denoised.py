"""The result of denoising."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .._display import HasReport, counted, facts, frame, quantity
from .._types import Bools, Floats, Ints, cached_property
from ..tables.earth import LocalMeters, Tracks
from .moving import Step

_WIDE = 0.25  # relative to the largest variance: axes with at least this variance belong to the shape


@dataclass(frozen=True, eq=False)
class Denoised(HasReport):
    """Points moved onto a curve or surface; `denoise` returns it.

    Attributes
    ----------
    points : array of shape (n, m)
        The moved points, in the coordinates of the table: degrees, if it has longitude and latitude.
    before : array of shape (n, m)
        The given points.
    weights : array of shape (n,)
        Masses, with total 1.
    dim : int
        Dimension of the shape: 0 modes, 1 curves, 2 surfaces; if no shape was found, that which the points span.
    eps : float
        Radius of neighborhoods, in units of `scale`; in meters, if the points are degrees.
    sigma : float
        The noise: standard deviation across the shape along one direction, in units of `scale`; 0 if it could not be
        determined.
    outliers : array of bool, shape (n,)
        Points with far fewer neighbors than a place nearby, such as strays of a busy street; and those with far fewer
        than most, unless they belong to trips or lie along curves of their own.
    evidence : array of shape (n,)
        Number of neighbors of each point at the start, weighted by nearness.
    variances, axes : arrays of shape (n, r) and (n, m, r)
        Principal variances and axes of the neighborhoods at the end, largest first; axes are unit columns. r is
        min(m, 32); across the dimensions that the points span, variances are 0.
    steps : tuple of Step
        The states of the run.
    outcome : str
        How the run ended, in words.
    reason : str
        How `eps` and the dimension were chosen, in words.
    scale : array of shape (m,)
        The unit of length of each axis.
    track : array of int, shape (k, 2), or None
        Pairs of consecutive rows of a trip, if trips are known.
    tracks : Tracks or None
        What was found in the table, if one was given: names, unit, coordinate system, the map in meters, and notes.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> angle, rng = np.linspace(0, 2 * np.pi, 200), np.random.default_rng(0)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.normal(1, 0.05, (200, 1))
    >>> found = wt.denoise(X, 1, eps=0.4, n_iter=1)
    >>> found
    <Denoised: 200 points, curves, eps=0.4: ran 1 step, as requested>
    >>> before, after = (np.std(np.linalg.norm(points, axis=1)) for points in (found.before, found.points))
    >>> float(before.round(3)), float(after.round(3)), found.tangents.shape
    (0.048, 0.014, (200, 2, 1))
    """

    points: Floats
    before: Floats
    weights: Floats
    dim: int
    eps: float
    sigma: float
    outliers: Bools
    evidence: Floats
    variances: Floats
    axes: Floats
    steps: tuple[Step, ...]
    outcome: str
    reason: str
    scale: Floats
    track: Ints | None = None
    tracks: Tracks | None = None

    @property
    def earth(self) -> LocalMeters | None:
        """The map that turns degrees of the points into meters; None if they are not degrees."""
        return None if self.tracks is None else self.tracks.earth

    @property
    def unit(self) -> str:
        """Unit of lengths, such as "m"; "" if it is unknown."""
        return "" if self.tracks is None else self.tracks.unit

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates: those of the table, or x0, x1 and so on."""
        return tuple(f"x{k}" for k in range(self.points.shape[1])) if self.tracks is None else self.tracks.names

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found in the table, in words."""
        return () if self.tracks is None else self.tracks.notes

    @cached_property
    def moved(self) -> Floats:
        """Distance that each point moved, shape (n,); in meters, if the points are degrees."""
        flat = self.in_meters()
        return np.asarray(np.sqrt(((flat.points - flat.before) ** 2).sum(axis=1)))

    def in_meters(self) -> Self:
        """Return the result with points in meters instead of degrees; itself if they are not degrees."""
        if self.tracks is None or self.tracks.earth is None:
            return self
        flat, to_meters = replace(self.tracks, earth=None, crs=""), self.tracks.earth.to_meters
        return replace(self, points=to_meters(self.points), before=to_meters(self.before), tracks=flat)

    @property
    def moved_in_words(self) -> str:
        """How far the points moved."""
        middle, most = (quantity(float(far), self.unit) for far in (np.median(self.moved), self.moved.max()))
        return f"moved by {middle} (median), {most} at most"

    @property
    def outliers_in_words(self) -> str:
        """How many points are outliers, and why."""
        n, of = int(self.outliers.sum()), counted(len(self.points), "point" if self.track is None else "fix")
        if not n:
            return f"none of {of} is an outlier"
        verb = "is an outlier: it has" if n == 1 else "are outliers: they have"
        return (
            f"{n:,} of {of} {verb} far fewer neighbors within {self.length(self.eps)} than places nearby or than most"
        )

    def length(self, value: float) -> str:
        """A length in units of `scale`, such as `eps`, with its unit."""
        return quantity(value, self.unit if (self.scale == 1).all() else "")

    @property
    def n_iter(self) -> int:
        """Number of steps made."""
        return self.steps[-1].step

    @property
    def tangents(self) -> Floats:
        """The axes along the shape, shape (n, m, dim): the direction of a curve, two directions of a surface."""
        return self.axes[:, :, : self.dim]

    @property
    def normals(self) -> Floats:
        """The axes across the shape, shape (n, m, r − dim); their signs are arbitrary."""
        return self.axes[:, :, self.dim :]

    @cached_property
    def local_dim(self) -> Ints:
        """Number of axes of each neighborhood that are about as long as its longest, shape (n,); 0 for lone points.

        A value of 2 on a curve marks a crossing, or an end where curves meet.
        """
        wide = self.variances >= _WIDE * self.variances[:, :1]
        return np.asarray(np.where(self.variances[:, 0] > 0, np.count_nonzero(wide, axis=1), 0), np.intp)

    @property
    def table(self) -> dict[str, list[float]]:
        """The steps as columns by name; `pandas.DataFrame(result.table)` takes them."""
        return {name: [getattr(step, name) for step in self.steps] for name in Step._fields}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each point: coordinates before and after, distance, and marks."""
        names = self.names
        columns = dict(zip(names, self.before.T, strict=True))
        columns |= {f"{name}_moved": column for name, column in zip(names, self.points.T, strict=True)}
        columns |= {"moved": self.moved, "outlier": self.outliers, "local_dim": self.local_dim}
        return frame(columns | {"evidence": self.evidence})

    def _repr_html_(self) -> str:
        steps = "; ".join(f"{s.step}: {s.across:.3g} across, {s.shared:.0%} shared" for s in self.steps)
        rows = {
            "points": f"{len(self.points):,}",
            "shape": self.shape,
            "eps": self.length(self.eps),
            "noise": self.length(self.sigma),
            "moved": self.moved_in_words.removeprefix("moved "),
            "outliers": self.outliers_in_words,
            "outcome": self.outcome,
            "reason": self.reason,
            "steps": steps,
        } | ({"notes": "; ".join(self.notes)} if self.notes else {})
        return facts("Denoised", rows)

    @property
    def shape(self) -> str:
        """What the points lie along, in a word."""
        return {0: "modes", 1: "curves", 2: "surfaces"}.get(self.dim, f"dimension {self.dim}")

    def __repr__(self) -> str:
        points, eps = counted(len(self.points), "point"), self.length(self.eps)
        return f"<Denoised: {points}, {self.shape}, eps={eps}: {self.outcome}>"
