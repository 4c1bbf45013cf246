"""Labelled sets: folders of text files, tables, those of scikit-learn, and generated ones.

A folder (or its folders) holds `NAME.data.gz`, a row for each point, and `NAME.labels0.gz`, `NAME.labels1.gz`, …: a
number for each point, 0 for noise. A folder of tables holds `NAME.csv.gz` (commas) and `NAME.txt.gz` (blanks) without
header, the label (1, 2, …) last. Points of a folder are taken as they are; columns of tables and of scikit-learn's sets
are scaled to a standard deviation of 1, for every method alike.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .families import FAMILIES, generate
from .split import family_of, half_of

SUFFIX = ".data.gz"
FIRST_SEED = 1_000_000  # of generated sets: the judge of `wt.cluster` was trained on small ones


@dataclass(frozen=True, eq=False)
class Labelled:
    """Points and one or several references, each a label for every point; 0 is noise."""

    collection: str
    name: str
    X: NDArray[np.float64]
    references: tuple[NDArray[np.intp], ...]

    def __post_init__(self) -> None:
        for reference in self.references:
            if reference.shape != (len(self.X),):
                raise ValueError(
                    f"{self.name}: {len(self.X)} points and {len(reference)} labels; one for each is needed"
                )

    @property
    def family(self) -> str:
        """Sets of a family are in the same half."""
        return family_of(self.name)

    @property
    def half(self) -> str:
        """A or B."""
        return half_of(self.family)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of clusters of each reference."""
        return tuple(len(np.unique(reference[reference > 0])) for reference in self.references)

    @property
    def fingerprint(self) -> str:
        """Of points and labels."""
        digest = hashlib.sha256(np.ascontiguousarray(self.X, np.float64).tobytes())
        for reference in self.references:
            digest.update(np.ascontiguousarray(reference, np.int64).tobytes())
        return digest.hexdigest()[:16]


def read_folder(folder: str | Path) -> list[Labelled]:
    """All sets of a folder and the folders in it, sorted by name."""
    folder = Path(folder)
    files = sorted(folder.rglob(f"*{SUFFIX}"), key=lambda file: file.name)
    if not files:
        raise SystemExit(f"{folder} holds no file *{SUFFIX}; name a folder of labelled sets")
    return [_read(file, folder.resolve().name) for file in files]


def _read(file: Path, collection: str) -> Labelled:
    name = file.name.removesuffix(SUFFIX)
    labels = sorted(file.parent.glob(f"{name}.labels*.gz"))
    if not labels:
        raise SystemExit(f"{file} has no labels beside it; {name}.labels0.gz is needed")
    references = tuple(np.loadtxt(one, dtype=np.intp, ndmin=1) for one in labels)
    return Labelled(collection, name, np.loadtxt(file, ndmin=2), references)


def read_tables(folder: str | Path) -> list[Labelled]:
    """All tables of a folder, scaled, sorted by name; the name of their collection, `uci_`, is cut off."""
    files = [file for file in sorted(Path(folder).iterdir()) if file.name.endswith((".csv.gz", ".txt.gz"))]
    if not files:
        raise SystemExit(f"{folder} holds no table NAME.csv.gz or NAME.txt.gz; name a folder of labelled tables")
    found = []
    for file in files:
        rows = np.loadtxt(file, delimiter="," if ".csv" in file.name else None, ndmin=2)
        name = file.name.split(".")[0].removeprefix("uci_")
        found.append(Labelled("tables", name, scaled(rows[:, :-1]), (rows[:, -1].astype(np.intp),)))
    return found


def scaled(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of mean 0 and standard deviation 1; constant ones are 0."""
    deviation = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0))


def sklearn_sets() -> list[Labelled]:
    """Iris, wine, breast cancer, digits, scaled."""
    datasets = importlib.import_module("sklearn.datasets")
    found = []
    for name in ("iris", "wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        found.append(Labelled("scikit-learn", name, scaled(X), (np.asarray(y, np.intp) + 1,)))
    return found


def generated_sets(seeds: list[int]) -> Iterator[Labelled]:
    """A set of every family for each seed."""
    for seed in seeds:
        for family in sorted(FAMILIES):
            name, X, labels = generate(FIRST_SEED + seed, family)
            yield Labelled("generated", f"{name.replace('_', '')}-seed{seed}", X, (labels.astype(np.intp),))
