"""The command `wt words`: it writes adapted vectors, and says in one line what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from wasserstein_transform import words
from wasserstein_transform.cli.app import app
from wasserstein_transform.words.adapting import POWER, SHARE


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors in lower case, and a text with capitals and commas."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("words")
    names = [f"w{k}" for k in range(40)]
    words.WordVectors.of(names, rng.normal(size=(40, 5))).write(folder / "vectors.txt")
    (folder / "corpus.txt").write_text(", ".join(rng.choice(names, 3000)).upper())
    return folder


def command(place: Path, *arguments: object) -> Result:
    files = ["--vectors", place / "vectors.txt", "--corpus", place / "corpus.txt", "--sample", 0]
    return CliRunner().invoke(app, ["words", *map(str, [*files, *arguments])])


def test_the_command_writes_vectors(place: Path, tmp_path: Path) -> None:
    done = command(place, "-o", tmp_path / "new.bin", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["moved"] == 40
    expected = words.adapt(place / "vectors.txt", place / "corpus.txt", sample=0)
    assert np.array_equal(words.read_vectors(tmp_path / "new.bin").matrix, expected.matrix)
    assert "40 words, of which 40 moved" in command(place, "-o", tmp_path / "new.txt").output


def test_notes_name_options(place: Path, tmp_path: Path) -> None:
    done = command(place, "--spaces", "-o", tmp_path / "new.bin")
    assert done.exit_code == 0, done.output
    assert "40 words, of which 0 moved" in done.output
    assert "note: no word with a vector has a context" in done.stderr
    assert "lower --min-count, use --sample 0" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["-o", "new.csv"], "must end in .txt"),
        (["-o", "/no/where.bin"], "there is no folder /no to write"),
        (["-o", "new.bin", "--window", "0"], "--window must be"),
        (["-o", "new.bin", "--min-count", "-1"], "--min-count must be"),
        (["-o", "new.bin", "--share", "2"], "--share must be between 0 and 1"),
        (["-o", "new.bin", "--seed", "-1"], "--seed must be"),
        (["-o", "new.bin", "--vectors", "none.txt"], "none.txt does not exist"),
    ],
)
def test_what_is_wrong_is_one_line(
    place: Path, arguments: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command(place, *arguments)
    assert done.exit_code == 2
    assert error in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_files_stay_unless_force_is_given(place: Path, tmp_path: Path) -> None:
    (tmp_path / "new.bin").write_text("mine")
    done = command(place, "-o", tmp_path / "new.bin")
    assert done.exit_code == 2
    assert "exists already" in done.stderr
    assert command(place, "-o", tmp_path / "new.bin", "--force").exit_code == 0


def test_the_command_has_the_defaults_of_the_call() -> None:
    shown = " ".join(CliRunner().invoke(app, ["words", "--help"]).output.split())
    assert f"0 to 1. [default: {SHARE:g}]" in shown
    assert f"0 to 1. [default: {POWER:g}]" in shown
