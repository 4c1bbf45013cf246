"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Jobs: TypeAlias = Annotated[
    int | None, typer.Option("-j", "--jobs", help="Threads; -1 means all cores.", show_default="all cores")
]
