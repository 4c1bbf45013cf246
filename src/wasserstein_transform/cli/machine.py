"""Options for the computation: threads, memory, GPU, store of finished work, cluster."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from .options import Jobs

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_PATIENCE = 10  # seconds to wait for a cluster


@dataclass(frozen=True)
class Machine:
    """Options for where work runs, and where finished parts of it are kept."""

    keeps: ClassVar[tuple[str, ...]] = ("store", "resume", "scheduler")

    jobs: Jobs = None
    memory: Annotated[str | None, typer.Option(help="Memory limit, such as 4GB.", show_default="free memory")] = None
    store: Annotated[Path | None, typer.Option(help="Keep finished work in this folder, and reuse it.")] = None
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Keep finished work next to the output until the end; continue from it."),
    ] = False
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786.")
    ] = None
    device: Annotated[
        str | None, typer.Option(help="Run on a GPU: cuda, or cuda:1 for the second one.", show_default="cpu")
    ] = None

    def folder(self, output: str | Path | None) -> Path | None:
        """The folder for finished work; None for none."""
        if not self.resume:
            return self.store
        if self.store is not None:
            raise ValueError("--store and --resume both choose a folder for finished work; "
            "leave --resume out: --store continues from what is in its folder")  # fmt: skip
        if not output or str(output) == "-":
            raise ValueError("--resume keeps finished work next to the output, and needs -o NAME")
        return beside(output)

    def left(self, output: str | Path | None) -> str:
        """The message about finished work if the command is stopped."""
        folder = beside(output) if self.resume and output else self.store
        if folder is None:
            return "nothing was written"
        return f"what is finished is kept in {folder}, and the same command goes on from there"


def beside(output: str | Path) -> Path:
    """The folder next to the output for the work of an unfinished run."""
    path = Path(output)
    return path.parent / f"{path.name or 'wt'}.unfinished"


@contextmanager
def working(machine: Machine, output: str | Path | None) -> Iterator[dict[str, Any]]:
    """Yield the settings of the engine. With --resume the folder of finished work is removed after success."""
    folder = machine.folder(output)
    changes: dict[str, Any] = {} if machine.jobs is None else {"n_jobs": machine.jobs}
    if machine.memory is not None:
        changes["memory"] = in_bytes(machine.memory)
    if machine.device is not None:
        from ..cuda import device_name
        from ..engine import Engine

        device_name(Engine(device=machine.device))  # raises now if there is no GPU
        changes["device"] = machine.device
    with ExitStack() as open_things:
        if folder is not None:
            from ..engine import Store

            changes["store"] = open_things.enter_context(Store(folder))
        if machine.scheduler is not None:
            changes["client"] = open_things.enter_context(connected(machine.scheduler))
        yield changes
    if machine.resume and folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def in_bytes(text: str) -> float:
    """Parse a number of bytes: 4GB → 4e9; 4GiB → 4·2³⁰."""
    found = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", text, re.IGNORECASE)
    try:
        number = float(found[1]) if found is not None else -1.0
    except ValueError:
        number = -1.0
    if found is None or number <= 0:
        raise ValueError(f"--memory must be a number of bytes, such as 4GB or 500MiB, got {text!r}")
    unit = _UNITS[found[2].upper()]
    return number * (1024.0 ** round(math.log(unit, 1000)) if found[3] else unit)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A Dask client for the cluster at an address."""
    try:
        import distributed

        make: Any = distributed.Client
    except ImportError:
        raise ImportError('a cluster needs Dask: pip install "wasserstein-transform[dask]"') from None
    try:
        client = make(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise OSError(f"no scheduler answers at {address} ({error}); start one with: dask scheduler") from None
    try:
        yield client
    finally:
        client.close()
