"""Beyond the paper: kernels other than the flat one, and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine
from wasserstein_transform.spaces import Space
from wasserstein_transform.transforms import Process, gaussian_transform, kernel_transform, mean_shift

from .experiment import Experiment, Picture, Table, no_claims
from .layout import mosaic, tidy
from .parameters import Kernels
from .tasks import Task, explained, spread, tasks

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Result:
    """Scores by task, method and variant."""

    parameters: Kernels
    tasks: tuple[Task, ...]
    scores: dict[tuple[str, str, str], Floats]

    @property
    def variants(self) -> list[str]:
        """Kernels and weights, in the order they were run."""
        return list(dict.fromkeys(variant for _, _, variant in self.scores))

    @property
    def methods(self) -> list[str]:
        """Methods, in the order they were run."""
        return list(dict.fromkeys(method for _, method, _ in self.scores))


def run(parameters: Kernels, engine: Engine) -> Result:
    """Run all tasks, methods, kernels and weights."""
    scores = {}
    for task in tasks():
        for profile, factor in parameters.profiles.items():
            for name, process in _processes(task, profile, factor * task.eps, parameters).items():
                scores[task.name, name, f"{profile} kernel"] = task.run(process, engine)
        for kind, power in parameters.weights.items():
            weights = partial(_masses, task.eps, power)
            for name, process in _processes(task, "flat", task.eps, parameters).items():
                scores[task.name, name, f"weights {kind}"] = task.run(process, engine, weights)
    return Result(parameters, tasks(), scores)


def _processes(task: Task, profile: str, eps: float, parameters: Kernels) -> dict[str, Process]:
    result = {"MS": mean_shift(eps, profile), "GT": gaussian_transform(eps, task.lam, profile)}
    if task.name in parameters.exact and profile not in parameters.far:
        result["LT-WT1"], result["LT-WT2"] = (kernel_transform(eps, profile, p) for p in (1, 2))
    return result


def _masses(eps: float, power: float, points: Floats) -> Floats:
    """Masses of the points: a power of the number of points within ε."""
    counts = np.diff(Space.from_points(points).metric.balls(eps).indptr)
    return np.asarray(counts.astype(float) ** power)


def tables(result: Result) -> Sequence[Table]:
    """Scores, a row for each task and method."""
    rows = [
        (task.name, method, *(_cell(result.scores.get((task.name, method, variant))) for variant in result.variants))
        for task in result.tasks
        for method in result.methods
    ]
    note = f"{explained(result.tasks)}. Higher is better."
    return [Table("Scores under other kernels and weights", ("data", "method", *result.variants), tuple(rows), note)]


def _cell(scores: Floats | None) -> str:
    return "" if scores is None else spread(scores)


def pictures(result: Result) -> Sequence[Picture]:
    """The scores as dots."""
    return [
        Picture(
            "kernels",
            "Scores with other kernels and weights, at the paper's ε (half of it for the gaussian kernel, which "
            f"reaches farther) and λ; higher is better. {explained(result.tasks)}.",
            partial(draw, result),
        )
    ]


def draw(result: Result) -> Figure:
    """A panel for each task, a row for each variant."""
    figure, axes = mosaic([[task.name for task in result.tasks]], 2.8)
    variants = result.variants
    for task in result.tasks:
        ax = axes[task.name]
        for k, method in enumerate(result.methods):
            seen = [(result.scores[key].mean(), v) for v, name in enumerate(variants)
                    if (key := (task.name, method, name)) in result.scores]  # fmt: skip
            if seen:
                values, rows = zip(*seen, strict=True)
                ax.plot(values, np.array(rows) + 0.15 * (k - 1.5), "o", ms=3.5, color=plotting.color(k), label=method)
        ax.axvline(0, color=plotting.style.GRAY, lw=0.6)
        ax.set_title(task.name, loc="left", fontsize=9)
        first = task is result.tasks[0]
        ax.set_yticks(range(len(variants)), variants if first else [""] * len(variants))
        ax.invert_yaxis()
        ax.set_xlabel("score", fontsize=8)
        tidy(ax)
        if first:
            ax.legend(fontsize=6, frameon=False, loc="best")
    return figure


EXPERIMENT = Experiment(
    "kernels",
    "Beyond the paper: other kernels, and weights",
    "The paper's experiments use the flat kernel and equal masses. Here the same data, ε and λ are used with smooth "
    "kernels, and with masses that increase or decrease with the number of neighbors. LT-WT is run on the data that "
    "are scored by single linkage, with kernels of bounded support.",
    run,
    no_claims,
    pictures,
    tables,
)
