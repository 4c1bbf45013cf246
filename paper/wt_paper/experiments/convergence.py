"""Beyond the paper: iterating until convergence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform.engine import Engine
from wasserstein_transform.spaces import Space
from wasserstein_transform.transforms import Trajectory, iterate

from .experiment import Experiment, Picture, Table, no_claims
from .layout import mosaic, tidy
from .methods import method
from .parameters import Convergence
from .tasks import tasks

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Result:
    """Trajectories and the scores of their states, by task and method."""

    parameters: Convergence
    walks: dict[tuple[str, str], Trajectory]
    scores: dict[tuple[str, str], list[float]]


def run(parameters: Convergence, engine: Engine) -> Result:
    """Iterate until convergence or the largest number of iterations; points that meet are merged."""
    walks, scores = {}, {}
    for task in tasks():
        for name in parameters.methods.get(task.name, ()):
            sample = task.samples[0]
            space = Space.from_points(sample.points)
            walk = iterate(
                method(name, task.eps), space, n_iter=parameters.n_iter, tol=parameters.tol,
                merge=parameters.merge, keep="all", engine=engine,
            )  # fmt: skip
            walks[task.name, name] = walk
            scores[task.name, name] = [sample.score(state, engine) for state in walk.states[1:]]
    return Result(parameters, walks, scores)


def tables(result: Result) -> Sequence[Table]:
    """The end of each trajectory."""
    rows = tuple(_row(*key, walk, result.scores[key]) for key, walk in result.walks.items())
    header = (
        "data",
        "method",
        "iterations",
        "converged",
        "last movement, ε",
        "points left",
        "best score",
        "last score",
    )
    note = "; ".join(f"{task.name}: {task.what}" for task in tasks() if task.name in result.parameters.methods)
    return [Table("Iterating to the end", header, rows, f"Scores, higher is better: {note}.")]


def _row(data: str, name: str, walk: Trajectory, scores: list[float]) -> tuple[str, ...]:
    best = f"{max(scores):.2f} at τ = {1 + int(np.argmax(scores))}"
    rest, places = "yes" if walk.converged else "no", walk.quotients[-1].space.n
    return data, name, str(walk.n_iter), rest, f"{walk.movements[-1]:.2g}", str(places), best, f"{scores[-1]:.2f}"


def pictures(result: Result) -> Sequence[Picture]:
    """Movement, number of points and score over τ."""
    return [
        Picture(
            "convergence",
            "The largest movement of an iteration in ε, the number of distinct points left, and the score, over τ. "
            f"Points within {result.parameters.merge:g} ε of each other count as one.",
            partial(draw, result),
        )
    ]


def draw(result: Result) -> Figure:
    """A column for each data set."""
    named = list(dict.fromkeys(data for data, _ in result.walks))
    rows = ("movement", "places", "score")
    figure, axes = mosaic([[f"{row} {data}" for data in named] for row in rows], 4.6)
    for data, name in result.walks:
        walk, scores = result.walks[data, name], result.scores[data, name]
        color = plotting.color(result.parameters.methods[data].index(name))
        steps = np.arange(1, walk.n_iter + 1)
        places = [state.space.n for state in walk.quotients]
        axes[f"movement {data}"].semilogy(steps, np.maximum(walk.movements, 1e-9), color=color, lw=1, label=name)
        axes[f"places {data}"].semilogy(range(len(places)), places, color=color, lw=1)
        axes[f"score {data}"].plot(steps, scores, color=color, lw=1)
    for data in named:
        axes[f"movement {data}"].set_title(data, loc="left", fontsize=9)
        axes[f"movement {data}"].legend(fontsize=6, frameon=False)
        axes[f"score {data}"].set_xlabel("τ", fontsize=8)
    for row in rows:
        axes[f"{row} {named[0]}"].set_ylabel(row, fontsize=8)
    for ax in axes.values():
        tidy(ax)
        ax.xaxis.get_major_locator().set_params(integer=True)
    return figure


EXPERIMENT = Experiment(
    "convergence",
    "Beyond the paper: convergence",
    "The paper stops after a few iterations. Here all methods run until convergence, or for the number of iterations "
    "in the table: how many distinct points are left, and whether the score was better on the way.",
    run,
    no_claims,
    pictures,
    tables,
)
