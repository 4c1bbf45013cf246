"""What denoising leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._cached import cached_property
from .._pictures import Reported, drawn_by
from .._shown import facts, frame
from .._types import Bools, Floats, Ints
from .guard import Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE = 0.25  # of the longest variance: an axis that spreads as much belongs to the shape


@dataclass(frozen=True, eq=False)
class Denoised(Reported):
    """Points moved onto a curve or surface.

    Attributes
    ----------
    points : array of shape (n, m)
        The moved points.
    before : array of shape (n, m)
        The points as they were given.
    weights : array of shape (n,)
        Their masses, total 1.
    dim : int
        Dimension of the shape: 0 modes, 1 curves, 2 surfaces; m where no shape was found.
    eps : float
        How far points saw, in units of `scale`.
    sigma : float
        The noise: standard deviation across the shape in one direction, in the same units; 0 if none was told.
    outliers : array of shape (n,) of bool
        Points that see far fewer others than most do.
    evidence : array of shape (n,)
        How many others each point saw at the start, near ones counting more.
    variances, axes : arrays of shape (n, r) and (n, m, r)
        Of the neighborhoods at the end, longest first; axes are unit columns. r is m, or 32 if m is more.
    steps : tuple of Step
        The states the run went through.
    outcome : str
        How it ended, in words.
    reason : str
        Where eps and the dimension come from, in words.
    scale : array of shape (m,)
        The length of each axis that counts as one.
    track : array of shape (k, 2), or None
        Rows that follow each other on a trip, where the order was known.
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

    @cached_property
    def moved(self) -> Floats:
        """How far each point went."""
        return np.asarray(np.sqrt(((self.points - self.before) ** 2).sum(axis=1)))

    @property
    def n_iter(self) -> int:
        """Steps that were taken."""
        return self.steps[-1].step

    @property
    def tangents(self) -> Floats:
        """The axes along the shape, (n, m, dim): the direction of a curve, two directions of a surface."""
        return self.axes[:, :, : self.dim]

    @property
    def normals(self) -> Floats:
        """The axes across it, (n, m, r − dim); their signs mean nothing."""
        return self.axes[:, :, self.dim :]

    @cached_property
    def local_dim(self) -> Ints:
        """How many axes of each neighborhood are about as long as its longest; 0 where a point is alone.

        2 on a curve is a crossing or an end where curves meet.
        """
        wide = self.variances >= _WIDE * self.variances[:, :1]
        return np.asarray(np.where(self.variances[:, 0] > 0, np.count_nonzero(wide, axis=1), 0), np.intp)

    @property
    def table(self) -> dict[str, list[float]]:
        """The steps as columns by name; `pandas.DataFrame(result.table)` takes them as they are."""
        return {name: [getattr(step, name) for step in self.steps] for name in Step._fields}

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each point: where it was and is, how far it went, what it is."""
        columns = {f"x{k}": column for k, column in enumerate(self.before.T)}
        columns |= {f"moved_x{k}": column for k, column in enumerate(self.points.T)}
        columns |= {"moved": self.moved, "outlier": self.outliers, "local_dim": self.local_dim}
        return frame(columns | {"evidence": self.evidence}, "the attributes hold the same")

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Axes:
        """Before, in gray, and after. Points of two or three coordinates; needs matplotlib, the extra `plot`."""
        axes: Axes = drawn_by("curves").denoised(self, ax, title=title)
        return axes

    def _repr_html_(self) -> str:
        steps = "; ".join(f"{s.step}: {s.across:.3g} across, {s.shared:.0%} shared" for s in self.steps)
        rows = {
            "points": len(self.points),
            "dimension": self.dim,
            "eps": f"{self.eps:.4g}",
            "noise": f"{self.sigma:.4g}",
            "moved, median": f"{np.median(self.moved):.4g}",
            "outliers": int(self.outliers.sum()),
            "outcome": self.outcome,
            "reason": self.reason,
            "steps": steps,
        }
        return facts("Denoised", rows)

    def __repr__(self) -> str:
        shape = {0: "modes", 1: "curves", 2: "surfaces"}.get(self.dim, f"dimension {self.dim}")
        return f"<Denoised: {len(self.points)} points, {shape}, eps={self.eps:.4g}: {self.outcome}>"
