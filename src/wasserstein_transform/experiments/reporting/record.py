"""Verdicts on record: what came out when the library was last checked, so that a loss is noticed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..._files import write_bytes
from ..claims import Claim, Verdict
from ..parameters import FULL
from .part import Part

_FEW = 6  # claims of an experiment that a summary names
_FILE = Path(__file__).parents[1] / "record.json"


@dataclass(frozen=True)
class Entry:
    """What is on record of a claim; `held` and `failed` name the cases."""

    statement: str
    verdict: Verdict
    held: tuple[str, ...]
    failed: tuple[str, ...]
    measured: str

    @property
    def share(self) -> str:
        """In how many cases it held."""
        return f"{len(self.held)} of {len(self.held) + len(self.failed)}"


@dataclass(frozen=True)
class Change:
    """A claim of which something else came out than on record.

    Attributes
    ----------
    name : str
    said : str
        What changed, in words.
    is_failure : bool
        Whether a case that held is lost, of a claim that does not depend on the clock.
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
    """Claims by name, of quick or of full runs."""
    raw = json.loads(_FILE.read_text(encoding="utf-8"))["quick" if quick else "full"]
    return {name: _entry(**entry) for name, entry in raw.items()}


def _entry(statement: str, verdict: str, held: list[str], failed: list[str], measured: str) -> Entry:
    return Entry(statement, Verdict(verdict), tuple(held), tuple(failed), measured)


def changes(parts: Iterable[Part], record: dict[str, Entry]) -> tuple[Change, ...]:
    """What differs from the record, of the experiments that were run."""
    found = []
    for part in parts:
        claims = {claim.name: claim for claim in part.claims}
        known = [name for name in record if name.startswith(f"{part.name}:")]
        found += [Change(name, "is on record, and was not judged", True) for name in known if name not in claims]
        found += [change for claim in part.claims for change in _compare(claim, record.get(claim.name))]
    return tuple(found)


def _compare(claim: Claim, entry: Entry | None) -> list[Change]:
    if entry is None:
        return [Change(claim.name, f"{claim.verdict}, not on record", False, is_new=True)]
    clock = ", a matter of seconds" if claim.timed else ""
    held = {choice.name for choice in claim.choices if choice.holds}
    lost, won = [name for name in entry.held if name not in held], held - set(entry.held)
    said = [f"lost “{name}” (the claim is {claim.verdict}, was {entry.verdict}{clock})" for name in lost]
    found = [Change(claim.name, words, not claim.timed) for words in said]
    return [*found, *(Change(claim.name, f"now holds for “{name}”{clock}", False) for name in sorted(won))]


def open_record(file: Path) -> dict[str, dict[str, Any]]:
    """What a file has on record of full and of quick runs; one that is not there begins as the library's own."""
    if not file.absolute().parent.is_dir():
        raise ValueError(f"{file.absolute().parent} is no folder; make it first")
    try:
        raw: dict[str, dict[str, Any]] = json.loads((file if file.exists() else _FILE).read_text(encoding="utf-8"))
        if raw.keys() == {"full", "quick"} and all(isinstance(known, dict) for known in raw.values()):
            return raw
    except (OSError, ValueError, AttributeError, RecursionError):
        pass
    raise ValueError(f"{file} is no record of verdicts; give one, or a name that is free")


def write_record(file: Path, parts: Iterable[Part], quick: bool = False) -> None:
    """Write what came out into a record; what it knows of other experiments stays, in the same order."""
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
    """The record of full runs as a Markdown table, a row for each experiment: what stands in the README."""
    found: dict[str, dict[Verdict, list[str]]] = {}
    for name, entry in read_record().items():
        experiment, _, claim = name.partition(": ")
        found.setdefault(experiment, {verdict: [] for verdict in Verdict})[entry.verdict].append(claim)
    rows = [_row(experiment, *(_few(claims) for claims in found[experiment].values())) for experiment in found]
    return "\n".join([_row("experiment", *Verdict), _row(*["---"] * 4), *rows])


def _few(claims: list[str]) -> str:
    return "; ".join(claims) if len(claims) <= _FEW else f"{len(claims)} statements"


def listing() -> str:
    """The record of full runs as a Markdown table, a row for each claim: what stands in the documentation."""
    rows = [
        _row(name, entry.statement, f"{entry.verdict} ({entry.share})", entry.measured)
        for name, entry in read_record().items()
    ]
    header = _row("claim", "in our words", "verdict (cases in which it holds)", "measured, first case")
    return "\n".join([header, _row(*["---"] * 4), *rows])


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
