"""Runs experiments one after the other, keeps what is finished, and writes the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ...engine import Engine
from ...plotting.canvas import need_matplotlib
from ..experiment import Experiment, Picture
from ..parameters import FULL, QUICK
from .machine import Machine, this_machine
from .markdown import markdown
from .page import page
from .part import Figure, Part, key_of, load, save
from .record import Change, changes, read_record

_DPI = 170

Tell: TypeAlias = Callable[[str, str], None]
"""Called with the name of an experiment and what happens to it: "runs", "is drawn", "is done", "was done before"."""


@dataclass(frozen=True)
class Report:
    """What a reproduction came to.

    Attributes
    ----------
    parts : tuple of Part
    changes : tuple of Change
        Verdicts that differ from those on record.
    machine : Machine
    quick : bool
    """

    parts: tuple[Part, ...]
    changes: tuple[Change, ...]
    machine: Machine
    quick: bool

    @property
    def failed(self) -> tuple[Change, ...]:
        """Claims of which less came out than on record. Those that seconds decide do not count."""
        return tuple(change for change in self.changes if change.is_failure)


def reproduce(
    experiments: Iterable[Experiment],
    folder: Path,
    *,
    quick: bool = False,
    fresh: bool = False,
    engine: Engine | None = None,
    tell: Tell = lambda name, what: None,
) -> Report:
    """Run experiments and write `report.md`, `report.html` and figures into a folder.

    Parameters
    ----------
    experiments : iterable of Experiment
    folder : Path
        Made if it is not there. Finished experiments are kept in it and used again, unless source or parameters change.
    quick : bool
        Smaller data, fewer seeds and readings: under a minute.
    fresh : bool
        Run everything again.
    engine : Engine, optional
    tell : callable, optional
        Told what happens.
    """
    need_matplotlib()  # better now than after minutes
    engine = engine or Engine()
    for name in ("parts", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    parts = tuple(_part(experiment, folder, quick, fresh, engine, tell) for experiment in experiments)
    report = Report(parts, changes(parts, read_record(quick)), this_machine(), quick)
    (folder / "report.md").write_text(markdown(report), encoding="utf-8")
    (folder / "report.html").write_text(page(report, folder), encoding="utf-8")
    return report


def _part(experiment: Experiment, folder: Path, quick: bool, fresh: bool, engine: Engine, tell: Tell) -> Part:
    parameters = (QUICK if quick else FULL)[experiment.name]
    stem = f"{experiment.name}-quick" if quick else experiment.name
    file, key = folder / "parts" / f"{stem}.json", key_of(parameters)
    found = None if fresh else load(file, key)
    if found is not None:
        tell(experiment.name, "was done before")
        return found
    tell(experiment.name, "runs")
    start = time.perf_counter()
    result = experiment.run(parameters, engine)
    claims, tables = tuple(experiment.claims(result)), tuple(experiment.tables(result))
    tell(experiment.name, "is drawn")
    figures = tuple(_draw(picture, folder, quick) for picture in experiment.pictures(result))
    seconds = time.perf_counter() - start
    part = Part(experiment.name, experiment.title, experiment.about, key, seconds, claims, tables, figures)
    save(part, file)
    tell(experiment.name, "is done")
    return part


def _draw(picture: Picture, folder: Path, quick: bool) -> Figure:
    file = f"figures/{picture.name}{'-quick' if quick else ''}.png"
    picture.draw().savefig(folder / file, dpi=_DPI)
    return Figure(file, picture.caption)
