"""The line that shows progress: on terminals of any width, and in notebooks."""

from __future__ import annotations

import builtins
import io
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.engine import Update, progress

HALF, OVER = Update("means", 1, 2, 3, 10, 75.0), Update("", 1, 1)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A time that stands still unless told."""
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython as a kernel runs it: a shell that has one, and streams that are no terminals."""
    monkeypatch.setattr(builtins, "get_ipython", lambda: SimpleNamespace(kernel=object()), raising=False)


def seen(stream: io.StringIO) -> list[str]:
    """Lines as they are read: what is written over is gone."""
    return [line.split("\r")[-1].rstrip() for line in stream.getvalue().split("\n")]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (80, "iteration 3 of 10, means [#####.....]  50 %, 1/2, 0:09 passed, 1:15 left"),
        (70, "iteration 3 of 10, means [#####.....]  50 %, 0:09 passed, 1:15 left"),
        (58, "iteration 3 of 10, means [#####.....]  50 %, 1:15 left"),
        (45, "iteration 3 of 10, means  50 %, 1:15 left"),
        (40, "means  50 %"),
        (6, "means"),
        (1, ""),
    ],
)
def test_a_line_is_cut_to_the_width_of_the_terminal(
    columns: int, expected: str, clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((columns, 24)))
    stream = Terminal()
    monkeypatch.setattr(stream, "fileno", lambda: 2)
    show = wt.bar(stream, width=10, delay=1)
    show(HALF)
    clock.seconds += 9
    show(HALF)
    assert seen(stream) == [expected]
    assert all(len(part) < columns for part in stream.getvalue().split("\r"))
    show(OVER)
    assert seen(stream) == [""]


def test_a_terminal_of_unknown_width_has_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    stream = Terminal()
    wt.bar(stream, delay=0)(HALF)
    assert seen(stream) == ["means  50 %"]


@pytest.mark.usefixtures("notebook")
def test_a_notebook_has_one_line_that_ends(clock: SimpleNamespace) -> None:
    stream = io.StringIO()
    show = wt.bar(stream, width=10, delay=0.1)
    for seconds in (0.0, 0.3):
        clock.seconds += seconds
        show(HALF)
    assert stream.getvalue() == ""  # it may be over before anybody looks
    clock.seconds += 62
    show(HALF)
    assert seen(stream) == ["iteration 3 of 10, means [#####.....]  50 %, 1/2, 1:02 passed, 1:15 left"]
    show(Update("covariances", 2, 2))
    assert "covariances" not in stream.getvalue()  # too soon after the last
    clock.seconds += 1
    show(Update("covariances", 2, 2))
    assert seen(stream) == ["covariances [##########] 100 %, 2/2, 1:03 passed"]
    show(OVER)
    assert seen(stream) == ["[##########] done in 1:03", ""]
    show(Update("again", 1, 2))
    assert seen(stream)[1:] == [""]  # a new piece of work has its own time


@pytest.mark.usefixtures("notebook")
def test_short_work_leaves_no_trace_in_a_notebook() -> None:
    stream = io.StringIO()
    show = wt.bar(stream)
    show(HALF)
    show(OVER)
    assert stream.getvalue() == ""


@pytest.mark.usefixtures("notebook")
def test_verbose_work_is_shown_in_a_notebook(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_NOTEBOOK_DELAYS", 0)
    space = wt.Space.from_points(np.random.default_rng(0).normal(size=(200, 2)))
    wt.iterate(wt.gaussian_transform(0.5), space, n_iter=3, engine=wt.Engine(progress=wt.bar(delay=0)))
    shown = capsys.readouterr().err
    assert "iteration 3 of 3, " in shown
    assert seen(io.StringIO(shown))[1:] == [""]
    assert "done in 0:0" in seen(io.StringIO(shown))[0]


def test_elsewhere_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    wt.bar(stream, delay=0)(HALF)
    monkeypatch.setattr(builtins, "get_ipython", SimpleNamespace, raising=False)  # IPython on a terminal
    wt.bar(stream, delay=0)(HALF)
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    wt.bar(stream, delay=0)(HALF)
    assert stream.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", None)  # a window without a console
    wt.bar(delay=0)(HALF)


def test_ipython_is_not_imported() -> None:
    assert not progress.in_notebook()
    assert "IPython" not in sys.modules
