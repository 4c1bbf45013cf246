"""Shared by the commands for words: options, checks of files, and printing."""

from __future__ import annotations

import json as as_json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from .._files import check_target
from .errors import hushed
from .printing import say
from .summary import plain
from .targets import check_free

Window = Annotated[int, typer.Option(help="Contexts of a word are at most this many words away.")]
MinCount = Annotated[int, typer.Option(help="Rarer words are dropped.")]
Sample = Annotated[float, typer.Option(help="Frequent words are dropped at random by word2vec's rule; 0 keeps all.")]
Seed = Annotated[int, typer.Option(help="Seed for dropping words at random.")]
AsLetters = Annotated[bool, typer.Option("--letters", help="Words are runs of letters, in lower case.")]


def print_facts(facts: dict[str, Any], lines: Iterable[str], json: bool, quiet: bool = False) -> None:
    """Print facts as JSON, or as lines of text."""

    def speak() -> None:
        for line in [as_json.dumps(plain(facts), indent=2, ensure_ascii=False)] if json else () if quiet else lines:
            say(line)

    hushed(speak)


def check_files(force: bool, *files: Path | None) -> None:
    """Raise if a file cannot be written, or exists and `force` is not set."""
    for file in files:
        if file is not None:
            check_target(file)
            check_free(file, force)
