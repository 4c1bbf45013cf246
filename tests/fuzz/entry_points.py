"""All entry points that read files, in one table: how a small valid file is made, and who reads it.

A new entry point is three lines in `ENTRY_POINTS`: its name, and `EntryPoint` of the name of the file, who makes some
valid ones, and who reads one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import wasserstein_transform as wt
from fuzz import layers, seeds
from fuzz.layers import Layer
from wasserstein_transform import io, tables
from wasserstein_transform.explorer.data import Shelf
from wasserstein_transform.image.reading import from_file
from wasserstein_transform.tables import columns
from wt_paper.reporting import part, record


def _nothing(found: Any) -> None:
    """Nothing more is done with it."""


@dataclass(frozen=True)
class EntryPoint:
    """A way for a file to come in.

    Attributes
    ----------
    file : str
        A name for such files; its ending may decide who reads them.
    make : callable
        Some small valid files.
    read : callable
        What reads one.
    use : callable
        What is done with the value that was read.
    layers : tuple
        What a file is made of: it is changed inside of them, so that what is around stays right.
    """

    file: str
    make: Callable[[], list[bytes]]
    read: Callable[[Path], Any]
    use: Callable[[Any], None] = _nothing
    layers: tuple[Layer, ...] = (layers.plain,)

    def seeds(self) -> list[bytes]:
        """The valid files, made once."""
        return _made(self.make)


@cache
def _made(make: Callable[[], list[bytes]]) -> list[bytes]:
    return make()


def _use_table(table: pd.DataFrame) -> None:
    if columns.numeric(table):
        tables.coordinates(table, columns.numeric(table))
    if "geometry" in table:
        tables.coordinates(table)


def _use_space(space: wt.Space) -> None:
    some = np.arange(min(space.n, 100))
    space.metric.block(some, some)


def _use_walk(walk: Any) -> None:
    _use_space(walk.last)


def _use_estimator(found: Any) -> None:
    for name in ("transform", "predict"):
        if hasattr(found, name):
            getattr(found, name)(np.array([[0.0, 0.5], [0.25, -1.0]]))


def _shelved(file: Path) -> Any:
    shelf = Shelf()
    return shelf.get(shelf.open(file.name, file.read_bytes()))


def _table(file: str, make: Callable[[], list[bytes]], *around: Layer) -> EntryPoint:
    return EntryPoint(file, make, io.read, _use_table, around or (layers.plain,))


def _archive(make: Callable[[], list[bytes]], read: Callable[[Path], Any], use: Callable[[Any], None]) -> EntryPoint:
    return EntryPoint("kept.npz", make, read, use, (layers.plain, layers.members, layers.archive, layers.tree))


def _picture(kind: str, *around: Layer) -> EntryPoint:
    return EntryPoint(f"picture.{kind}", lambda: seeds.pictures(kind), from_file, layers=(layers.plain, *around))


ENTRY_POINTS: dict[str, EntryPoint] = {
    "csv": _table("points.csv", seeds.csv),
    "tsv": _table("points.tsv", lambda: seeds.encoded("tsv")),
    "txt": _table("points.txt", lambda: seeds.encoded("txt")),
    "csv.gz": _table("points.csv.gz", lambda: seeds.packed("gz"), layers.plain, layers.gz),
    "csv.xz": _table("points.csv.xz", lambda: seeds.packed("xz"), layers.plain, layers.xz),
    "csv.bz2": _table("points.csv.bz2", lambda: seeds.packed("bz2"), layers.plain, layers.bz2),
    "geojson": _table("points.geojson", lambda: seeds.encoded("geojson")),
    "gpx": _table("trips.gpx", seeds.gpx),
    "gpkg": _table("points.gpkg", lambda: seeds.encoded("gpkg")),
    "fgb": _table("points.fgb", lambda: seeds.encoded("fgb")),
    "ply": _table("points.ply", seeds.ply),
    "npy": _table("points.npy", seeds.npy),
    "npz": _table("points.npz", seeds.npz, layers.plain, layers.members),
    "parquet": _table("points.parquet", seeds.parquet),
    "las": _table("points.las", lambda: seeds.las("las")),
    "matrix csv": EntryPoint("matrix.csv", lambda: seeds.matrices("csv"), io.read_matrix),
    "matrix npy": EntryPoint("matrix.npy", lambda: seeds.matrices("npy"), io.read_matrix),
    "shelf": EntryPoint("points.csv", seeds.csv, _shelved),
    "png": _picture("png", layers.png),
    "jpg": _picture("jpg"),
    "tif": _picture("tif"),
    "gif": _picture("gif"),
    "bmp": _picture("bmp"),
    "webp": _picture("webp"),
    "edges": EntryPoint("edges.csv", seeds.edges, wt.graphs.read_graph),
    "gml": EntryPoint("graph.gml", lambda: seeds.graphs("gml"), wt.graphs.read_graph),
    "graphml": EntryPoint("graph.graphml", lambda: seeds.graphs("graphml"), wt.graphs.read_graph),
    "space": _archive(seeds.spaces, wt.Space.load, _use_space),
    "trajectory": _archive(seeds.trajectories, wt.transforms.Trajectory.load, _use_walk),
    "estimator": _archive(seeds.estimators, seeds.load_estimator, _use_estimator),
    "distances": EntryPoint("matrix.npy", lambda: seeds.matrices("npy"), wt.Space.from_distances, _use_space),
    "part": EntryPoint("part.json", seeds.parts, lambda file: part.load(file, "key")),
    "record": EntryPoint("record.json", seeds.records, record.open_record),
}
"""Entry points by name."""
