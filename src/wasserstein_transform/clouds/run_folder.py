"""The folder of a run: a manifest, the state it has reached, and the blocks of the next one as far as they are done.

The manifest is written whole, after everything it speaks of: what is not in it is a leftover, and is swept.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .._files import write_bytes
from ..engine import fingerprint
from ..engine.store import InUseError, Lock, code
from ..transforms import Process
from .points import Scale
from .sources import Source

_FORMAT, _VERSION = "wasserstein-transform cloud", 1
_MANIFEST, _LOCK = "run.json", "lock"
_TAKING, _TAKEN = threading.Lock(), set[str]()
_OURS = re.compile(r"ingest|tau-\d+|\.[0-9a-f]{16}\.part")
INGEST = "ingest"


@dataclass(frozen=True)
class Manifest:
    """What is known of a run. `digest` is None until all points are in blocks."""

    request: str
    looks: list[list[Any]]
    digest: str | None = None
    n: int = 0
    names: tuple[str, ...] = ()
    scale: Scale | None = None
    state: str = INGEST
    lam: float | None = None
    movements: tuple[float, ...] = ()
    hot: tuple[str, ...] | None = None
    started: bool = False
    format: str = field(default=_FORMAT)
    version: int = field(default=_VERSION)


def request_of(process: Process, source: Source) -> str:
    """What was asked for, beside the points: the process, what a point is, and what computes it."""
    return fingerprint((process, source.names(), source.weights is not None, code(), _VERSION))


class RunFolder:
    """The folder of a run, and its manifest."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path, self.manifest = path, manifest

    @classmethod
    def open(cls, path: Path, request: str, source: Source) -> RunFolder:
        """The folder of a run that was asked for: a new one, or one that was left; that of another run is refused."""
        if not (path / _MANIFEST).exists():
            folder = cls(path, Manifest(request, source.looks()))
            folder.save()
            return folder
        folder = cls(path, _read(path / _MANIFEST))
        if folder.manifest.request != request:
            raise ValueError(
                f"{path} holds a run of another process, of other columns, or by another version of this library, of "
                "those it uses, or another processor; give another folder, or remove it"
            )
        folder.sweep()
        return folder

    def save(self, **changes: Any) -> None:
        """Write the manifest, with changes."""
        self.manifest = replace(self.manifest, **changes)
        write_bytes(self.path / _MANIFEST, json.dumps(asdict(self.manifest), indent=1, allow_nan=False).encode())

    def of_state(self, name: str) -> Path:
        """The folder of a state."""
        return self.path / name

    def next_name(self) -> str:
        """The name of the state that comes next."""
        return f"tau-{len(self.manifest.movements) + self.manifest.started:04}"

    def blocks(self, name: str) -> list[Path]:
        """The blocks of a state, in order."""
        return sorted(self.of_state(name).glob("[0-9]*.block"))

    def sweep(self) -> None:
        """Remove what no run will ask for: states before this one, and drafts that nobody finished."""
        kept = {self.manifest.state, self.next_name()}
        for path in self.path.iterdir():
            if _OURS.fullmatch(path.name) and path.name not in kept:
                _remove(path)
        for name in kept:
            for path in self.of_state(name).glob(".*.part"):
                _remove(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The folder, made if there is none, is this run's until the block ends; that of others is refused."""
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"a folder is needed for the blocks of a run, got the file {path}")
    if path.is_dir() and not (path / _MANIFEST).exists() and any(at.name != _LOCK for at in path.iterdir()):
        raise ValueError(f"{path} holds other files, and no run of a cloud; give a new or empty folder")
    path.mkdir(parents=True, exist_ok=True)
    here = str(path.resolve())
    with _TAKING:  # the system knows processes, not threads
        if here in _TAKEN:
            raise InUseError(f"the run in {path} is in use by this process; wait until it ends, or give another folder")
        lock = Lock(path / _LOCK, f"the run in {path}")
        _TAKEN.add(here)
    try:
        yield
    finally:
        with _TAKING:
            _TAKEN.discard(here)
            lock.release()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _read(path: Path) -> Manifest:
    try:
        found = json.loads(path.read_bytes())
        if found.pop("format") != _FORMAT or found.pop("version") != _VERSION:
            raise ValueError("it is of another kind or version")
        scale, hot = found.pop("scale"), found.pop("hot")
        manifest = Manifest(
            **found, scale=None if scale is None else Scale(*map(float, scale)), hot=None if hot is None else tuple(hot)
        )
        _check(manifest)
        return replace(manifest, names=tuple(manifest.names), movements=tuple(map(float, manifest.movements)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged, or no manifest of a run ({error}); remove its folder and start again"
        ) from None


def _check(manifest: Manifest) -> None:
    """Refuse names that lead elsewhere, and numbers that are none."""
    names = [manifest.state, *(manifest.hot or ())]
    if not _OURS.fullmatch(manifest.state) or not all(isinstance(name, str) and "/" not in name for name in names):
        raise ValueError(f"it names the state {manifest.state!r}")
    if not isinstance(manifest.n, int) or manifest.n < 0 or not isinstance(manifest.request, str):
        raise ValueError("it has no number of points")
