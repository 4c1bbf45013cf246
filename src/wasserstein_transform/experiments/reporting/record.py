"""Verdicts on record: what came out when the library was last checked, so that a loss is noticed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..claims import Claim, Verdict
from .part import Part

_FEW = 6  # claims of an experiment that a summary names
_FILE = Path(__file__).parents[1] / "record.json"


@dataclass(frozen=True)
class Entry:
    """What is on record of a claim."""

    statement: str
    verdict: Verdict
    readings: str
    measured: str


@dataclass(frozen=True)
class Change:
    """A verdict that differs from the one on record; `before` is None for a claim that is not there."""

    claim: Claim
    before: Verdict | None

    @property
    def is_failure(self) -> bool:
        """Whether less came out than before, of a claim that does not depend on the clock."""
        return self.before is not None and not self.claim.timed and self.claim.verdict.is_worse_than(self.before)

    def __str__(self) -> str:
        before = "not on record" if self.before is None else f"was {self.before}"
        clock = ", a matter of seconds" if self.claim.timed else ""
        return f"{self.claim.name}: {self.claim.verdict} ({before}{clock})"


def read_record(quick: bool = False) -> dict[str, Entry]:
    """Claims by name, of quick or of full runs."""
    if not _FILE.is_file():
        return {}
    raw = json.loads(_FILE.read_text(encoding="utf-8"))["quick" if quick else "full"]
    return {name: Entry(**{**entry, "verdict": Verdict(entry["verdict"])}) for name, entry in raw.items()}


def changes(parts: Iterable[Part], record: dict[str, Entry]) -> tuple[Change, ...]:
    """What differs from the record."""
    found = []
    for claim in (claim for part in parts for claim in part.claims):
        before = record[claim.name].verdict if claim.name in record else None
        if claim.verdict != before:
            found.append(Change(claim, before))
    return tuple(found)


def readings(claim: Claim) -> str:
    """Under how many readings it holds."""
    return f"{sum(choice.holds for choice in claim.choices)} of {len(claim.choices)}"


def write_record(parts: Iterable[Part], quick: bool = False) -> None:
    """Take what came out as the new record of these experiments; what is known of others stays."""
    raw = json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.is_file() else {"full": {}, "quick": {}}
    known = raw["quick" if quick else "full"]
    for part in parts:
        for name in [name for name in known if name.startswith(f"{part.name}:")]:
            del known[name]
        known.update({claim.name: _entry(claim) for claim in part.claims})
    _FILE.write_text(json.dumps(raw, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _entry(claim: Claim) -> dict[str, str]:
    return {
        "statement": claim.statement,
        "verdict": claim.verdict,
        "readings": readings(claim),
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
        _row(name, entry.statement, f"{entry.verdict} ({entry.readings})", entry.measured)
        for name, entry in read_record().items()
    ]
    header = _row("claim", "in our words", "verdict (readings under which it holds)", "measured, first reading")
    return "\n".join([header, _row(*["---"] * 4), *rows])


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
