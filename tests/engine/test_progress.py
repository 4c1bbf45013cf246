"""The line that shows progress: on terminals of any width, in notebooks, and nowhere else."""

from __future__ import annotations

import builtins
import io
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform import _check as check
from wasserstein_transform.engine import Update, progress
from wasserstein_transform.engine.progress import Bar, Clock

HALF, OVER, STOPPED = Update("means", 1, 2, 3, 10, 75.0), Update("", 1, 1), Update("", 0, 1)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Errors go to a terminal of 80 columns without colors, and bars come at once."""
    stream = Terminal()
    for name, value in {"COLUMNS": "80", "TERM": "xterm", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream, modules=sys.modules))  # pytest sets sys.stderr
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.005)
    return stream


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """IPython as a kernel runs it: a shell that has one, and outputs that can be replaced; returns what was shown."""
    shown: list[dict[str, str]] = []
    handle = SimpleNamespace(update=lambda data, raw: shown.append(data))
    module = ModuleType("IPython.display")
    module.display = lambda data, raw, display_id: handle  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(builtins, "get_ipython", lambda: SimpleNamespace(kernel=object()), raising=False)
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.005)
    return shown


@pytest.fixture(autouse=True)
def _no_bar_stays() -> Iterator[None]:
    yield
    assert progress._outermost is None
    until(lambda: not any(thread.name == "progress" for thread in threading.enumerate()))


def until(holds: Callable[[], Any]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.002)


def draw(terminal: Terminal, update: Update) -> str:
    """The line that shows an update."""
    show = wt.engine.bar()
    until(lambda: show(update) or terminal.getvalue().count("\r") > 2)  # again and again: the time counts down
    show(OVER)
    return terminal.getvalue().split("\r")[2].removeprefix("\x1b[2K").rstrip()


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (80, " 50 %  1:15 left  ━━━━━━━━━━            iteration 3 of 10, means"),
        (50, " 50 %  1:15 left  ━━━━━━━━━━            iterat…"),
        (9, " 50 %…"),
        (1, "…"),
    ],
)
def test_a_line_is_cut_to_the_width_of_the_terminal(
    columns: int, shown: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert draw(terminal, HALF) == shown


def test_the_line_goes_and_the_cursor_stays(terminal: Terminal) -> None:
    draw(terminal, HALF)
    shown = terminal.getvalue()
    assert shown.startswith("\x1b[?25l\x1b[?25h")  # shown again at once: the process may be killed
    assert shown.endswith("\r\x1b[1A\x1b[2K")
    assert "done" not in shown


def test_what_was_interrupted_is_not_done(notebook: list[dict[str, str]]) -> None:
    for last, words in ((OVER, "done in 0:00"), (STOPPED, "stopped after 0:00")):
        show = wt.engine.bar()
        show(HALF)
        until(lambda: notebook)
        show(last)
        assert notebook[-1] == {"text/plain": words}
        notebook.clear()


@pytest.mark.parametrize("error", [KeyboardInterrupt, wt.engine.Cancelled, ValueError])
def test_callbacks_hear_whether_the_work_is_complete(error: type[BaseException]) -> None:
    seen: list[Update] = []
    engine = wt.Engine(progress=seen.append)
    with pytest.raises(error), engine.progress_scope():
        raise error
    with engine.progress_scope():
        pass
    assert seen == [STOPPED, OVER]
    assert all(update.finished for update in seen)


def test_a_notebook_has_one_output_that_is_replaced(notebook: list[dict[str, str]]) -> None:
    space = wt.Space.from_points(np.random.default_rng(0).normal(size=(2000, 2)))
    wt.iterate(wt.transforms.gaussian_transform(0.5), space, n_iter=5)
    until(lambda: notebook)
    assert any("iteration " in data["text/plain"] for data in notebook)
    assert notebook[-1]["text/plain"].startswith("done in 0:0")


def test_short_work_leaves_no_trace(notebook: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "AFTER", 60.0)
    with wt.Engine().progress_scope() as engine:
        engine.report("means", 1, 2)
        time.sleep(0.05)
    assert notebook == []


@pytest.mark.parametrize("place", ["pipe", "dumb", "none", "closed", "IPython on a terminal", "child"])
def test_elsewhere_nothing_is_shown(place: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    if place in ("pipe", "IPython on a terminal"):
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    if place == "IPython on a terminal":
        monkeypatch.setattr(builtins, "get_ipython", SimpleNamespace, raising=False)
    if place == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    if place == "none":  # a window without a console
        monkeypatch.setattr(progress.sys, "stderr", None)
    if place == "closed":
        monkeypatch.setattr(progress.sys, "stderr", closed := io.StringIO())
        closed.close()
    if place == "child":
        monkeypatch.setitem(sys.modules, "multiprocessing.process", SimpleNamespace(parent_process=lambda: True))
    for asked in (None, True):
        with wt.Engine(progress=asked).progress_scope() as engine:
            engine.report("means", 1, 2)
            time.sleep(0.02)
    assert terminal.getvalue() == ""


def test_long_work_has_a_bar_unless_it_is_switched_off(terminal: Terminal) -> None:
    with wt.Engine(progress=False).progress_scope() as engine, engine.silent().progress_scope() as quiet:
        quiet.report("means", 1, 2)
        time.sleep(0.02)
    assert terminal.getvalue() == ""
    for asked in (None, True, wt.engine.bar()):
        with wt.Engine(progress=asked).progress_scope() as engine:
            engine.report("means", 1, 2)
            until(lambda: "means" in terminal.getvalue())
        terminal.truncate(0)


def test_work_within_work_has_no_bar_of_its_own(terminal: Terminal) -> None:
    with wt.Engine().progress_scope() as outer, wt.Engine().progress_scope() as inner:
        outer.report("outside", 1, 2)
        inner.report("inside", 1, 2)
        until(lambda: terminal.getvalue().count("outside") > 3)
    assert "inside" not in terminal.getvalue()


def test_the_time_that_remains_counts_down(monkeypatch: pytest.MonkeyPatch) -> None:
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now.seconds, sleep=time.sleep))
    bar, clock = Bar(io.StringIO()), Clock()

    def shown() -> str:
        return bar.line().partition("%  ")[2].partition("  ")[0]

    def when(stage: str, done: int, total: int) -> str:
        bar(Update(stage, done, total, 0, 0, clock.estimate_remaining(stage, done, total, 0, 0)))
        return shown()

    bar.stage("")
    when("pairs", 0, 208)
    now.seconds += 50
    assert when("pairs", 3, 208) == "0:50 so far"  # too early
    now.seconds += 50
    assert when("pairs", 104, 208) == "1:40 left"
    now.seconds += 40
    assert shown() == "1:00 left"
    now.seconds += 60
    assert when("pairs", 207, 208) == "0:01 left"
    assert when("trees", 0, 2) == "3:20 so far"  # the next stage has its own time
    now.seconds += 5
    assert when("trees", 1, 2) == "0:05 left"


def test_the_time_of_a_loop_is_that_of_its_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    clock = Clock()
    now.seconds = 100.0  # what came before the loop does not count
    assert np.isnan(clock.estimate_remaining("means", 1, 2, 1, 3))
    now.seconds += 10.0
    assert clock.estimate_remaining("means", 0, 2, 2, 3) == 20.0
    now.seconds += 4.0
    assert clock.estimate_remaining("means", 1, 2, 2, 3) == 16.0
    now.seconds += 6.0
    assert clock.estimate_remaining("means", 0, 2, 3, 3) == 10.0
    now.seconds += 30.0
    assert clock.estimate_remaining("means", 2, 2, 3, 3) == 0.0  # it never grows while the bar is full


def test_compiling_is_a_stage(terminal: Terminal) -> None:
    with Bar() as show:
        progress.set_compiling(True)
        try:
            until(lambda: "0:00 so far  compiling what this needs, once" in terminal.getvalue())
        finally:
            progress.set_compiling(False)
        show(HALF)
        until(lambda: "means" in terminal.getvalue())


def test_warnings_have_a_line_of_their_own(terminal: Terminal) -> None:
    with Bar() as show:
        show.stage("reading")
        until(lambda: "reading" in terminal.getvalue())
        with progress._lock:
            with pytest.warns(UserWarning, match="careful"):
                check.warn("careful")
            assert terminal.getvalue().endswith("\r\x1b[2K")


def test_a_terminal_that_goes_away_ends_no_work(terminal: Terminal) -> None:
    with Bar() as show:
        show(HALF)
        until(lambda: "means" in terminal.getvalue())
        terminal.close()
        until(lambda: progress._outermost is None)


def test_updates_may_come_from_many_threads(terminal: Terminal) -> None:
    show = wt.engine.bar()

    def work() -> None:
        for k in range(5000):
            show(Update("means", k, 5000))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: "means" in terminal.getvalue())
    show(OVER)


def test_nothing_is_imported_for_progress_that_nobody_sees() -> None:
    code = (
        "import sys, wasserstein_transform as wt; wt.MeanShift(eps=1.0).fit([[0.0], [0.5], [9.0]]);"
        "print([name for name in sys.modules if name.split('.')[0] in ('rich', 'IPython', 'tqdm')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
