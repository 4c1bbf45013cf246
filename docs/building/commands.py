"""Check commands on pages: what `wt`, `make` and `pip` are asked for must be there. Only sessions are run."""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from wasserstein_transform.cli.app import app

ROOT = Path(__file__).parents[2]
_INLINE = re.compile(r"(?<!`)`wt ([a-z][^`]*)`(?!`)")
_ENDS = {"|", ";", "&&", "||", ">", "<", "&"}


def wrong(code: str) -> list[str]:
    """What is wrong with the commands of a block."""
    return [fault for words in _commands(code) if (fault := _fault(words)) is not None]


class _Ordered(CliRunner):
    """What is printed and what is said on the side, in the order in which a terminal has them."""

    @contextlib.contextmanager
    def isolation(self, *args: Any, **options: Any) -> Iterator[Any]:
        """Called by click."""
        with super().isolation(*args, **options) as streams:
            for stream in (sys.stdout, sys.stderr):
                stream.reconfigure(write_through=True)
            yield streams


def session(code: str) -> str:
    """A block `$ wt …` as it looks when its commands run here, one after the other, with what they print."""
    said = []
    for line in code.splitlines():
        if line.startswith("$ wt "):
            words = shlex.split(line.removeprefix("$ wt "), comments=True)
            said += [line, *_Ordered().invoke(app, words, env={"COLUMNS": "100"}).output.splitlines()]
    return "\n".join(line for line in said if "compiling what this needs, once" not in line)


def wrong_inline(page: str) -> list[str]:
    """Commands `wt …` in the text of a page that do not exist, or do not have that option."""
    text = re.sub(r"^~~~.*?^~~~|^( *)```.*?^\1```", "", page, flags=re.DOTALL | re.MULTILINE)
    asked = (found.partition("…")[0].split() for found in _INLINE.findall(text))
    return [fault for words in asked if (fault := _unknown(words)) is not None]


def _commands(code: str) -> Iterator[list[str]]:
    """Single commands, without comments, prompts and what follows a pipe."""
    for line in code.replace("\\\n", " ").splitlines():
        words: list[str] = []
        for word in [*shlex.split(line.removeprefix("$ "), comments=True), ";"]:
            if word not in _ENDS:
                words.append(word)
            elif words:
                yield words
                words = []


def _fault(words: list[str]) -> str | None:
    program, *rest = words
    if Path(program).name in ("wt", "wasserstein-transform"):
        return _refused(rest)
    if Path(program).name == "make":
        unknown = [word for word in rest if "=" not in word and word not in _targets()]
        return f"the Makefile has no {unknown[0]}" if unknown else None
    if "install" in rest:
        asked = re.findall(r"wasserstein-transform\[([\w,-]+)\]", " ".join(rest))
        unknown = [extra for one in asked for extra in one.split(",") if extra not in _extras()]
        return f"there is no extra {unknown[0]}" if unknown else None
    return None


def _refused(words: list[str]) -> str | None:
    """What the command line says to these words before it would run."""
    command, left = _found(words)
    if command is None:
        return f"wt {' '.join(words)}: no such command"
    try:
        command.make_context(words[0], left)
    except click.UsageError as error:
        return f"wt {' '.join(words)}: {error.format_message()}"
    except click.exceptions.Exit:  # --help
        return None
    return None


def _unknown(words: list[str]) -> str | None:
    """An option that a command does not have; values may be placeholders."""
    command, left = _found(words)
    if command is None:
        return f"`wt {' '.join(words)}`: no such command"
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    unknown = [word for word in left if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known]
    return f"`wt {' '.join(words)}`: {unknown[0]} is no option" if unknown else None


def _found(words: list[str]) -> tuple[Any, list[str]]:
    """The command, and the words after its name."""
    command, left = app, list(words)
    while hasattr(command, "get_command"):
        if not left or left[0].startswith("-"):
            return command, left
        command = command.get_command(None, left.pop(0))
    return command, left


@cache
def _targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@cache
def _extras() -> frozenset[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return frozenset(project["optional-dependencies"])
