"""Pages of the reference: one for each package, one for each public name (by autosummary and its templates)."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

from . import constants
from .names import PACKAGE, PACKAGES, PAPER, PAPER_PACKAGES, Name, home, homes, of_package

GROUPS = {
    "Answers without parameters": ("clustering", "parameters", "curves", "explorer"),
    "Estimators and transforms": ("estimators", "transforms", "hierarchy"),
    "Parts to compose": ("spaces", "localize", "measures", "transport"),
    "Images, graphs, tables, files": ("image", "graphs", "tables", "io"),
    "Large work": ("engine", "partitioned"),
    "Theory and the paper": ("theory", "datasets", "plotting"),
}
_TITLES = {"class": "Classes", "function": "Functions", "data": "Constants and types"}


def write(folder: Path) -> None:
    """Write the pages of all packages into a folder; autosummary then writes those of the names beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    assert {package for packages in GROUPS.values() for package in packages} == {*PACKAGES, *PAPER_PACKAGES}, (
        "a package has no group: see GROUPS"
    )
    at = homes()
    _forget(folder, {name.full for name in at.values()})
    _write(folder / "index.rst", _front())
    for package in ("", *PACKAGES, *PAPER_PACKAGES):
        names = [at[name.short, id(name.value)] for name in of_package(package)]
        _write(folder / f"{package or 'top'}.rst", _page(package, names))
        for name in names:
            if name.kind == "data":
                _write(folder / f"{name.full}.rst", constants.page(name))


def _forget(folder: Path, known: set[str]) -> None:
    """Remove the pages of names that are public no longer."""
    for package in (PACKAGE, PAPER):
        for file in folder.glob(f"{package}.*.rst"):
            if file.stem not in known:
                file.unlink()


def _write(file: Path, text: str) -> None:
    """Write a file only if it changes, so that a second build has less to read."""
    if not file.exists() or file.read_text("utf-8") != text:
        file.write_text(text, "utf-8")


def _front() -> str:
    lines = [_heading("Reference", "=")]
    lines.append(
        "Every public name has a page. ``import wasserstein_transform as wt`` is the only import you need: packages\n"
        "such as ``wt.image`` are loaded when they are first used. An editable installation of the repository has\n"
        "the theorems of the paper, too: ``wt_paper.theory``.\n"
    )
    lines.append(".. toctree::\n   :maxdepth: 1\n   :caption: Most used\n\n   top\n")
    for group, packages in GROUPS.items():
        entries = "\n".join(f"   {package}" for package in packages)
        lines.append(f".. toctree::\n   :maxdepth: 1\n   :caption: {group}\n\n{entries}\n")
    rows = "\n".join(
        f"   * - :doc:`{_title(package)} <{package}>`\n     - {_summary(package)}"
        for package in (*PACKAGES, *PAPER_PACKAGES)
    )
    lines.append(f".. list-table::\n   :widths: 25 75\n   :class: packages\n\n{rows}\n")
    return "\n".join(lines)


def _page(package: str, names: list[Name]) -> str:
    title = _title(package) if package else "wt: names at the top"
    about = inspect.getdoc(_module(package)) if package else "The names that most users need; packages have the others."
    lines = [_heading(title, "="), about or "", ""]
    for kind, heading in _TITLES.items():
        chosen = [name for name in names if name.kind == kind]
        if chosen:
            table = constants.table(chosen) if kind == "data" else _table(chosen, kind, own=not package)
            lines += [_heading(heading, "-"), table]
    return "\n".join(lines)


def _table(names: list[Name], kind: str, own: bool) -> str:
    """A table of names; those documented elsewhere are linked, not written a second time."""
    here = [name for name in names if own or name.package]
    elsewhere = [name for name in names if not (own or name.package)]
    lines = []
    if here:
        entries = "\n".join(f"   ~{name.full}" for name in here)
        lines.append(
            f".. autosummary::\n   :toctree: .\n   :nosignatures:\n   :template: autosummary/{kind}.rst\n\n{entries}\n"
        )
    if elsewhere:
        entries = "\n".join(f"   ~{name.full}" for name in elsewhere)
        lines.append(f".. autosummary::\n   :nosignatures:\n\n{entries}\n")
    return "\n".join(lines)


def _module(package: str) -> object:
    return importlib.import_module(home(package))


def _title(package: str) -> str:
    return home(package).replace(PACKAGE, "wt", 1)


def _summary(package: str) -> str:
    return (inspect.getdoc(_module(package)) or "").splitlines()[0]


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"
