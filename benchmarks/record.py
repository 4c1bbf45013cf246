"""A record of measured tables: what was measured by which command, when, where and with which versions.

`docs/building/figures.py` renders records; the files are docs/figures/NAME.json.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import wasserstein_transform as wt

from .timing import Row

LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "POT",
    "pyriemann",
    "scikit-image",
    "opencv-python-headless",
    "networkx",
)
COLUMNS = ["work", "here", "peer", "ratio"]


def of_rows(name: str, command: str, rows: Sequence[Row], printed: str = "") -> dict[str, Any]:
    """The record of a benchmark: the tables that it printed, and the one that it returned."""
    returned = [{"title": name, "columns": COLUMNS, "rows": [list(row) for row in rows]}] if rows else []
    return of_tables(command, tables_in(printed) + returned)


def _cores() -> str:
    """The number of cores of the machine, and of those that this process may use."""
    n = os.cpu_count()
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else n
    return f"{n}" if usable == n else f"{usable} of {n}"


def tables_in(text: str) -> list[dict[str, Any]]:
    """The Markdown tables of a text, each with the last line of text before it as its title."""
    tables: list[dict[str, Any]] = []
    title, inside = "", False
    for line in text.splitlines():
        if not line.startswith("|"):
            title, inside = line.strip("# :") or title, False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not inside:
            tables.append({"title": title, "columns": cells, "rows": []})
        elif set("".join(cells)) - {"-", ":"}:
            tables[-1]["rows"].append(cells)
        inside = True
    return tables


def of_tables(command: str, tables: list[dict[str, Any]], notes: str = "") -> dict[str, Any]:
    """Tables just measured, with machine and date."""
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{_cores()} {platform.machine()} cores, {platform.system()}",
        "load": [round(load, 1) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "versions": {"Python": platform.python_version()} | _versions(),
        "tables": tables,
        "notes": notes,
    }


def write(record: dict[str, Any], file: Path) -> None:
    """The record as JSON with one row per line, for readable diffs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows: list[str] = []
    shown = json.loads(json.dumps(record))
    for table in shown["tables"]:
        for k, row in enumerate(table["rows"]):
            table["rows"][k] = f"@{len(rows)}@"
            rows.append(json.dumps(row, ensure_ascii=False))
    text = json.dumps(shown, ensure_ascii=False, indent=1)
    for k, row in enumerate(rows):
        text = text.replace(f'"@{k}@"', row, 1)
    file.write_text(text + "\n", "utf-8")


def _versions() -> dict[str, str]:
    found = {"wasserstein-transform": wt.__version__}  # also where it runs from its sources
    for library in LIBRARIES:
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return found
