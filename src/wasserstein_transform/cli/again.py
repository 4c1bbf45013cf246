"""`wt again`: repeat a run from its summary."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, NoReturn

import typer

from .errors import reporting_errors
from .expanding import expanded
from .running import inherited
from .summary import Input, as_input, versions

_WHERE = ("output", "figure", "force", "json", "quiet", "linkage", "store", "resume", "scheduler", "client", "help")
_REPEATED = (
    "cluster",
    "denoise",
    "skeleton",
    "transform",
    "distances",
    "suggest",
    "segment",
    "curvature",
    "communities",
    "flow",
)


@dataclass(frozen=True)
class Where:
    """Options for the output of the repeated run."""

    keeps: ClassVar[tuple[str, ...]] = ("output", "figure", "force", "json", "quiet")

    output: Annotated[str | None, typer.Option("-o", "--output", help="As for the command that is repeated.")] = None
    figure: Annotated[Path | None, typer.Option(help="Write the figure to this file.")] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no text, notes or progress.")] = False

    def words(self) -> list[str]:
        """The options as words of a command line."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        flags = [f"--{name}" for name, value in given.items() if value is True]
        return [f"--{name}={value}" for name, value in given.items() if value not in (None, True, False)] + flags


@expanded
def again(
    *,
    summary: Annotated[Path, typer.Argument(metavar="SUMMARY", help="A summary.json, or the folder it is in.")],
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="Read this file instead.", show_default=False)
    ] = None,
    where: Where,
) -> None:
    """Repeat a run from the summary.json it wrote: same command, same options, same file.

    A note tells if the file has changed or if other versions are installed. With the same file and the same versions
    the table is identical byte for byte.
    """
    with reporting_errors("wt again"):
        known = _read(summary)
        asked = known["again"]
        at = file if file is not None else _found(summary, known)
        notes = _changes(known, _kept(at))
    _run([asked["command"], *asked["options"], *where.words(), "--", at], notes)


def _run(words: list[str], notes: list[str]) -> NoReturn:
    from .app import app

    token = inherited.set(tuple(notes))
    try:
        typer.main.get_command(app).main(words, prog_name="wt")
    finally:
        inherited.reset(token)
    raise AssertionError("a command ends with SystemExit")


def _read(path: Path) -> dict[str, Any]:
    """Read a summary and check that the run can be repeated."""
    path = path / "summary.json" if path.is_dir() else path
    if not path.is_file():
        raise ValueError(f"{path} is not there; give the summary.json of a run, or its folder")
    try:
        found = json.loads(path.read_bytes())
        asked, file = found["again"], found["file"]
        fits = asked["command"] in _REPEATED and all(isinstance(word, str) for word in asked["options"])
        fits = fits and isinstance(asked["file"], str) and isinstance(file["sha256"], str)
        fits = fits and isinstance(asked["options"], list)
    except (ValueError, KeyError, TypeError, RecursionError):
        fits, found = False, {}
    if not fits:
        raise ValueError(
            f"{path} is not a summary of a run that can be repeated; give a summary.json that wt has written"
        )
    known = _options_of(asked["command"])
    for word in asked["options"]:
        name, equals, _ = word.partition("=")
        if known.get(name) is not bool(equals):  # without its value, an option would take the next word for it
            raise ValueError(f"{path} was changed: {word[:60]!r} is no option of a run; repeat it by hand")
    return dict(found)


def _options_of(command: str) -> dict[str, bool]:
    """Long options of a command, and whether they have values; a summary may come from anyone.

    Those for output, stores and clusters are left out.
    """
    from .app import app

    found = typer.main.get_command(app).get_command(None, command)  # type: ignore[attr-defined]
    options = [one for one in found.params if one.param_type_name == "option" and one.name not in _WHERE]
    words = {word: not one.is_flag for one in options for word in (*one.opts, *one.secondary_opts)}
    return {word: has_value for word, has_value in words.items() if word.startswith("--")}


def _found(summary: Path, known: dict[str, Any]) -> str:
    """The file that was read: by its name, or relative to the summary. Devices and pipes must be given as FILE."""
    name, folder = known["again"]["file"], summary if summary.is_dir() else summary.parent
    if name == "-" or Path(name).is_file():
        return str(name)
    beside = folder / str(known["file"].get("from_here", name))
    if beside.is_file():
        return str(beside)
    raise ValueError(f"{name} is not there any more; say where it is: wt again {summary} FILE")


def _kept(file: str) -> Input:
    """The input of this run; standard input is buffered, so that the command can read it again."""
    if file != "-":
        return as_input(file)
    from ..tables.files import in_pieces

    content = in_pieces(sys.stdin.buffer, "standard input")
    sys.stdin = io.TextIOWrapper(io.BytesIO(content))
    return as_input("-", content)


def _changes(known: dict[str, Any], now: Input) -> list[str]:
    notes = []
    if now.sha256 != known["file"]["sha256"]:
        called = "standard input" if now.name == "-" else now.name
        notes.append(f"{called} is not what it was: {known['file'].get('bytes')} bytes then, {now.size} now")
    before, now_there = known.get("versions", {}), versions()
    if isinstance(before, dict):
        other = [
            f"{name} {before[name]} then, {there} now"
            for name, there in now_there.items()
            if before.get(name, there) != there
        ]
        notes += [f"other versions: {', '.join(other)}"] if other else []
    return notes
