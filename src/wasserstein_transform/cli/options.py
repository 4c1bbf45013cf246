"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

SCALES = ("none", "standard", "robust", "range")
"""What columns can be scaled by."""

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print it as JSON, and nothing else.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("-q", "--quiet", help="No words, notes or progress.")]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Write over files that are there.")]

Jobs: TypeAlias = Annotated[
    int | None, typer.Option("-j", "--jobs", help="Threads; -1 means all cores.", show_default="all cores")
]


def check_how(how: str) -> str:
    """Refuse what is no scaling."""
    if how not in SCALES:
        raise ValueError(f"--scale must be one of {', '.join(SCALES)}, got {how!r}")
    return how
