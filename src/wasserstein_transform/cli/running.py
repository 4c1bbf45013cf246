"""A running command: stages, notes, progress, and output."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .answering import Answer, drawn
from .errors import hushed, in_a_line, reporting_errors
from .expanding import Call
from .keeping import Folder, Keeping, Offer, Plan, planned
from .machine import Machine, working
from .printing import say, tell
from .summary import Input, command_line, encoded, versions
from .targets import SUMMARY, Place, packed
from .wording import typed

if TYPE_CHECKING:
    from ..engine import Engine
    from ..engine.progress import Bar

_PIECE = 1 << 16  # bytes printed at a time
_STARTED = time.perf_counter()
inherited: ContextVar[tuple[str, ...]] = ContextVar("notes", default=())
"""Notes that a run starts with."""


class Run:
    """The state of a running command."""

    def __init__(self, call: Call, keeping: Keeping | Folder, bar: Bar) -> None:
        self.call, self.keeping, self.bar = call, keeping, bar
        self.notes: list[str] = []
        self._held: list[str] | None = []  # notes are held back until input and output are checked
        self.seconds: dict[str, float] = {}
        self.about: dict[str, Any] = {}
        self.engine: Engine

    def note(self, words: str) -> None:
        """Print a note, once; with --json it is only in the summary."""
        words = typed(" ".join(words.split()))
        if words in self.notes:
            return
        self.notes.append(words)
        if self._held is not None:
            self._held.append(words)
        elif not (self.keeping.quiet or self.keeping.json):
            tell(f"note: {words}", err=True)

    def speak(self) -> None:
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

    def plan(self, offer: Offer, file: str, elsewhere: dict[str, Path] | None = None) -> Plan:
        """The output files, checked before the work starts."""
        assert isinstance(self.keeping, Keeping)
        plan = planned(self.keeping, offer, elsewhere)
        plan.check(None if file == "-" else Path(file))
        return plan if plan.figure is None else self._drawable(plan)

    def _drawable(self, plan: Plan) -> Plan:
        from dataclasses import replace

        from ..plotting.style import need_matplotlib

        try:
            need_matplotlib()
        except ImportError as error:
            if plan.asked_figure:
                raise
            self.note(f"no figure: {error}")
            return replace(plan, figure=None)
        return plan

    def finish(self, plan: Plan, answer: Answer, source: Input) -> None:
        """Draw the figure, write all files, and print the result."""
        files: dict[Path, bytes] = {}
        if plan.figure is not None and answer.draw is not None:
            with self.stage("drawing"):
                files |= self._figure(plan, plan.figure, answer.draw)
        self.bar.stage("writing")
        table = b"" if plan.mode in ("shown", "nothing") else answer.encode(plan.kind)
        if plan.table is not None:
            files[plan.table] = packed(table, plan.table)
        for name, path in plan.elsewhere.items():
            files[path] = answer.elsewhere[name](path)
        if plan.folder is not None:
            files |= {plan.folder / name: make() for name, make in answer.more.items()}
        summary = self._summary(plan.folder, answer.parameters, answer.result, source, files)
        if plan.folder is not None:
            files[plan.folder / SUMMARY] = encoded(summary)
        if files:
            plan.write(files)
        self.bar.stop()
        hushed(lambda: self._say(plan, answer, table, summary, files))

    def _figure(self, plan: Plan, path: Path, draw: Callable[[], Any]) -> dict[Path, bytes]:
        """The figure. If it fails and was not requested by an option, there is only a note."""
        try:
            return {path: drawn(draw(), path.suffix.lower().lstrip("."))}
        except Exception as error:
            if plan.asked_figure:
                raise
            self.note(f"no figure: {in_a_line(error)}")
            return {}

    def place(self, *names: str) -> Place:
        """A folder for files with these names and a summary, checked before the work starts."""
        assert isinstance(self.keeping, Folder)
        self.speak()
        return Place(self.keeping.output, *names, SUMMARY, force=self.keeping.force)

    def finish_folder(
        self, place: Place, files: dict[str, bytes], words: list[str], parameters: dict[str, Any],
        result: dict[str, Any], source: Input, stale: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """Write the files of a command to its folder, and print the result."""
        self.bar.stage("writing")
        paths = {place.folder / name: content for name, content in files.items()}
        summary = self._summary(place.folder, parameters, result, source, paths)
        place.write(files | {SUMMARY: encoded(summary)}, stale)
        self.bar.stop()

        def speak() -> None:
            if self.keeping.json:
                say(encoded(summary).decode().rstrip("\n"))
            elif not self.keeping.quiet:
                for line in (*words, f"{place.folder}: {', '.join((*files, SUMMARY))}"):
                    tell(line)

        hushed(speak)

    def _summary(
        self, folder: Path | None, parameters: dict[str, Any], result: dict[str, Any], source: Input,
        files: dict[Path, bytes],
    ) -> dict[str, Any]:  # fmt: skip
        return {
            "summary": 1,
            "command_line": command_line(),
            "again": {"command": self.call.name, "file": source.name, "options": list(self.call.options)},
            "file": source.facts(folder),
            **self.about,
            "parameters": parameters,
            "result": result,
            "notes": self.notes,
            "written": [str(path) if path.parent != folder else path.name for path in files],
            "seconds": self.seconds | {"in_all": round(time.perf_counter() - _STARTED, 3)},
            "threads": self.engine.n_threads,
            "versions": versions(),
        }

    def _say(self, plan: Plan, answer: Answer, table: bytes, summary: dict[str, Any], files: dict[Path, bytes]) -> None:
        if self.keeping.json:
            say(encoded(summary).decode().rstrip("\n"))
        elif not self.keeping.quiet:
            for line in answer.words:
                tell(typed(line), err=plan.mode == "stream")
            if plan.mode == "shown":
                tell(f"to keep it: {command_line()} -o {plan.offer.name}")
            elif plan.folder is not None:
                inside = [path.name for path in (*files, plan.folder / SUMMARY) if path.parent == plan.folder]
                tell(f"{plan.folder}: {', '.join(dict.fromkeys(inside))}")
            for path in files:
                if path.parent != plan.folder:
                    tell(str(path), err=plan.mode == "stream")
        if plan.mode == "stream":
            _pour(table)


def _pour(content: bytes) -> None:
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
def opened(call: Call, keeping: Keeping | Folder, machine: Machine | int | None = None) -> Iterator[Run]:
    """A Run with error reporting, notes for warnings, and a progress line."""
    from ..engine import using
    from ..engine.progress import Bar

    bar, machine = Bar(quiet=keeping.quiet), machine if isinstance(machine, Machine) else Machine(machine)
    run = Run(call, keeping, bar)
    with reporting_errors(call.command, run.note, machine.left(keeping.output)), bar:
        bar.stage("starting")
        for words in inherited.get():
            run.note(words)
        with working(machine, keeping.output) as changes, using(progress=bar, **changes) as run.engine:
            yield run


@contextmanager
def speaking(command: str, quiet: bool = False) -> Iterator[None]:
    """Error reporting and a progress line for commands that only print lines."""
    note = (lambda words: None) if quiet else None
    from ..engine import using
    from ..engine.progress import Bar

    with reporting_errors(command, note), Bar(quiet=quiet) as bar, using(progress=bar):
        yield
