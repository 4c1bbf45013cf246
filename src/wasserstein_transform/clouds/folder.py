"""The folder of a run: a manifest, the blocks of the current state, and the finished blocks of the next state.

The manifest is replaced as a whole, after everything it mentions is written. Files it does not mention are leftovers
and are removed.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .._files import check_no_link, write_bytes
from ..engine import Lock, fingerprint
from ..engine.store import code
from ..transforms import Process
from .blocks import WeightScale
from .sources import CloudSource

_FORMAT, _VERSION = "wasserstein-transform cloud", 2
_MANIFEST, _LOCK = "run.json", "lock"
_OWN_NAMES = re.compile(r"ingest|tau-\d+|\.[0-9a-f]{16}\.part")
INGEST = "ingest"


@dataclass(frozen=True)
class Manifest:
    """The state of a run. `digest` is None until all points are in blocks."""

    request: str
    files: list[list[Any]]
    digest: str | None = None
    n: int = 0
    names: tuple[str, ...] = ()
    scale: WeightScale | None = None
    state: str = INGEST
    lam: float | None = None
    movements: tuple[float, ...] = ()
    started: bool = False
    format: str = field(default=_FORMAT)
    version: int = field(default=_VERSION)


def fingerprint_run(process: Process, source: CloudSource) -> str:
    """Return a fingerprint of the run besides its points: process, columns, and versions of the code."""
    return fingerprint((process, source.names(), source.weights is not None, code(), _VERSION))


class RunFolder:
    """The folder of a run, and its manifest."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path, self.manifest = path, manifest

    @classmethod
    def open(cls, path: Path, request: str, source: CloudSource) -> RunFolder:
        """Open the folder of a run, new or interrupted; reject the folder of another run."""
        if not (path / _MANIFEST).exists():
            folder = cls(path, Manifest(request, source.describe_files()))
            folder.save()
            return folder
        folder = cls(path, _read_manifest(path / _MANIFEST))
        if folder.manifest.request != request:
            raise ValueError(
                f"{path} holds a run of another process, of other columns, or by another version of this library, of "
                "its dependencies, or of the processor; give another folder, or remove this one"
            )
        folder.sweep()
        return folder

    def save(self, **changes: Any) -> None:
        """Write the manifest with changes."""
        self.manifest = replace(self.manifest, **changes)
        content = json.dumps(asdict(self.manifest), indent=1, allow_nan=False).encode()
        write_bytes(check_no_link(self.path / _MANIFEST), content)

    def of_state(self, name: str) -> Path:
        """Return the folder of a state."""
        return check_no_link(self.path / name)

    def next_name(self) -> str:
        """Return the name of the next state."""
        return f"tau-{len(self.manifest.movements) + self.manifest.started:04}"

    def blocks(self, name: str) -> list[Path]:
        """Return the blocks of a state, in order."""
        return sorted(self.of_state(name).glob("[0-9]*.block"))

    def sweep(self) -> None:
        """Remove earlier states and unfinished temporary files."""
        kept = {self.manifest.state, self.next_name()}
        for path in self.path.iterdir():
            if _OWN_NAMES.fullmatch(path.name) and path.name not in kept:
                _remove(path)
        for name in kept:
            for path in self.of_state(name).glob(".*.part"):
                _remove(path)


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Create and lock the folder of a run until the context ends; reject a folder with other files or in use."""
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"a folder is needed for the blocks of a run, got the file {path}")
    if path.is_dir() and not (path / _MANIFEST).exists() and any(at.name != _LOCK for at in path.iterdir()):
        raise ValueError(f"{path} holds other files, but no run of a cloud; give a new or empty folder")
    path.mkdir(parents=True, exist_ok=True)
    lock = Lock(path / _LOCK, f"the run in {path}")
    try:
        yield
    finally:
        lock.release()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def _read_manifest(path: Path) -> Manifest:
    try:
        entries = json.loads(path.read_bytes())
        if entries.pop("format") != _FORMAT or entries.pop("version") != _VERSION:
            raise ValueError("it is of another kind or version")
        scale = entries.pop("scale")
        manifest = Manifest(**entries, scale=None if scale is None else WeightScale(*map(float, scale)))
        if not _OWN_NAMES.fullmatch(manifest.state):
            raise ValueError(f"it names the state {manifest.state!r}")
        if not isinstance(manifest.n, int) or manifest.n < 0 or not isinstance(manifest.request, str):
            raise ValueError("it has no number of points")
        return replace(manifest, names=tuple(manifest.names), movements=tuple(map(float, manifest.movements)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is damaged, or not the manifest of a run ({error}); remove its folder and start again"
        ) from None
