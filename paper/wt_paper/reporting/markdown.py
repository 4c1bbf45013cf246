"""The report as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..experiments.experiment import Claim, Table, Verdict
from .part import Part
from .record import Report

QUICK_NOTE = "This text describes the full run; a quick run does less."


def markdown(report: Report) -> str:
    """The whole report."""
    blocks = ["# The Wasserstein Transform: reproduction of the paper", opening(report), _times(report), "## Claims"]
    blocks.append(_summary(report))
    if report.changes:
        blocks += ["Differs from the record:", "\n".join(f"- {change}" for change in report.changes)]
    for part in report.parts:
        blocks += _section(part, report.quick)
    return "\n\n".join(blocks) + "\n"


def opening(report: Report) -> str:
    """The number of claims by verdict, and how they are judged."""
    counts = Counter(claim.verdict for part in report.parts for claim in part.claims)
    counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)
    kind = "quick run: smaller data, fewer seeds and cases than the texts say" if report.quick else "full run"
    machines = "; or ".join(dict.fromkeys(part.machine for part in report.parts))
    return (
        f"{counted} ({kind}). A claim is judged in several cases: readings of what the paper leaves open, scores, "
        "methods. It is reproduced if it holds in all cases, partly if in some, not reproduced if in none; all cases "
        f"are listed with the measured values. Made on: {machines}."
    )


def _times(report: Report) -> str:
    return "Seconds: " + ", ".join(f"{part.name} {part.seconds:.1f}" for part in report.parts) + "."


def _summary(report: Report) -> str:
    rows = [
        (claim.name, claim.statement, f"**{claim.verdict}**", claim.share, claim.measured)
        for part in report.parts
        for claim in part.claims
    ]
    return _rows(("claim", "in our words", "verdict", "holds in cases", "measured, first case"), rows)


def _section(part: Part, quick: bool) -> list[str]:
    blocks = [f"## {part.title}", part.about + (f" ({QUICK_NOTE})" if quick else "")]
    blocks += [f"![{Path(figure.file).stem}]({figure.file})\n\n*{figure.caption}*" for figure in part.figures]
    for claim in part.claims:
        blocks += _claim(claim)
    for table in part.tables:
        blocks += _table(table)
    return blocks


def _claim(claim: Claim) -> list[str]:
    rows = [(choice.name, "yes" if choice.holds else "no", choice.measured) for choice in claim.choices]
    blocks = [
        f"### {claim.name}: {claim.verdict}",
        f"{claim.statement} ({claim.where}.) *Measured:* {claim.quantity.rstrip('.')}.",
        _rows(("case", "holds", "measured"), rows),
    ]
    return [*blocks, claim.note] if claim.note else blocks


def _table(table: Table) -> list[str]:
    blocks = [f"**{table.title}**", _rows(table.header, table.rows)]
    return [*blocks, table.note] if table.note else blocks


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
