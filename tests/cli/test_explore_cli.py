"""`wt explore`, as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from wasserstein_transform.cli import main

pytest.importorskip("bokeh")

_MAIN = "import sys; sys.argv[0] = 'wt'; from wasserstein_transform.cli import main; main()"
_START = [sys.executable, "-c", _MAIN, "explore"]


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
def test_the_address_is_said_the_page_is_there_and_ctrl_c_ends_it(tmp_path, monkeypatch):
    """The browser gets a file with the address: other users can read the arguments of a program."""
    (tmp_path / "points.csv").write_text("x,y,kind\n1,2,a\n3,4,b\n5,7,a\n")
    monkeypatch.setenv("BROWSER", str(tmp_path / "browser"))
    (tmp_path / "browser").write_text(
        '#!/bin/sh\nls -l "${1#file://}" > mode\ncat "${1#file://}" > page\necho "$@" > new\nmv new words\n'
    )
    (tmp_path / "browser").chmod(0o700)
    with started("points.csv", cwd=tmp_path) as process:
        url = process.stdout.readline().strip()
        while process.poll() is None and not (tmp_path / "words").exists():
            time.sleep(0.01)
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out == ""
    assert err.splitlines() == ["open this address in a browser; Ctrl-C ends it", "ended"]
    opened = (tmp_path / "words").read_text().strip()
    assert url.split("/")[-2] not in opened
    assert f'url={url}"' in (tmp_path / "page").read_text()
    assert (tmp_path / "mode").read_text().startswith("-rw-------")
    assert not Path(opened.removeprefix("file://")).exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["not-there.csv"], "not-there.csv does not exist"),
        (["points.csv", "--columns", "z"], "no such option"),
        (["broken.csv"], "line 3"),
        (["words.csv"], "no column to cluster"),
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
