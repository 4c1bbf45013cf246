"""Where a command computes: threads, a GPU, a folder for finished work, other machines."""

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
_PATIENCE = 10  # seconds until a cluster has to answer


@dataclass(frozen=True)
class Machine:
    """Options that say where work runs, and where it is kept until all is done."""

    keeps: ClassVar[tuple[str, ...]] = ("store", "resume", "scheduler")

    jobs: Jobs = None
    memory: Annotated[
        str | None, typer.Option(help="Memory that may be taken, such as 4GB.", show_default="what is free")
    ] = None
    store: Annotated[
        Path | None, typer.Option(help="Keep finished work in that folder, and use what is kept there.")
    ] = None
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Keep finished work beside the output until all is done; go on from it."),
    ] = False
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Send work to a Dask cluster, such as tcp://host:8786.")
    ] = None
    device: Annotated[
        str | None, typer.Option(help="Compute on a GPU: cuda, or cuda:1 for the second one.", show_default="cpu")
    ] = None

    def folder(self, output: str | Path | None) -> Path | None:
        """Where finished work is kept."""
        if not self.resume:
            return self.store
        if self.store is not None:
            raise ValueError("--store names a folder for finished work, and --resume takes one beside the output; "
                             "leave --resume out: --store goes on from what is there")  # fmt: skip
        if not output or str(output) == "-":
            raise ValueError("--resume keeps finished work beside the output: say where that goes, -o NAME")
        return beside(output)

    def left(self, output: str | Path | None) -> str:
        """What is there if the command is stopped."""
        folder = beside(output) if self.resume and output else self.store
        if folder is None:
            return "nothing was written"
        return f"what is finished is kept in {folder}, and the same command goes on from there"


def beside(output: str | Path) -> Path:
    """The folder beside the output that unfinished work is kept in."""
    path = Path(output)
    return path.parent / f"{path.name or 'wt'}.unfinished"


@contextmanager
def working(machine: Machine, output: str | Path | None) -> Iterator[dict[str, Any]]:
    """What to change of the engine. A folder that only this command needs is gone when it ends well."""
    folder = machine.folder(output)
    changes: dict[str, Any] = {} if machine.jobs is None else {"n_jobs": machine.jobs}
    if machine.memory is not None:
        changes["memory"] = in_bytes(machine.memory)
    if machine.device is not None:
        from ..backends import backend_of
        from ..engine import Engine

        backend_of(Engine(device=machine.device))  # a GPU that is not there is missed now
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
    """4GB → 4e9; 4GiB → 4·2³⁰."""
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
    """A client of the cluster at an address."""
    try:
        import distributed

        make: Any = distributed.Client
    except ImportError:
        raise ImportError('a cluster needs Dask: pip install "wasserstein-transform[scale]"') from None
    try:
        client = make(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise OSError(f"no scheduler answers at {address} ({error}); start one by dask scheduler") from None
    try:
        yield client
    finally:
        client.close()
