"""A finished experiment, stored in a file with everything that a report needs, and the machine it ran on."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import wasserstein_transform as wt
from wasserstein_transform._files import write_bytes
from wasserstein_transform.engine import current

from ..experiments.experiment import Choice, Claim, Table

_PACKAGES = ("wasserstein-transform", "numpy", "scipy", "numba", "scikit-learn", "matplotlib")


_SOURCES = (Path(wt.__file__).parent, Path(__file__).parents[1])  # the library, and this package


@dataclass(frozen=True)
class Machine:
    """System, number of cores, and versions of packages."""

    system: str
    n_cores: int
    versions: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        cores = f"{self.n_cores} core{'s' if self.n_cores > 1 else ''}"
        return f"{self.system}, {cores}; " + ", ".join(f"{name} {number}" for name, number in self.versions)


def this_machine() -> Machine:
    """The machine that runs this, without its host name."""
    versions = [("Python", platform.python_version())]
    for name in _PACKAGES:
        try:
            versions.append((name, version(name)))
        except PackageNotFoundError:  # not installed, but run from a source folder
            continue
    return Machine(f"{platform.system()} {platform.machine()}", current().n_threads, tuple(versions))


@dataclass(frozen=True)
class Figure:
    """A figure in a file next to the report."""

    file: str
    caption: str


@dataclass(frozen=True)
class Part:
    """The results of an experiment.

    Attributes
    ----------
    name, title, about : str
    key : str
        Fingerprint of the source, the versions and the parameters.
    machine : str
        The machine on which it ran.
    seconds : float
    claims, tables, figures : tuple
    """

    name: str
    title: str
    about: str
    key: str
    machine: str
    seconds: float
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]


def key_of(parameters: Any) -> str:
    """A fingerprint of the parameters, the source code and the versions of packages.

    A part with another fingerprint is computed again. The modules of the command line and of reports are left out,
    because they do not affect results.
    """
    seen = hashlib.sha256(repr((parameters, this_machine().versions)).encode())
    for folder in _SOURCES:
        for file in sorted(folder.rglob("*.py")):
            if not {"cli", "reporting", "command.py"} & set(file.relative_to(folder).parts):
                seen.update(file.read_bytes())
    return seen.hexdigest()[:16]


def save(part: Part, file: Path) -> None:
    """Write a part to a JSON file."""
    write_bytes(file, json.dumps(asdict(part), ensure_ascii=False, indent=1).encode())


def load(file: Path, key: str) -> Part | None:
    """The part in a file, or None if it is missing, has another key, or lacks figures."""
    folder = file.parent.parent
    try:
        part = _from_json(json.loads(file.read_text(encoding="utf-8")))
        there = all(_is_inside(folder / figure.file, folder) for figure in part.figures)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):  # missing or invalid
        return None
    return part if part.key == key and there else None


def _is_inside(figure: Path, folder: Path) -> bool:
    """Whether a figure is in the folder: a part must not put other files into the page."""
    return figure.resolve().is_relative_to(folder.resolve()) and figure.is_file() and figure.stat().st_size > 0


def _from_json(raw: dict[str, Any]) -> Part:
    claims = tuple(_claim(claim) for claim in raw.pop("claims"))
    tables = tuple(_table(table) for table in raw.pop("tables"))
    figures = tuple(Figure(**figure) for figure in raw.pop("figures"))
    part = Part(claims=claims, tables=tables, figures=figures, **raw)
    if not isinstance(part.seconds, int | float) or not all(isinstance(text, str) for text in _texts(part)):
        raise ValueError("a part must hold texts and a number of seconds")
    return part


def _texts(part: Part) -> Iterator[object]:
    """All texts that a report contains."""
    yield from (part.name, part.title, part.about, part.key, part.machine)
    for claim in part.claims:
        yield from (claim.name, claim.where, claim.statement, claim.quantity, claim.note)
        yield from (text for choice in claim.choices for text in (choice.name, choice.measured))
    for table in part.tables:
        yield from (table.title, table.note, *table.header, *(cell for row in table.rows for cell in row))
    for figure in part.figures:
        yield from (figure.file, figure.caption)


def _claim(raw: dict[str, Any]) -> Claim:
    if not raw["choices"] or not all(isinstance(choice["holds"], bool) for choice in raw["choices"]):
        raise ValueError("a case must have holds = true or false")
    return Claim(choices=tuple(Choice(**choice) for choice in raw.pop("choices")), **raw)


def _table(raw: dict[str, Any]) -> Table:
    return Table(header=tuple(raw.pop("header")), rows=tuple(map(tuple, raw.pop("rows"))), **raw)
