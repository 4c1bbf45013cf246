"""An experiment that is done, as a file: what a report needs of it, and what it was made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..._files import write_bytes
from ..claims import Choice, Claim
from ..experiment import Table
from .machine import this_machine

_PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True)
class Figure:
    """A picture in a file beside the report."""

    file: str
    caption: str


@dataclass(frozen=True)
class Part:
    """What came out of an experiment.

    Attributes
    ----------
    name, title, about : str
    key : str
        Stands for the source, the versions and the parameters it was made of.
    machine : str
        On what it was made.
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
    """A fingerprint of the parameters, the source that computes and draws, and the versions of what it uses.

    What was made of others is made again; commands and reports may change.
    """
    seen = hashlib.sha256(repr((parameters, this_machine().versions)).encode())
    for file in sorted(_PACKAGE.rglob("*.py")):
        if not {"cli", "reporting"} & set(file.relative_to(_PACKAGE).parts):
            seen.update(file.read_bytes())
    return seen.hexdigest()[:16]


def save(part: Part, file: Path) -> None:
    """As JSON."""
    write_bytes(file, json.dumps(asdict(part), ensure_ascii=False, indent=1).encode())


def load(file: Path, key: str) -> Part | None:
    """The part if it is there, was made of the same source and parameters, and its figures are there, too."""
    folder = file.parent.parent
    try:
        part = _from_json(json.loads(file.read_text(encoding="utf-8")))
        there = all(_is_inside(folder / figure.file, folder) for figure in part.figures)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):  # not there, or not ours
        return None
    return part if part.key == key and there else None


def _is_inside(figure: Path, folder: Path) -> bool:
    """Whether it is a figure of this report: a part must not bring other files into the page."""
    return figure.resolve().is_relative_to(folder.resolve()) and figure.is_file() and figure.stat().st_size > 0


def _from_json(raw: dict[str, Any]) -> Part:
    claims = tuple(_claim(claim) for claim in raw.pop("claims"))
    tables = tuple(_table(table) for table in raw.pop("tables"))
    figures = tuple(Figure(**figure) for figure in raw.pop("figures"))
    part = Part(claims=claims, tables=tables, figures=figures, **raw)
    if not isinstance(part.seconds, int | float) or not all(isinstance(text, str) for text in _texts(part)):
        raise ValueError("a part holds texts, and the seconds it took")
    return part


def _texts(part: Part) -> Iterator[object]:
    """All that a report writes of it."""
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
        raise ValueError("a case holds or does not")
    return Claim(choices=tuple(Choice(**choice) for choice in raw.pop("choices")), **raw)


def _table(raw: dict[str, Any]) -> Table:
    return Table(header=tuple(raw.pop("header")), rows=tuple(map(tuple, raw.pop("rows"))), **raw)
