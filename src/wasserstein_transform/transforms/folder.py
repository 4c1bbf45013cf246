"""The folder of a run: it keeps the states, so that the same call goes on after it was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from .._archive import described, fingerprint
from .._check import shown, warn
from .._files import PathLike, write_bytes
from ..cuda import device_name
from ..engine import TILES_SUFFIX, Engine, code
from .trajectory import Trajectory

_NAME, _FORMAT = "run.json", "wasserstein-transform run 1"
_MAX_BYTES = 1 << 16  # of run.json
_INSTEAD = "give another folder, or delete this one"


class RunFolder:
    """A folder with the states of one run, each in a file that gets its name when it is complete.

    Exact transport keeps its finished tiles there, too, until the state that they belong to is complete.

    Parameters
    ----------
    path : path
        A folder of this run alone; it is made if it does not exist.
    problem : tuple
        All that the states depend on: the space, the process, …
    everything : bool
        Whether all states are needed, or only the last.
    engine : Engine
        Where the run is computed.
    """

    def __init__(self, path: PathLike, problem: tuple[Any, ...], everything: bool, engine: Engine) -> None:
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise TypeError(f"out must be a folder, got {shown(path)}")
        try:
            run = fingerprint((described(problem), device_name(engine), engine.precision))
        except TypeError as error:
            raise TypeError(f"a run cannot be kept in a folder: {error}; leave out= away") from None
        self.path, self._everything, self._engine = Path(path), everything, engine
        open_folder(self.path, _FORMAT, run)

    def latest(self, n_iter: int) -> Trajectory | None:
        """Read the longest run of at most `n_iter` iterations that was kept."""
        for k in sorted((k for k in self._numbers() if k <= n_iter), reverse=True):
            needed = range(k + 1) if self._everything else [k]
            if not self._numbers().issuperset(needed):
                continue
            try:
                states = [Trajectory.load(self._file(j), self._engine) for j in needed]
            except (ValueError, OSError) as error:
                warn(f"a state is damaged, and is computed again: {error}")
                continue
            quotients = tuple(state.quotients[-1] for state in states)
            return replace(states[-1], quotients=quotients, first=needed[0])
        return None

    def saving(self, hook: Callable[[Trajectory], None] | None) -> Callable[[Trajectory], None]:
        """A hook that keeps the newest state, and then calls another."""

        def save_and_call(trajectory: Trajectory) -> None:
            self.save(trajectory)
            if hook is not None:
                hook(trajectory)

        return save_and_call

    def save(self, trajectory: Trajectory) -> None:
        """Keep the newest state of a run; one that memory does not hold is made of its tiles again."""
        if trajectory.quotients[-1].space.metric.is_on_disk:
            return
        trajectory.only_last().save(self._file(trajectory.n_iter))
        old = [] if self._everything else [self._file(k) for k in self._numbers() if k < trajectory.n_iter - 1]
        for file in [*old, *self.path.glob(f"*{TILES_SUFFIX}")]:
            with suppress(OSError):  # a file that another process has open
                file.unlink()

    def _file(self, k: int) -> Path:
        return self.path / f"{k:06d}.npz"

    def _numbers(self) -> set[int]:
        return {int(file.stem) for file in self.path.glob("*.npz") if file.stem.isdecimal()}


def open_folder(path: Path, kind: str, run: str) -> None:
    """Make a folder for a run of a kind, or check that it is of this run, which is given by its fingerprint."""
    about = {"format": kind, "run": run, "code": code()}
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to make {path.name} in")
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"out must be a folder, and {path} is a file; give another name")
    path.mkdir(exist_ok=True)
    for leftover in path.glob(".*.part"):  # of a process that was killed
        leftover.unlink(missing_ok=True)
    if not (path / _NAME).exists():
        if any(path.iterdir()):
            raise ValueError(f"{path} holds other files; give an empty folder, or the name of a new one")
        write_bytes(path / _NAME, json.dumps(about, indent=1).encode())
        return
    try:
        with (path / _NAME).open("rb") as stream:
            known = json.loads(stream.read(_MAX_BYTES))
        is_run = known["format"].rpartition(" ")[0] == kind.rpartition(" ")[0]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_run = False
    if not is_run:
        raise ValueError(f"{path / _NAME} is damaged, or of another program; {_INSTEAD}")
    if known["format"] != kind or known.get("code") != about["code"]:
        raise ValueError(
            f"{path} holds a run by another version of this library or of those it uses, or on another processor: its "
            f"last bits may differ; {_INSTEAD}"
        )
    if known.get("run") != about["run"]:
        raise ValueError(f"{path} holds another run: of other points, or with other parameters; {_INSTEAD}")
