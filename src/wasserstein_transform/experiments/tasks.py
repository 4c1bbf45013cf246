"""The paper's data sets as tasks with one number for how well they went: what experiments beyond the paper vary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .._types import Floats
from ..datasets import Noisy, circles, dumbbell, spiral, t_junction
from ..engine import Engine
from ..hierarchy import spanning_tree
from ..spaces import Space
from ..transforms import Process, iterate
from .chaining import TOLERANCE
from .scores import off_curve, separation
from .t_junction import segments


@dataclass(frozen=True, eq=False)
class Task:
    """Data, the paper's parameters for it, and a score: 0 is nothing gained, the more the better.

    Attributes
    ----------
    name, what : str
        The data, and what the score is.
    points : array of shape (n, 2)
    eps, lam, n_iter : float, float, int
    score : callable
        Of the transformed space.
    """

    name: str
    what: str
    points: Floats
    eps: float
    lam: float
    n_iter: int
    score: Callable[[Space, Engine], float]

    def run(self, process: Process, engine: Engine, weights: Floats | None = None) -> float:
        """The score of a process, with the paper's number of iterations."""
        space = Space.from_points(self.points, weights)
        return self.score(iterate(process, space, n_iter=self.n_iter, engine=engine).last, engine)


def tasks() -> tuple[Task, ...]:
    """T-junction, dumbbell, spiral and circles. Noise and seeds of the last two are fixed."""
    return (
        _t_junction(),
        _dumbbell(),
        _curve("spiral", spiral(0, noise=0.5), 4.0, 1.0, 2),
        _curve("circles", circles(0, noise=0.2), 0.7, 2.5, 1),
    )


def _t_junction() -> Task:
    data = t_junction()
    truth = segments(data, 10.0)
    return Task(
        "T-junction", "relative gap of the heights with two clusters, one a segment", data.points, 10.0, 5.0, 2,
        lambda space, engine: separation(spanning_tree(space, engine), truth, tolerance=TOLERANCE).gap,
    )  # fmt: skip


def _dumbbell() -> Task:
    data = dumbbell()
    return Task(
        "dumbbell", "relative gap of the heights with discs and chain apart", data.points, 0.2, 1.0, 2,
        lambda space, engine: separation(spanning_tree(space, engine), data.labels, tolerance=TOLERANCE).gap,
    )  # fmt: skip


def _curve(name: str, data: Noisy, eps: float, lam: float, n_iter: int) -> Task:
    before = off_curve(data.points, data.curve)

    def gain(space: Space, engine: Engine) -> float:
        assert space.points is not None
        return 1.0 - off_curve(space.points, data.curve) / before

    return Task(name, "share by which the mean distance to the curve falls", data.points, eps, lam, n_iter, gain)
