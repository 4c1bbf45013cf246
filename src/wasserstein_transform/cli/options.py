"""Options shared by several commands."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

SCALES = ("none", "standard", "robust", "range")
"""Ways to scale columns."""

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print only JSON.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("-q", "--quiet", help="Print no text, notes or progress.")]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]

Jobs: TypeAlias = Annotated[
    int | None, typer.Option("-j", "--jobs", help="Threads; -1 means all cores.", show_default="all cores")
]


def check_how(how: str, known: tuple[str, ...] = SCALES) -> None:
    """Raise for an unknown scaling."""
    if how not in known:
        raise ValueError(f"--scale must be one of {', '.join(known)}, got {how!r}")
