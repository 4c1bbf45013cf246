"""`wt explore`, as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import pytest

from wasserstein_transform.cli import main

pytest.importorskip("bokeh")

_MAIN = "import sys; sys.argv[0] = 'wt'; from wasserstein_transform.cli import main; main()"
_START = [sys.executable, "-c", _MAIN, "explore", "--no-browser"]


@contextmanager
def started(*words, cwd):
    process = subprocess.Popen(
        [*_START, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, cwd=cwd
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_address_is_said_the_page_is_there_and_ctrl_c_ends_it(tmp_path):
    (tmp_path / "points.csv").write_text("x,y,kind\n1,2,a\n3,4,b\n5,7,a\n")
    with started("points.csv", "--columns", "x,y", "--label", "kind", cwd=tmp_path) as process:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out == ""
    assert err.splitlines() == ["open this address in a browser; Ctrl-C ends it", "ended"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["not-there.csv"], "not-there.csv is not there"),
        (["points.csv", "--columns", "z"], "z"),
        (["broken.csv"], "line 3"),
        (["words.csv"], "no column of numbers"),
        (["--port", "99999"], "65535"),
    ],
)
def test_what_cannot_be_shown_is_one_line_and_status_2(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["wt", "explore", "--no-browser", *words])
    (tmp_path / "points.csv").write_text("x,y\n1,2\n3,4\n")
    (tmp_path / "broken.csv").write_text("x,y\n1,2\n3\n")
    (tmp_path / "words.csv").write_text("a,b\nc,d\n")
    with pytest.raises(SystemExit) as end:
        main()
    out, err = capsys.readouterr()
    assert end.value.code == 2
    assert out == ""
    assert err.startswith("wt explore: ")
    assert said in err
    assert err.count("\n") == 1
