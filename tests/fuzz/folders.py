"""Folders as entry points: stores, runs of clouds. They travel as archives, and are changed member by member."""

from __future__ import annotations

import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.clouds.blocks import open_block
from wasserstein_transform.engine import tasks as tiles
from wasserstein_transform.engine.tile_files import TileFiles

X = np.random.default_rng(0).normal(size=(60, 2))
PROCESS = wt.gaussian_transform(0.5, 1.0)
_RECORDS = {f"{'a' * 32}/{k}": (np.arange(5.0) + k).tobytes() for k in range(3)}


def packed(make: Callable[[Path], object]) -> list[bytes]:
    """A folder that something makes, as an archive."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        raw = BytesIO()
        with zipfile.ZipFile(raw, "w") as members:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file():
                    members.writestr(path.relative_to(folder).as_posix(), path.read_bytes())
        return [raw.getvalue()]


def unpacked(file: Path) -> Path:
    """The folder of an archive; one that is no archive any more is none of ours."""
    folder = file.with_name(f"{file.name}.folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        with zipfile.ZipFile(file) as members:
            members.extractall(folder)
    except Exception as error:
        raise ValueError(f"{file} is no archive") from error
    return folder


def _walk(store: Path) -> Any:
    """Some work with a store, in small tiles."""
    tiles.cut_by_cost.__defaults__ = (2e4,)  # type: ignore[attr-defined]
    space = wt.Space.from_points(X)
    with wt.Store(store) as kept:
        engine = wt.Engine(n_jobs=1, store=kept)
        wt.wasserstein_pairs(wt.Truncation(0.8)(space), space.metric, engine=engine)
        return wt.iterate(PROCESS, space, n_iter=2, engine=engine)


def stores() -> list[bytes]:
    """A store with tiles and states."""
    wt.transforms.trajectory._MAX_WRITING_SHARE = np.inf
    return packed(lambda folder: _walk(folder / "store"))


def read_store(file: Path) -> Any:
    """Go on with it: what comes out must be what would be computed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wt.engine.StoreWarning)
        walk = _walk(unpacked(file) / "store")
    expected = wt.iterate(PROCESS, wt.Space.from_points(X), n_iter=2)
    assert np.array_equal(walk.points, expected.points)
    return walk


def _cloud(folder: Path, n_iter: int) -> Any:
    if not (folder / "x.npy").exists():
        np.save(folder / "x.npy", X)
    return wt.clouds.iterate(PROCESS, folder / "x.npy", folder=folder / "run", n_iter=n_iter, n_parts=3)


def clouds() -> list[bytes]:
    """A run of a cloud that can go on; where its points lie is another place each time, which is looked up anew."""
    return packed(lambda folder: _cloud(folder, 1))


def read_cloud(file: Path) -> Any:
    """Go on with it."""
    return _cloud(unpacked(file), 2).points()


def blocks() -> list[bytes]:
    """Blocks of a cloud."""
    with tempfile.TemporaryDirectory() as folder:
        _cloud(Path(folder), 0)
        return [path.read_bytes() for path in sorted(Path(folder).glob("run/*/*.block"))[:2]]


def read_block(file: Path) -> Any:
    """All of a block."""
    block = open_block(file)
    return sum(points.n for points in block.read(block.all_chunks))


def tile_files() -> list[bytes]:
    """A file of three tiles."""
    with tempfile.TemporaryDirectory() as folder:
        files = TileFiles(Path(folder))
        for name, record in _RECORDS.items():
            files.add(name, record)
        files.flush()
        return [path.read_bytes() for path in Path(folder).iterdir()]


def read_tile_files(file: Path) -> Any:
    """All tiles that are whole, which must be those that were put there."""
    folder = file.with_name(f"{file.name}.folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(file, folder / "00000001.zip")
    files = TileFiles(folder)
    assert all(files.read(name) in (record, None) for name, record in _RECORDS.items())
    return files
