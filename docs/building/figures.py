"""Tables of measured figures, rendered from their records in docs/figures.

A page holds `<!-- figures: NAME -->` and `<!-- end of figures -->`; what is between them is the record NAME.json as
Markdown, or its second table alone, if the mark says `NAME:2`. `PYTHONPATH=docs python -m building.figures` renders all
pages anew, as building the site does; the tests compare. Records are written by `python -m benchmarks NAME --record
docs/figures`, and that of clusters by `python -m benchmarks.quality FOLDER --record docs/figures/clustering.json`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures"
FRONT = "front"  # rows chosen from other records, for the README
_MARKED = re.compile(r"(<!-- figures: ([\w-]+)(?::(\d+))? -->\n).*?(<!-- end of figures -->)", re.DOTALL)


def pages(root: Path = ROOT) -> list[Path]:
    """Files that show records."""
    files = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    return [file for file in files if _MARKED.search(file.read_text("utf-8"))]


def write(root: Path = ROOT) -> None:
    """Render all pages anew; files whose text stays the same are not touched."""
    for file in pages(root):
        text = file.read_text("utf-8")
        new = filled(text, root / "docs" / "figures")
        if new != text:
            file.write_text(new, "utf-8")


def filled(text: str, folder: Path = FIGURES) -> str:
    """A page with the tables of its records."""
    return _MARKED.sub(lambda found: found[1] + rendered(found[2], folder, int(found[3] or 0)) + found[4], text)


def rendered(name: str, folder: Path = FIGURES, number: int = 0) -> str:
    """A record as Markdown: its tables, or the one of that number, and where they come from."""
    record = read(name, folder)
    if name == FRONT:
        return _table(record["columns"], [_chosen(row, folder) for row in record["rows"]]) + "\n"
    tables = record["tables"][number - 1 : number] if number else record["tables"]
    parts = []
    for table in tables:
        title = f"### {table['title']}\n\n" if len(tables) > 1 else ""
        parts.append(title + _table(table["columns"], table["rows"]))
    parts += [record["notes"]] if record.get("notes") else []
    return "\n\n".join([*parts, origin(record)]) + "\n"


def read(name: str, folder: Path = FIGURES) -> dict[str, Any]:
    """A record; one that is not there is named."""
    file = folder / f"{name}.json"
    if not file.is_file():
        raise ValueError(f"a page shows the record {name}, but there is no {file.name} in docs/figures")
    record: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return record


def origin(record: dict[str, Any]) -> str:
    """One line: the command, and when, where and with what it ran; or what was stated about older figures."""
    if "origin" in record:
        return f"*`{record['command']}`. {record['origin']}*"
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    load = f", load {record['load'][0]}" if record.get("load") else ""
    return f"*`{record['command']}`, {record['date']}, {record['machine']}{load}. `{versions}`*"


def _chosen(row: dict[str, str], folder: Path) -> list[str]:
    """A row of another record, with shorter words for the work and the peer."""
    tables = read(row["record"], folder)["tables"]
    rows = [one for table in tables for one in table["rows"]]
    whole = [one for one in rows if one[0] == row["row"]]
    begun = whole or [one for one in rows if one[0].startswith(row["row"])]
    found = [one for one in begun if one[2].startswith(row.get("beside", ""))]
    if len(found) != 1:
        raise ValueError(f"{len(found)} rows of {row['record']}.json begin with {row['row']!r}; front.json needs one")
    return [row["work"], found[0][1], row["peer"], f"**{found[0][3]}**"]


def _table(columns: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows))


if __name__ == "__main__":
    write()
