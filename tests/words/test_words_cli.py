"""The command `wt words`: models, nearest words, distances, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import wasserstein_transform as wt
from wasserstein_transform.cli.app import app


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors and a corpus."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("words")
    names = [f"w{k}" for k in range(40)]
    rows = rng.normal(size=(40, 5)).astype(np.float32).tolist()
    lines = [f"{name} {' '.join(map(repr, row))}" for name, row in zip(names, rows, strict=True)]
    (folder / "vectors.txt").write_text("\n".join(lines))
    (folder / "corpus.txt").write_text(" ".join(rng.choice(names, 3000)))
    return folder


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["words", *map(str, arguments)])


def files(place: Path) -> list[object]:
    return ["--vectors", place / "vectors.txt", "--corpus", place / "corpus.txt"]


def test_the_command_answers_about_words(place: Path, tmp_path: Path) -> None:
    gt = wt.words.WordTransform(place / "vectors.txt", lam=2.0).fit(place / "corpus.txt")
    found = gt.most_similar("w3", 4)
    model = tmp_path / "words.npz"
    assert "40 words" in command("fit", *files(place), "-o", model).output
    for source in (files(place), ["--model", model]):
        done = command("similar", "w3", *source, "-k", 4, "--lam", 2)
        assert done.exit_code == 0, done.output
        assert [line.split()[0] for line in done.output.splitlines()[1:5]] == list(found.words)
        assert f"{found.n_exact} of 40 distances computed" in done.output
        done = command("pair", "w3", "w5", *source, "--lam", 2)
        assert f"{gt.distance('w3', 'w5'):.4f} with λ = 2" in done.output


def test_a_model_keeps_its_lam_and_what_was_settled(place: Path, tmp_path: Path) -> None:
    model = tmp_path / "words.npz"
    command("fit", *files(place), "--lam", 0.5, "--window", 2, "-o", model)
    assert "with λ = 0.5" in command("pair", "w3", "w5", "--model", model).output
    gt = wt.words.WordTransform.load(model)
    found = command("similar", "w3", "--model", model, "-k", 1).output
    assert f"{gt.most_similar('w3', 1).distances[0]:.4f}" in found
    for option in (["--window", 5], ["--common", 1], ["--letters"]):
        done = command("pair", "w3", "w5", "--model", model, *option)
        assert done.exit_code == 2
        assert f"{option[0]} was fixed when the model was fitted" in done.stderr


def test_small_corpora_are_noted(place: Path, tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("w1 w2 w3")
    done = command("pair", "w1", "w2", "--vectors", place / "vectors.txt", "--corpus", tmp_path / "small.txt")
    assert done.exit_code == 0
    assert done.stderr.startswith("note: no word with a vector has a context")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["fit", "FILES", "-o", "/no/where.npz"], "there is no folder /no to write"),
        (["similar", "yeti", "FILES"], "'yeti' has no vector"),
        (["pair", "w1", "w2"], "give --vectors and --corpus, or --model"),
        (["pair", "w1", "w2", "FILES", "--model", "m"], "a model contains vectors and corpus"),
        (["pair", "w1", "w2", "FILES", "--lam", "-1"], "lam must be a finite number"),
        (["similar", "w1", "--model", "none.npz"], "none.npz is not there"),
    ],
)
def test_what_is_wrong_is_one_line(place: Path, arguments: list[str], error: str) -> None:
    given = [part for word in arguments for part in (files(place) if word == "FILES" else [word])]
    done = command(*given)
    assert done.exit_code == 2
    assert error in done.stderr
    assert done.stderr.startswith(f"wt words {arguments[0]}: ")
    assert len(done.stderr.splitlines()) == 1
