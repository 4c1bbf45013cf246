"""Run experiments, cache finished ones, and write the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypeAlias

from wasserstein_transform._files import write_bytes
from wasserstein_transform.engine import Engine, current, using
from wasserstein_transform.plotting.style import need_matplotlib

from ..experiments.experiment import Experiment, Picture
from ..experiments.parameters import FULL, QUICK
from .markdown import markdown
from .page import page
from .part import Figure, Part, key_of, load, save, this_machine
from .record import Report, changes, read_record

_DPI = 200

Tell: TypeAlias = Callable[[str, str], None]
"""Called with the name of an experiment and its state: "runs", "is drawn", "is done" or "was done before"."""


def reproduce(
    names: Iterable[str],
    folder: Path,
    *,
    quick: bool = False,
    fresh: bool = False,
    engine: Engine | None = None,
    tell: Tell = lambda name, what: None,
    experiments: Mapping[str, Experiment],
) -> Report:
    """Run experiments and write a report and figures into a folder.

    Parameters
    ----------
    names : iterable of str
        Experiments to run. The report also includes valid results of other experiments in the folder.
    folder : Path
        Made if it does not exist. Results of finished experiments are kept in it and reused, unless source or
        parameters change.
    quick : bool, default False
        Smaller data, fewer seeds and readings: under a minute. Quick reports have other file names.
    fresh : bool, default False
        Run all experiments again.
    engine : Engine, optional
        Engine for the computation. Default None: the current engine.
    tell : callable, optional
        Called when the state of an experiment changes.
    experiments : mapping of str to Experiment
        All experiments, in the order of the report.
    """
    need_matplotlib()  # raises now rather than after minutes
    requested = set(names)
    make_folders(folder)
    made = (
        _make_part(experiments[name], folder, quick, fresh, current(engine), tell)
        if name in requested
        else _load_part(name, folder, quick)
        for name in experiments
    )
    parts = tuple(part for part in made if part is not None)
    stem = "report-quick" if quick else "report"
    report = Report(
        parts, changes(parts, read_record(quick)), quick, folder / f"{stem}.html", folder / f"{stem}.md"
    )  # fmt: skip
    write_bytes(report.text, markdown(report).encode())
    write_bytes(report.page, page(report, folder).encode())
    return report


def make_folders(folder: Path) -> None:
    """Make the folders for parts and figures, and check that they are writable before anything runs."""
    for inner in (folder, folder / "parts", folder / "figures"):
        inner.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=inner):
            pass


def _file(name: str, folder: Path, quick: bool) -> Path:
    return folder / "parts" / f"{name}{'-quick' if quick else ''}.json"


def _load_part(name: str, folder: Path, quick: bool) -> Part | None:
    part = load(_file(name, folder, quick), key_of((QUICK if quick else FULL)[name]))
    return part if part is None or part.name == name else None


def _make_part(experiment: Experiment, folder: Path, quick: bool, fresh: bool, engine: Engine, tell: Tell) -> Part:
    kept = None if fresh else _load_part(experiment.name, folder, quick)
    if kept is not None:
        tell(experiment.name, "was done before")
        return kept
    tell(experiment.name, "runs")
    parameters = (QUICK if quick else FULL)[experiment.name]
    key, start = key_of(parameters), time.perf_counter()
    with using(engine):
        result = experiment.run(parameters, engine)
    claims, tables = tuple(experiment.claims(result)), tuple(experiment.tables(result))
    tell(experiment.name, "is drawn")
    figures = tuple(_draw(picture, folder, quick) for picture in experiment.pictures(result))
    part = Part(
        experiment.name, experiment.title, experiment.about, key, str(this_machine()), time.perf_counter() - start,
        claims, tables, figures,
    )  # fmt: skip
    save(part, _file(experiment.name, folder, quick))
    tell(experiment.name, "is done")
    return part


def _draw(picture: Picture, folder: Path, quick: bool) -> Figure:
    file = f"figures/{picture.name}{'-quick' if quick else ''}.png"
    drawn = BytesIO()
    picture.draw().savefig(drawn, dpi=_DPI, format="png")
    write_bytes(folder / file, drawn.getvalue())
    return Figure(file, picture.caption)
