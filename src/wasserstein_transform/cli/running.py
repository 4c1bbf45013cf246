"""A running command: stages, notes, progress, and output."""

from __future__ import annotations

import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import in_a_line, reporting_errors
from .options import Computation, Output, Source
from .output import SUMMARY, Plan, plan_folder, plan_table
from .printing import say, tell
from .summary import Input, command_line, encode_json, versions

if TYPE_CHECKING:
    from ..engine import Engine
    from ..engine.progress import Bar

_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_PIECE = 1 << 16  # bytes printed at a time
_DPI = 200
_UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # so that the same figure gives the same file
_STARTED = time.perf_counter()


class Run:
    """The state of a running command."""

    def __init__(self, output: Output, bar: Bar) -> None:
        self.output, self.bar = output, bar
        self.notes: list[str] = []
        self._held: list[str] | None = []  # notes are held back until input and output are checked
        self.seconds: dict[str, float] = {}
        self.about: dict[str, Any] = {}
        self.engine: Engine

    def note(self, words: str) -> None:
        """Print a note, once; with --json it is only in the summary."""
        words = " ".join(words.split())
        if words in self.notes:
            return
        self.notes.append(words)
        if self._held is not None:
            self._held.append(words)
        elif not (self.output.quiet or self.output.json):
            tell(f"note: {words}", err=True)

    def release_notes(self) -> None:
        """Print the notes that were held back, and from now on every note at once."""
        held, self._held, said = self._held or [], None, self.notes
        self.notes = [words for words in said if words not in held]
        for words in held:
            self.note(words)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A timed stage of the work."""
        self.bar.stage(name)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(time.perf_counter() - start, 3)

    def plan(
        self, name: str, source: Source, kinds: Sequence[str] = (), more: Sequence[str] = (),
        elsewhere: Sequence[Path] = (),
    ) -> Plan:  # fmt: skip
        """The files of a command that makes a table, checked before the input is read.

        `kinds` are the formats of the table, first that of a folder; by default all, first that of the input.
        """
        from ..tables.kinds import WRITTEN, kind_by_name

        own = source.kind or kind_by_name(source.file)
        kind = kinds[0] if kinds else own if own in WRITTEN else "csv"
        plan = plan_table(self.output, name, kind, kinds or WRITTEN, more, elsewhere)
        return self._check(plan, None if source.file == "-" else Path(source.file))

    def plan_folder(self, name: str, more: Sequence[str], figure: str = "", file: Path | None = None) -> Plan:
        """The files of a command that always writes a folder, checked before the work starts."""
        plan = self._check(plan_folder(self.output, name, more, figure), file)
        self.release_notes()
        return plan

    def _check(self, plan: Plan, source: Path | None) -> Plan:
        plan.check(source)
        if plan.figure is None or find_spec("matplotlib") is not None:  # it is imported after the work
            return plan
        from ..plotting.style import need_matplotlib

        try:
            need_matplotlib()
        except ImportError as error:
            if plan.needs_figure:
                raise
            self.note(f"no figure: {error}")
            return replace(plan, figure=None)
        return plan

    def finish(
        self,
        plan: Plan,
        source: Input,
        lines: list[str],
        facts: dict[str, Any],
        parameters: dict[str, Any],
        *,
        table: Callable[[], bytes] = bytes,
        draw: Callable[[], Any] | None = None,
        more: Mapping[str, Callable[[], bytes]] | None = None,
        elsewhere: Mapping[Path, Callable[[], bytes]] | None = None,
    ) -> None:
        """Draw the figure, write all files or none, and print the result.

        Parameters
        ----------
        lines : list of str
            The result to print.
        facts, parameters : dict
            Results and parameters for the summary.
        table, draw : callable
            Functions that encode the table and draw the figure; called only if they are wanted.
        more, elsewhere : dict
            Functions that encode other files: by name in the output folder, and at paths given by options.
        """
        files: dict[Path, bytes] = {}
        if plan.figure is not None and draw is not None:
            with self.stage("drawing"):
                files |= self._draw(plan, plan.figure, draw)
        self.bar.stage("writing")
        content = table() if plan.table is not None or plan.mode == "stream" else b""
        if plan.table is not None:
            from ..tables.files import pack

            files[plan.table] = pack(content, plan.table)
        files |= {path: make() for path, make in (elsewhere or {}).items()}
        if plan.folder is not None:
            files |= {plan.folder / name: make() for name, make in (more or {}).items()}
        summary = {
            "summary": 1, "command_line": command_line(), "file": source._asdict(), **self.about,
            "parameters": parameters, "result": facts, "notes": self.notes,
            "written": [str(path) if path.parent != plan.folder else path.name for path in files],
            "seconds": self.seconds | {"in_all": round(time.perf_counter() - _STARTED, 3)},
            "threads": self.engine.n_threads, "versions": versions(),
        }  # fmt: skip
        if plan.folder is not None:
            files[plan.folder / SUMMARY] = encode_json(summary)
        if files:
            plan.write(files)
        self.bar.stop()
        if self.output.json:
            say(encode_json(summary).decode().rstrip("\n"))
        elif not self.output.quiet:
            self._print(plan, lines, files)
        if plan.mode == "stream":
            _write_to_stdout(content)

    def _draw(self, plan: Plan, path: Path, draw: Callable[[], Any]) -> dict[Path, bytes]:
        """The figure. If it fails and was not requested by an option, there is only a note."""
        try:
            return {path: _encode_figure(draw(), path.suffix.lower().lstrip("."))}
        except Exception as error:
            if plan.needs_figure:
                raise
            self.note(f"no figure: {in_a_line(error)}")
            return {}

    def _print(self, plan: Plan, lines: list[str], files: dict[Path, bytes]) -> None:
        for line in lines:
            tell(line, err=plan.mode == "stream")
        if plan.mode == "shown":
            tell(f"to keep it: {command_line()} -o {plan.name}")
        elif plan.folder is not None:
            tell(f"{plan.folder}: {', '.join(path.name for path in files if path.parent == plan.folder)}")
        for path in files:
            if path.parent != plan.folder:
                tell(str(path), err=plan.mode == "stream")


def _encode_figure(figure: Any, kind: str) -> bytes:
    """Encode a figure, or the figure of Axes, as a file."""
    figure = getattr(figure, "figure", figure)
    raw = BytesIO()
    figure.savefig(raw, format=kind, dpi=_DPI, metadata=_UNDATED.get(kind))
    return raw.getvalue()


def _write_to_stdout(content: bytes) -> None:
    """Write to standard output in pieces, so that a broken pipe is noticed early."""
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        sys.stdout.write(content.decode())
        return
    sys.stdout.flush()
    for at in range(0, len(content), _PIECE):
        out.write(content[at : at + _PIECE])
        out.flush()


@contextmanager
def running(output: Output, computation: Computation | None = None) -> Iterator[Run]:
    """A Run with error reporting, notes for warnings, and a progress line."""
    from ..engine import using
    from ..engine.progress import Bar

    computation = computation or Computation()
    bar = Bar(quiet=output.quiet)
    run = Run(output, bar)
    with reporting_errors(run.note), bar:
        bar.stage("starting")
        with using(progress=bar, **_engine_settings(computation)) as run.engine:
            yield run


def _engine_settings(given: Computation) -> dict[str, Any]:
    """The settings of the engine."""
    settings: dict[str, Any] = {} if given.jobs is None else {"n_jobs": given.jobs}
    if given.memory is not None:
        settings["memory"] = _parse_bytes(given.memory)
    if given.device is not None:
        from ..cuda import device_name
        from ..engine import Engine

        device_name(Engine(device=given.device))  # raises now if there is no GPU
        settings["device"] = given.device
    return settings


def _parse_bytes(text: str) -> float:
    """Parse a number of bytes: 4GB → 4e9; 4GiB → 4·2³⁰."""
    found = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", text, re.IGNORECASE)
    try:
        number = float(found[1]) if found is not None else -1.0
    except ValueError:
        number = -1.0
    if found is None or number <= 0:
        raise ValueError(f"--memory must be a number of bytes, such as 4GB or 500MiB, got {text!r}")
    unit = _UNITS[found[2].upper()]
    return number * (1024.0 ** round(math.log(unit, 1000)) if found[3] else unit)
