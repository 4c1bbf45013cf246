"""Folders of finished work."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli_files import run, write_csv


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
