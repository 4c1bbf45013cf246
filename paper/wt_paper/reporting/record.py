"""Recorded verdicts of an earlier run, what differs from them, and the report that says so."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wasserstein_transform._files import write_bytes

from ..experiments.experiment import Claim, Verdict
from ..experiments.parameters import FULL
from .part import Part

MAX_LISTED = 6  # the most claims of an experiment that a summary lists
_FILE = Path(__file__).parents[2] / "record.json"


@dataclass(frozen=True)
class Entry:
    """The recorded verdict on a claim; `held` and `failed` are names of cases."""

    statement: str
    verdict: Verdict
    held: tuple[str, ...]
    failed: tuple[str, ...]
    measured: str


@dataclass(frozen=True)
class Change:
    """A difference between a claim and its record.

    Attributes
    ----------
    name : str
    said : str
        Description of the change.
    is_failure : bool
        Whether a case that held is lost, for a claim that does not depend on running times.
    is_new : bool
        Whether the claim is not on record.
    """

    name: str
    said: str
    is_failure: bool
    is_new: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.said}"


def read_record(quick: bool = False) -> dict[str, Entry]:
    """Recorded claims by name, of quick or full runs."""
    raw = json.loads(_FILE.read_text(encoding="utf-8"))["quick" if quick else "full"]
    return {name: _entry(**entry) for name, entry in raw.items()}


def _entry(statement: str, verdict: str, held: list[str], failed: list[str], measured: str) -> Entry:
    return Entry(statement, Verdict(verdict), tuple(held), tuple(failed), measured)


def changes(parts: Iterable[Part], record: dict[str, Entry]) -> tuple[Change, ...]:
    """Differences from the record, for the experiments that were run."""
    result = []
    for part in parts:
        claims = {claim.name: claim for claim in part.claims}
        known = [name for name in record if name.startswith(f"{part.name}:")]
        result += [Change(name, "is on record, and was not judged", True) for name in known if name not in claims]
        result += [change for claim in part.claims for change in _compare(claim, record.get(claim.name))]
    return tuple(result)


def _compare(claim: Claim, entry: Entry | None) -> list[Change]:
    if entry is None:
        return [Change(claim.name, f"{claim.verdict}, not on record", False, is_new=True)]
    clock = ", depends on running times" if claim.timed else ""
    held = {choice.name for choice in claim.choices if choice.holds}
    lost, won = [name for name in entry.held if name not in held], held - set(entry.held)
    said = [f"lost “{name}” (the claim is {claim.verdict}, was {entry.verdict}{clock})" for name in lost]
    result = [Change(claim.name, words, not claim.timed) for words in said]
    return [*result, *(Change(claim.name, f"now holds for “{name}”{clock}", False) for name in sorted(won))]


def open_record(file: Path) -> dict[str, dict[str, Any]]:
    """The records of full and quick runs in a file; for a new file, those of the library."""
    if not file.absolute().parent.is_dir():
        raise ValueError(f"{file.absolute().parent} is no folder; make it first")
    try:
        raw: dict[str, dict[str, Any]] = json.loads((file if file.exists() else _FILE).read_text(encoding="utf-8"))
        if raw.keys() == {"full", "quick"} and all(isinstance(known, dict) for known in raw.values()):
            return raw
    except (OSError, ValueError, AttributeError, RecursionError):
        pass
    raise ValueError(f"{file} is not a record of verdicts; give one, or an unused name")


def write_record(file: Path, parts: Iterable[Part], quick: bool = False) -> None:
    """Write the verdicts of parts into a record; the entries of other experiments stay."""
    raw = open_record(file)
    key = "quick" if quick else "full"
    new = {part.name: {claim.name: _raw(claim) for claim in part.claims} for part in parts}
    kept = {name: entry for name, entry in raw[key].items() if name.partition(":")[0] not in new}
    known = {**kept, **{name: entry for claims in new.values() for name, entry in claims.items()}}
    order = list(FULL)
    raw[key] = dict(sorted(known.items(), key=lambda item: order.index(item[0].partition(":")[0])))
    write_bytes(file, (json.dumps(raw, ensure_ascii=False, indent=1) + "\n").encode())


def _raw(claim: Claim) -> dict[str, str | list[str]]:
    return {
        "statement": claim.statement,
        "verdict": claim.verdict,
        "held": [choice.name for choice in claim.choices if choice.holds],
        "failed": [choice.name for choice in claim.choices if not choice.holds],
        "measured": claim.measured,
    }


def summary() -> str:
    """The record of full runs as a Markdown table with a row for each experiment, for docs/paper.md."""
    result: dict[str, dict[Verdict, list[str]]] = {}
    for name, entry in read_record().items():
        experiment, _, claim = name.partition(": ")
        result.setdefault(experiment, {verdict: [] for verdict in Verdict})[entry.verdict].append(claim)
    rows = [_row(experiment, *(_few(claims) for claims in result[experiment].values())) for experiment in result]
    return "\n".join([_row("experiment", *Verdict), _row(*["---"] * 4), *rows])


def _few(claims: list[str]) -> str:
    return "; ".join(claims) if len(claims) <= MAX_LISTED else f"{len(claims)} statements"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@dataclass(frozen=True)
class Report:
    """The result of a reproduction.

    Attributes
    ----------
    parts : tuple of Part
        The requested experiments, and others whose results were in the folder.
    changes : tuple of Change
        Differences from the record.
    quick : bool
    page, text : Path
        The files of the report, as HTML and as Markdown.
    """

    parts: tuple[Part, ...]
    changes: tuple[Change, ...]
    quick: bool
    page: Path
    text: Path

    @property
    def failed(self) -> tuple[Change, ...]:
        """Claims that lost a case that held on record, except those that depend on running times."""
        return tuple(change for change in self.changes if change.is_failure)
