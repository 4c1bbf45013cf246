"""An experiment that is done, as a file: what a report needs of it, and what it was made of."""

from __future__ import annotations

import hashlib
import json
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
    try:
        part = _from_json(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):  # not there, or not ours
        return None
    figures = [file.parent.parent / figure.file for figure in part.figures]
    there = all(figure.is_file() and figure.stat().st_size > 0 for figure in figures)
    return part if part.key == key and there else None


def _from_json(raw: dict[str, Any]) -> Part:
    claims = tuple(_claim(claim) for claim in raw.pop("claims"))
    tables = tuple(_table(table) for table in raw.pop("tables"))
    figures = tuple(Figure(**figure) for figure in raw.pop("figures"))
    return Part(claims=claims, tables=tables, figures=figures, **raw)


def _claim(raw: dict[str, Any]) -> Claim:
    if not all(isinstance(choice["holds"], bool) for choice in raw["choices"]):
        raise ValueError("a case holds or does not")
    return Claim(choices=tuple(Choice(**choice) for choice in raw.pop("choices")), **raw)


def _table(raw: dict[str, Any]) -> Table:
    return Table(header=tuple(raw.pop("header")), rows=tuple(map(tuple, raw.pop("rows"))), **raw)
