"""Beyond the paper: how the results depend on ε and λ, and what `eps="auto"` chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wasserstein_transform import plotting
from wasserstein_transform._types import Bools, Floats
from wasserstein_transform.datasets import grid_with_line
from wasserstein_transform.engine import Engine
from wasserstein_transform.localize import Scale, suggest_eps
from wasserstein_transform.transforms import gaussian_transform

from .experiment import Experiment, Picture, Table, no_claims
from .layout import legend_below, mosaic, tidy
from .parameters import Choosing
from .tasks import Task, explained, spread, tasks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MIN_DRAWN = -0.3  # lowest score that is drawn; worse results are useless


@dataclass(frozen=True, eq=False)
class Result:
    """Scores by task, ε (relative to the paper's) and λ; the suggested radii, and the scores at them."""

    parameters: Choosing
    tasks: tuple[Task, ...]
    scores: dict[tuple[str, float, float], Floats]
    suggested: dict[str, Scale]
    auto: dict[str, Floats]

    def along_eps(self, task: Task, lam: float) -> Floats:
        """Mean scores over ε at one λ."""
        return np.array([self.scores[task.name, factor, lam].mean() for factor in self.parameters.factors])

    def along_lam(self, task: Task) -> Floats:
        """Mean scores over λ at the paper's ε."""
        return np.array([self.scores[task.name, 1.0, lam].mean() for lam in self.parameters.lams])


def run(parameters: Choosing, engine: Engine) -> Result:
    """Run GT on all tasks: for all ε with λ = 0 and the paper's λ, and for all λ at the paper's ε."""
    scores, suggested, auto = {}, {}, {}
    for task in tasks():
        wanted = {(factor, lam) for factor in parameters.factors for lam in (0.0, task.lam)}
        wanted |= {(1.0, lam) for lam in parameters.lams}
        for factor, lam in sorted(wanted):
            scores[task.name, factor, lam] = task.run(gaussian_transform(factor * task.eps, lam), engine)
        suggested[task.name] = suggest_eps(task.samples[0].points)
        auto[task.name] = task.run(gaussian_transform(float(suggested[task.name]), task.lam), engine)
    suggested["grid with line"] = suggest_eps(grid_with_line().points)
    return Result(parameters, tasks(), scores, suggested, auto)


def tables(result: Result) -> Sequence[Table]:
    """The ε that auto chooses, and the range of ε with at least half of the best score."""
    rows = [_row(result, task) for task in result.tasks]
    line = float(result.suggested["grid with line"])
    rows.append(("grid with line", "0.2", "", f"{line:.3g}", "", "", ""))
    header = ("data", "paper's ε", "its score", 'eps="auto"', "its score", "best score", "ε with half of the best")
    note = f"GT with the paper's λ. {explained(result.tasks)}."
    return [Table("Choosing ε", header, tuple(rows), note)]


def _row(result: Result, task: Task) -> tuple[str, ...]:
    scores, here = result.along_eps(task, task.lam), result.scores[task.name, 1.0, task.lam]
    best = float(scores.max())
    good = _ranges(task.eps * np.array(result.parameters.factors), scores >= best / 2) if best > 0 else "none"
    auto = f"{float(result.suggested[task.name]):.3g}"
    return task.name, f"{task.eps:g}", spread(here), auto, spread(result.auto[task.name]), f"{best:.2f}", good


def _ranges(values: Floats, chosen: Bools) -> str:
    """Intervals of consecutive chosen values, as text."""
    starts = np.flatnonzero(chosen & ~np.append(False, chosen[:-1]))
    stops = np.flatnonzero(chosen & ~np.append(chosen[1:], False))
    ends = zip(values[starts], values[stops], strict=True)
    return ", ".join(f"{low:.3g} to {high:.3g}" if high > low else f"{low:.3g}" for low, high in ends)


def pictures(result: Result) -> Sequence[Picture]:
    """Scores against ε and against λ."""
    return [
        Picture(
            "choosing",
            "Scores of the Gaussian Transform against ε (with λ = 0, which is mean shift, and with the paper's λ) and "
            "against λ at the paper's ε. Solid line: the paper's value; dashed: the value of eps=\"auto\". "
            f"{explained(result.tasks)}.",
            partial(draw, result),
        )
    ]


def draw(result: Result) -> Figure:
    """A column for each task."""
    names = [task.name for task in result.tasks]
    figure, axes = mosaic([[f"ε {name}" for name in names], [f"λ {name}" for name in names]], 3.6)
    for task in result.tasks:
        _draw_eps(axes[f"ε {task.name}"], result, task)
        ax = axes[f"λ {task.name}"]
        ax.plot(result.parameters.lams, result.along_lam(task), "o-", ms=2.5, lw=1, color=plotting.color(0))
        ax.axvline(task.lam, color=plotting.style.GRAY, lw=0.8, zorder=0)
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xlim(-0.1, 1.2 * max(result.parameters.lams))
        ax.set_xticks([lam for lam in (0, 1, 10, 100) if lam <= max(result.parameters.lams)], minor=False)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel("λ", fontsize=8)
    for ax in axes.values():
        tidy(ax)
        ax.axhline(0, color=plotting.style.GRAY, lw=0.5, zorder=0)
        ax.set_ylim(max(ax.get_ylim()[0], MIN_DRAWN), max(ax.get_ylim()[1], 0.1))
    for row in ("ε", "λ"):
        axes[f"{row} {names[0]}"].set_ylabel("score", fontsize=8)
    legend_below(figure, axes[f"ε {names[0]}"])
    return figure


def _draw_eps(ax: Any, result: Result, task: Task) -> None:
    radii = task.eps * np.array(result.parameters.factors)
    for k, lam in enumerate((task.lam, 0.0)):
        ax.plot(
            radii,
            result.along_eps(task, lam),
            "o-",
            ms=2.5,
            lw=1,
            color=plotting.color(k),
            label="λ = 0" if k else "the paper's λ",
        )
    ax.axvline(task.eps, color=plotting.style.GRAY, lw=0.8, zorder=0)
    ax.axvline(float(result.suggested[task.name]), color=plotting.style.GRAY, lw=0.8, ls=(0, (4, 3)), zorder=0)
    ax.set_xscale("log")
    ax.set_title(task.name, loc="left", fontsize=9)
    ax.set_xlabel("ε", fontsize=8)


EXPERIMENT = Experiment(
    "choosing",
    "Beyond the paper: choosing ε and λ",
    'The first question of users is how to choose ε and λ. Shown are the value of eps="auto" on each data set, and how '
    "the result depends on both: a broad plateau means that the choice hardly matters.",
    run,
    no_claims,
    pictures,
    tables,
)
