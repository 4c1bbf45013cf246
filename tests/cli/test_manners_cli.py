"""How commands speak: progress that comes late and goes, widths, colors, mistakes in one line, JSON for machines."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_files import blobs, process, run, write_csv

import wasserstein_transform as wt
from wasserstein_transform.cli.app import app
from wasserstein_transform.cli.printing import say
from wasserstein_transform.engine import Update, progress
from wasserstein_transform.engine.progress import Bar


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Errors go to a terminal, and progress comes at once; no fixture, for pytest takes its streams back."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(progress, "AFTER", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.005)
    return stream


def until(shown: Any, what: str) -> None:
    """Wait until a stream shows something."""
    end = time.monotonic() + 20
    while what not in shown.getvalue():
        assert time.monotonic() < end, shown.getvalue()[-300:]
        time.sleep(0.002)


def test_progress_is_one_line_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_a_terminal(monkeypatch)
    with Bar() as bar:
        bar.stage("clustering")
        until(terminal, "0:00 so far  clustering")
        bar(Update("trees", 3, 10, remaining=75.4))
        until(terminal, " 30 %  1:15 left  ━━━━━━ ")
        until(terminal, "clustering: trees")
        with progress._lock:
            say("a note", err=True)
        bar(Update("", 1, 1))
        bar.stage("writing")
        until(terminal, "writing")  # the end of the engine's work is not that of the command
    shown = terminal.getvalue()
    before, _, after = shown.partition("a note\n")
    assert before.endswith("\r\x1b[2K")  # the line was taken away
    assert after.endswith("\r\x1b[1A\x1b[2K")


@pytest.mark.parametrize("reason", ["quick", "quiet", "dumb", "pipe"])
def test_progress_is_not_shown_where_nobody_wants_it(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream: Any = on_a_terminal(monkeypatch)
    if reason == "quick":
        monkeypatch.setattr(progress, "AFTER", 60.0)
    if reason == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    if reason == "pipe":
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
    with Bar(quiet=reason == "quiet") as bar:
        bar.stage("clustering")
        time.sleep(0.05)
    assert stream.getvalue() == ""


def test_errors_advise_what_one_types(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "points.csv", blobs())
    done = run("transform", file, "--eps", "2,5")
    assert done.exit_code == 2
    assert "--n-iter 2 uses all of them" in done.stderr
    done = run("transform", file, "--eps", "-1")
    assert "--eps must be positive and finite, got -1.0; --eps auto gives a starting value" in done.stderr
    with pytest.raises(ValueError, match=r"^eps must be .*; wt\.localize\.suggest_eps\(X\) gives a starting value"):
        wt.GaussianTransform(-1.0).fit(blobs())
    assert "--jobs must be a positive number of threads" in run("transform", file, "--eps", 1, "-j", 0).stderr
    file.write_text("x,y\n1,2\n3,oops\n")
    assert "leave the column out (--columns)" in run("transform", file).stderr
    with pytest.raises(ValueError, match=r"leave the column out \(columns=\[\.\.\.\]\)"):
        wt.tables.coordinates(wt.read(file), ["x", "y"])


def test_a_matrix_of_distances_without_its_option_is_told_the_option(tmp_path: Path) -> None:
    points = blobs()[::6]
    np.savetxt(tmp_path / "D.csv", np.hypot(*(points[:, None] - points[None]).T), delimiter=",")
    done = run("cluster", tmp_path / "D.csv", "-o", "-")
    assert "look like distances; use --distances" in done.stderr


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["clsuter"], "wt: no such command 'clsuter'"),
        (["cluster"], "wt cluster: missing argument 'FILE' (see wt cluster --help)"),
        (["cluster", "a.csv", "--colums", "x"], "wt cluster: no such option"),
        (["cluster", "a.csv", "-k", "two"], "wt cluster: invalid value for '-k' / '--clusters'"),
        (["cluster", "a.csv", "b.csv"], "wt cluster: "),
        (["segment", "a.png"], "wt segment: missing option '-o' / '--output'"),
        (["--nonsense"], "wt: no such option"),
    ],
)
def test_mistakes_in_words_are_one_line(words: list[str], error: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(error)
    assert done.stderr.count("\n") == 1


def test_exit_codes_are_part_of_the_help() -> None:
    text = " ".join(run("--help").stdout.partition("Exit status:")[2].split())
    for status in (0, 2, 3, 70, 130, 141, 143):
        assert f" {status} " in f" {text}"


def test_every_command_has_help_whose_first_sentence_is_in_the_list() -> None:
    listed = " ".join(run("--help").stdout.split())
    assert list(app.commands)[:2] == ["cluster", "denoise"]
    for name, command in app.commands.items():
        done = run(name, "--help")
        assert done.exit_code == 0, done.output
        assert f"Usage: wt {name}" in done.stdout
        assert f"{name} {command.get_short_help_str(80)}" in listed


def test_help_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in ([], ["cluster"], ["skeleton"], ["communities"], ["transform"]):
        text = run(*words, "--help").stdout
        assert max(map(len, text.splitlines())) <= 80, words


@pytest.mark.slow
def test_commands_without_a_terminal_show_no_progress_and_no_color(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "points.csv", blobs())
    done = process("transform", file, "-o", tmp_path / "out.csv", NO_COLOR="1")
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
    assert b"\r" not in done.stdout
    assert done.stdout.splitlines()[-1] == str(tmp_path / "out.csv").encode()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="terminals of Unix")
def test_on_a_terminal_the_answer_is_lines_and_how_to_keep_it(tmp_path: Path) -> None:
    pty = importlib.import_module("pty")
    file = write_csv(tmp_path / "points.csv", blobs())
    script = (
        "import sys; sys.argv[0] = 'wt'; from wasserstein_transform.cli import main;"
        "from wasserstein_transform.engine import progress; progress.AFTER, progress.EVERY = 0.0, 0.01; main()"
    )
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", script, "transform", file.name],
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "40", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # Linux: an error when nobody writes any more
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    status = running.wait(30)
    text = shown.decode().removesuffix("\x1b[0m")  # colorama, where it is installed, resets colors at exit
    assert status == 0, text
    assert "starting" in text
    progress_lines = text.partition("60 points, columns")[0].replace("\r", "\n").splitlines()
    assert max(map(len, progress_lines)) < 40
    assert text.splitlines()[-1] == "to keep it: wt transform points.csv -o transformed"


EVIL = "x\x1b]0;title\x07"


def test_control_characters_of_files_never_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "esc.csv").write_text("x\x1b]0;title,y\x1b[31m\x9b2J,z\n1,2,a\n3,4,b\n5,7,c\n")
    said = [run("info", tmp_path / "esc.csv"), run("info", tmp_path / "esc.csv", "--json")]
    said += [run("denoise", tmp_path / "esc.csv", "--columns", "w"), run("denoise", tmp_path / f"{EVIL}.csv")]
    for one in said:
        assert "\\u001b" in one.stdout + one.stderr
        assert not set("\x1b\x07\x9b") & set(one.stdout + one.stderr)
    assert "y\x1b[31m\x9b2J" in str(json.loads(said[1].stdout)).encode().decode("unicode_escape")


def test_control_characters_are_escaped_in_every_way_of_printing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    say(EVIL)
    assert "\x1b" not in "".join(capsys.readouterr())
    stream = on_a_terminal(monkeypatch)
    say(EVIL, err=True)
    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().startswith("x\\u001b]0;title\\u0007\n")
