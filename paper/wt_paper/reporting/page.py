"""The report as one HTML file with embedded figures, without scripts and external resources."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from ..experiments.experiment import Claim, Table, Verdict
from .markdown import QUICK_NOTE, opening
from .part import Part
from .record import Report

_CLASSES = {Verdict.REPRODUCED: "yes", Verdict.PARTLY: "some", Verdict.NOT: "no"}

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 3rem; border-top: 1px solid #ddd; padding-top: 1.5rem }
h3 { margin-top: 2rem; font-size: 1.05rem }
table { border-collapse: collapse; font-size: .85rem; margin: .8rem 0; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #e4e4e4 }
th { border-bottom: 2px solid #bbb } .wide { overflow-x: auto }
.summary td:first-child { width: 42% } .summary td:nth-child(2) { width: 15% }
figure { margin: 1.5rem 0 } figure img { max-width: 100%; height: auto }
figcaption, .small { font-size: .85rem; color: #555 }
.verdict { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .8rem; font-weight: 600; white-space: nowrap }
.yes { background: #009E73; color: #fff } .some { background: #E69F00; color: #000 } .no { background: #D55E00; color: #fff }
nav a { margin-right: 1rem; white-space: nowrap } details { margin: .8rem 0 } summary { cursor: pointer }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818 } figure img { background: #fff } a { color: #56B4E9 }
  th, td { border-color: #444 } h2 { border-color: #444 } figcaption, .small { color: #aaa }
}
"""  # noqa: E501


def page(report: Report, folder: Path) -> str:
    """The whole page; figures are read from the folder."""
    links = " ".join(f'<a href="#{escape(part.name)}">{escape(part.name)}</a>' for part in report.parts)
    changed = "".join(f"<li>{escape(str(change))}</li>" for change in report.changes)
    body = [
        "<h1>The Wasserstein Transform: reproduction of the paper</h1>",
        f"<p>{escape(opening(report))}</p><nav>{links}</nav>",
        _summary(report),
        f"<p>Differs from the record:</p><ul>{changed}</ul>" if changed else "",
        _times(report),
        *(_section(part, folder, report.quick) for part in report.parts),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The Wasserstein Transform: reproduction of the paper</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _badge(verdict: Verdict) -> str:
    return f'<span class="verdict {_CLASSES[verdict]}">{escape(verdict)}</span>'


def _summary(report: Report) -> str:
    rows = []
    for claim in (claim for part in report.parts for claim in part.claims):
        said = f'<a href="#{_anchor(claim)}">{escape(claim.name)}</a><br>{escape(claim.statement)}'
        verdict = f'{_badge(claim.verdict)}<br><span class="small">{claim.share} cases</span>'
        rows.append((said, verdict, escape(claim.measured)))
    return f'<div class="summary">{_rows(("claim", "verdict", "measured, first case"), rows)}</div>'


def _times(report: Report) -> str:
    spent = ", ".join(f"{escape(part.name)} {part.seconds:.1f}" for part in report.parts)
    return f'<p class="small">Seconds: {spent}.</p>'


def _section(part: Part, folder: Path, quick: bool) -> str:
    pictures = "".join(_figure(folder / figure.file, figure.caption) for figure in part.figures)
    claims = "".join(_claim(claim) for claim in part.claims)
    tables = "".join(_table(table) for table in part.tables)
    about = part.about + (f" ({QUICK_NOTE})" if quick else "")
    head = f'<h2 id="{escape(part.name)}">{escape(part.title)}</h2><p>{escape(about)}</p>'
    return f"<section>{head}{pictures}{claims}{tables}</section>"


def _figure(file: Path, caption: str) -> str:
    inside = b64encode(file.read_bytes()).decode()
    said = escape(caption)
    return f'<figure><img alt="{said}" src="data:image/png;base64,{inside}"><figcaption>{said}</figcaption></figure>'


def _claim(claim: Claim) -> str:
    rows = [(escape(c.name), "yes" if c.holds else "no", escape(c.measured)) for c in claim.choices]
    note = f'<p class="small">{escape(claim.note)}</p>' if claim.note else ""
    quantity = escape(claim.quantity.rstrip("."))
    return (
        f'<h3 id="{_anchor(claim)}">{escape(claim.name)} {_badge(claim.verdict)}</h3>'
        f"<p>{escape(claim.statement)} ({escape(claim.where)}.) <em>Measured:</em> {quantity}.</p>"
        + _rows(("case", "holds", "measured"), rows)
        + note
    )


def _anchor(claim: Claim) -> str:
    return escape(claim.name.replace(": ", "-").replace(" ", "-"))


def _table(table: Table) -> str:
    rows = [[escape(cell) for cell in row] for row in table.rows]
    note = f'<p class="small">{escape(table.note)}</p>' if table.note else ""
    inside = _rows([escape(cell) for cell in table.header], rows) + note
    return f"<details><summary>{escape(table.title)}</summary>{inside}</details>"


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are HTML."""
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
