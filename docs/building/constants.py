"""Pages of constants and named types, which autodoc knows only where they are written."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from .names import Name, home

_LONGEST = 300  # characters of a value that are shown


def page(name: Name) -> str:
    """The page of a constant, in reStructuredText."""
    lines = [name.shown, "=" * len(name.shown), "", f".. py:data:: {name.full}", "", f"   {about(name)}", ""]
    if not _is_type(name):
        lines += [f"   ``{_value(name)}``", ""]
    return "\n".join(lines)


def table(names: list[Name]) -> str:
    """A table of constants, each with its first line, that also puts their pages in order."""
    rows = "\n".join(f"   * - :py:obj:`~{name.full}`\n     - {about(name)}" for name in names)
    pages = "\n".join(f"   {name.full}" for name in names)
    return f".. list-table::\n   :widths: 30 70\n\n{rows}\n\n.. toctree::\n   :hidden:\n\n{pages}\n"


def about(name: Name) -> str:
    """The text below the line that sets it."""
    return _texts(name.package).get(name.short, "")


@cache
def _texts(package: str) -> dict[str, str]:
    """Texts below assignments, in all files of a subpackage."""
    found = {}
    for file in sorted(Path(str(import_module(home(package)).__file__)).parent.glob("*.py")):
        body = ast.parse(file.read_text("utf-8")).body
        for node, following in pairwise(body):
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                text = " ".join(inspect.cleandoc(str(following.value.value)).split())
                found |= dict.fromkeys(_set_by(node), text)
    return found


def _set_by(node: ast.stmt) -> list[str]:
    """Names that a statement sets: one, or several at once."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _is_type(name: Name) -> bool:
    return hasattr(name.value, "__origin__") or type(name.value).__module__ == "typing"


def _value(name: Name) -> str:
    keys = isinstance(name.value, Mapping)
    shown = ", ".join(map(repr, name.value)) if keys else repr(name.value)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} …"
