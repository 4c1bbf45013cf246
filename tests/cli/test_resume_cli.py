"""Commands that are stopped and go on, and those that are sent elsewhere."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cli_files import SCRIPT, run, write_csv

EAGER = f"from wasserstein_transform.engine import tile_files; tile_files._MAX_SECONDS = 0.02; {SCRIPT}"
LT = ("--method", "lt", "--eps", "0.5", "-j", "1")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    X = np.random.default_rng(3).normal(size=(240, 2))
    return write_csv(tmp_path_factory.mktemp("resume") / "x.csv", X)


def kept(cwd: Path) -> int:
    """Bytes of tiles that are finished."""
    return sum(path.stat().st_size for path in cwd.glob("work/tiles/*"))


def stopped_halfway(table: Path, cwd: Path, by: int) -> str:
    """Stop a command once it has finished some more tiles; what it said."""
    before = kept(cwd)
    command = [sys.executable, "-c", EAGER, "distances", str(table), *LT, "-o", "out", "--store", "work"]
    with subprocess.Popen(command, cwd=cwd, stderr=subprocess.PIPE, text=True) as wt:
        while kept(cwd) <= before + 10_000:
            assert wt.poll() is None
            time.sleep(0.005)
        wt.send_signal(by)
        assert wt.stderr is not None
        return wt.stderr.read()


@pytest.mark.slow
def test_a_killed_command_goes_on(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = stopped_halfway(table, tmp_path, signal.SIGINT)
    assert "stopped; finished work is in work, and the same command continues from there" in said
    stopped_halfway(table, tmp_path, signal.SIGKILL)
    monkeypatch.chdir(tmp_path)
    assert run("distances", table, *LT, "-o", "out", "--store", "work").exit_code == 0
    assert run("distances", table, *LT, "-o", "whole").exit_code == 0
    assert (tmp_path / "out" / "distances.npy").read_bytes() == (tmp_path / "whole" / "distances.npy").read_bytes()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["-o", "out", "--store", "no/such"], "there is no folder"),
        (["-o", "out", "--store", "."], "holds other files and is not a store"),
    ],
)
def test_folders_that_do_are_asked_for_in_a_line(
    options: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(tmp_path / "x.csv", np.eye(2))
    monkeypatch.chdir(tmp_path)
    done = run("transform", "x.csv", *options)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert error in done.stderr
