"""The paper's data sets as tasks with one score each, for the experiments beyond the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform._types import Floats
from wasserstein_transform.datasets import Noisy, circles, dumbbell, spiral, t_junction
from wasserstein_transform.engine import Engine
from wasserstein_transform.hierarchy import spanning_tree
from wasserstein_transform.spaces import Dense, Space
from wasserstein_transform.transforms import Process, iterate

from .chaining import TOLERANCE
from .parameters import FULL
from .scores import off_curve, separation
from .t_junction import segments

N_SEEDS = 3
_NOISE = {"spiral": 0.5, "circles": 0.15}  # with less noise there is little to gain


@dataclass(frozen=True, eq=False)
class Sample:
    """Points, and a function for the score of a result: 0 means no gain, higher is better."""

    points: Floats
    score: Callable[[Space, Engine], float]


@dataclass(frozen=True, eq=False)
class Task:
    """Data, parameters, and samples to average over.

    Attributes
    ----------
    name, what : str
        The data set, and a description of the score.
    eps, lam, n_iter : float, float, int
        The paper's ε and λ, and a τ at which most methods are near their best.
    samples : tuple of Sample
        One for deterministic data, one for each seed otherwise.
    """

    name: str
    what: str
    eps: float
    lam: float
    n_iter: int
    samples: tuple[Sample, ...]

    def run(self, process: Process, engine: Engine, weights: Callable[[Floats], Floats] | None = None) -> Floats:
        """The scores of a process after `n_iter` iterations, one per sample; `weights` computes masses from points."""
        return np.array([self._run(sample, process, engine, weights) for sample in self.samples])

    def _run(
        self, sample: Sample, process: Process, engine: Engine, weights: Callable[[Floats], Floats] | None
    ) -> float:
        space = Space.from_points(sample.points, None if weights is None else weights(sample.points))
        return sample.score(iterate(process, space, n_iter=self.n_iter, engine=engine).last, engine)


def spread(values: Floats) -> str:
    """Mean, and standard deviation if there are several values."""
    return f"{values.mean():.2f}" + (f" ± {values.std(ddof=1):.2f}" if len(values) > 1 else "")


def explained(tasks: tuple[Task, ...]) -> str:
    """Descriptions of the scores."""
    return "; ".join(f"{task.name}: {task.what}, τ = {task.n_iter}" for task in tasks)


def tasks() -> tuple[Task, ...]:
    """The tasks: T-junction, dumbbell, spiral and circles."""
    return (
        _t_junction(),
        _dumbbell(),
        _curve("spiral", lambda seed: spiral(seed, noise=_NOISE["spiral"]), 2),
        _curve("circles", lambda seed: circles(seed, noise=_NOISE["circles"]), 1),
    )


def _t_junction() -> Task:
    data, eps = t_junction(), FULL["t-junction"].eps
    truth = segments(data, eps)

    def gap(space: Space, engine: Engine) -> float:
        return separation(spanning_tree(space, engine), truth, tolerance=0.0, n_clusters=2).gap

    what = "relative gap of the heights with two clusters, one for each segment"
    return Task("T-junction", what, eps, 5.0, FULL["t-junction"].n_iter, (Sample(data.points, gap),))


def _dumbbell() -> Task:
    data = dumbbell()

    def gap(space: Space, engine: Engine) -> float:
        return separation(spanning_tree(space, engine), data.labels, tolerance=TOLERANCE).gap

    what = "relative gap of the heights that separate discs and chain"
    return Task("dumbbell", what, FULL["chaining"].eps, FULL["chaining"].lams[0], 2, (Sample(data.points, gap),))


def _curve(name: str, draw: Callable[[int], Noisy], n_iter: int) -> Task:
    what = f"relative decrease of the mean distance to the curve (noise {_NOISE[name]:g}, {N_SEEDS} seeds)"
    samples = tuple(_gained(draw(seed)) for seed in range(N_SEEDS))
    return Task(name, what, FULL[name].eps, FULL[name].lam, n_iter, samples)


def _gained(data: Noisy) -> Sample:
    before = off_curve(data.points, data.curve)

    def gain(space: Space, engine: Engine) -> float:
        moved = (
            plotting.embedding.embed(space, onto=data.points).points
            if isinstance(space.metric, Dense)
            else space.points
        )
        assert moved is not None
        return 1.0 - off_curve(moved, data.curve) / before

    return Sample(data.points, gain)
