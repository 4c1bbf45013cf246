"""A running command: notes, progress, and output."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .errors import in_a_line, reporting_errors
from .output import SUMMARY, Plan, plan_table
from .printing import say
from .summary import as_json, command_line, versions

if TYPE_CHECKING:
    from ..engine import Bar

FIGURE_DPI = 200
# so that the same figure gives the same file
METADATA_WITHOUT_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
_STARTED = time.perf_counter()
# options that change no result
OPTIONS_OF_OUTPUT = {"output", "figure", "force", "json", "quiet", "jobs", "memory", "device"}


class Run:
    """The state of a running command; `given` has the values of its options."""

    def __init__(self, options: dict[str, Any], bar: Bar) -> None:
        self.given, self.bar = SimpleNamespace(**options), bar
        self.notes: list[str] = []

    def note(self, words: str) -> None:
        """Keep a note, once; notes are printed before the result."""
        words = " ".join(words.split())
        if words not in self.notes:
            self.notes.append(words)

    def plan(self, name: str, kinds: Sequence[str] = (), more: Sequence[str | Path] = ()) -> Plan:
        """The files of a command that makes a table, checked before the input is read.

        `kinds` are the formats of the table, first that of a folder; by default all, first that of the input.
        """
        from ..io import WRITTEN, kind_by_name

        given = self.given
        kind_of_input = given.kind or kind_by_name(given.file)
        kind = kinds[0] if kinds else kind_of_input if kind_of_input in WRITTEN else "csv"
        plan = plan_table(given, name, kind, kinds or WRITTEN, more)
        plan.check(None if given.file == "-" else Path(given.file))
        if given.figure is not None:
            from ..plotting import need_matplotlib

            need_matplotlib()
        return plan

    def plan_folder(self, name: str, more: Sequence[str], figure: str = "", file: Path | None = None) -> Plan:
        """The files of a command that always writes a folder, checked before the work starts."""
        folder = Path(self.given.output)
        plan = Plan(name, self.given.force, folder=folder, figure=folder / figure if figure else None, more=more)
        plan.check(file)
        return plan

    def finish(
        self,
        plan: Plan,
        source: dict[str, Any],
        lines: Sequence[str],
        result: dict[str, Any],
        *,
        table: Callable[[], bytes] = bytes,
        draw: Callable[[], Any] | None = None,
        more: Mapping[Any, Callable[[], bytes]] | None = None,
    ) -> None:
        """Draw the figure, write all files or none, and print the result.

        Parameters
        ----------
        source : dict
            Facts about the input.
        lines : sequence of str
            The result to print.
        result : dict
            The result for the summary, with parameters that were chosen.
        table, draw : callable
            Functions that encode the table and draw the figure; called only if they are wanted.
        more : dict
            Functions that encode the other files of the plan.
        """
        files: dict[Path, bytes] = {}
        if plan.figure is not None and draw is not None:
            self.bar.stage("drawing")
            try:
                files[plan.figure] = _encode_figure(draw, plan.figure.suffix.lower().lstrip("."))
            except Exception as error:
                if getattr(self.given, "figure", None) is not None:
                    raise
                self.note(f"no figure: {in_a_line(error)}")
        self.bar.stage("writing")
        content = table() if plan.table is not None or plan.stream else b""
        if plan.table is not None:
            from ..io import pack

            files[plan.table] = pack(content, plan.table)
        files |= {path: make() for name, make in (more or {}).items() if (path := plan.place(name)) is not None}
        summary = {
            "command_line": command_line(), "file": source, "result": result, "notes": self.notes,
            "parameters": {name: value for name, value in vars(self.given).items() if name not in OPTIONS_OF_OUTPUT},
            "written": [str(path) if path.parent != plan.folder else path.name for path in files],
            "seconds": round(time.perf_counter() - _STARTED, 3), "versions": versions(),
        }  # fmt: skip
        if plan.folder is not None:
            files[plan.folder / SUMMARY] = f"{as_json(summary)}\n".encode()  # the last: if it exists, all files do
        if files:
            plan.write(files)
        self.bar.stop()
        if self.given.json:
            say(as_json(summary))
        elif not self.given.quiet:
            self._print(plan, lines, files)
        if plan.stream:
            sys.stdout.buffer.write(content)
            sys.stdout.flush()

    def _print(self, plan: Plan, lines: Sequence[str], files: Mapping[Path, bytes]) -> None:
        for note in self.notes:
            say(f"note: {note}", err=True)
        for line in lines:
            say(line, err=plan.stream)
        if plan.folder is not None:
            say(f"{plan.folder}: {', '.join(path.name for path in files if path.parent == plan.folder)}")
        elif plan.table is None and not plan.stream:
            say(f"to keep it: {command_line()} -o {plan.name}")
        for path in files:
            if path.parent != plan.folder:
                say(str(path), err=plan.stream)


def _encode_figure(draw: Callable[[], Any], kind: str) -> bytes:
    """Draw a figure, or Axes of one, without pyplot, which would look for a screen; and encode it as a file."""
    from ..plotting import without_pyplot

    with without_pyplot():
        drawn = draw()
    figure, raw = getattr(drawn, "figure", drawn), BytesIO()
    figure.savefig(raw, format=kind, dpi=FIGURE_DPI, metadata=METADATA_WITHOUT_DATE.get(kind))
    return raw.getvalue()


@contextmanager
def running(options: dict[str, Any]) -> Iterator[Run]:
    """A Run with error reporting, notes for warnings, and a progress line."""
    from ..engine import Bar, using

    bar = Bar(quiet=options["quiet"])
    run = Run(options, bar)
    with reporting_errors(run.note), bar:
        if options["output"] == "":
            raise ValueError("-o must be a folder, a file or -, got an empty name")
        bar.stage("starting")
        with using(progress=bar, **_engine_settings(options)):
            yield run


def _engine_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The settings of the engine."""
    settings = {"n_jobs": options["jobs"], "device": options.get("device"), "memory": options.get("memory")}
    if settings["device"] is not None:
        from ..cuda import device_name
        from ..engine import Engine

        device_name(Engine(device=settings["device"]))  # raises now if there is no GPU
    return {name: value for name, value in settings.items() if value is not None}
