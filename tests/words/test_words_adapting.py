"""Vectors adapted to a corpus: leveled variances, words that move, files for other programs, the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import wasserstein_transform as wt
from wasserstein_transform import words
from wasserstein_transform.cli.app import app
from wasserstein_transform.words import blocks
from wasserstein_transform.words.adapting import POWER, SHARE
from wasserstein_transform.words.covariances import Covariances

KINDS, EACH, M = 40, 6, 12


@pytest.fixture(scope="module")
def topics() -> tuple[wt.words.WordVectors, list[list[str]]]:
    """Words of 40 topics in all directions, and two directions that all words share; a text of one topic a line."""
    rng = np.random.default_rng(0)
    names = [f"t{k}w{i}" for k in range(KINDS) for i in range(EACH)]
    own = np.repeat(rng.normal(size=(KINDS, M)), EACH, axis=0) + 0.7 * rng.normal(size=(KINDS * EACH, M))
    shared = 4.0 * rng.normal(size=(KINDS * EACH, 2)) @ rng.normal(size=(2, M)) + 3.0
    text = [[f"t{k}w{i}" for i in rng.integers(EACH, size=12)] for k in range(KINDS) for _ in range(8)]
    return wt.words.WordVectors.of([*names, "unseen"], np.vstack([own + shared, rng.normal(size=M)])), text


def adapted(topics: tuple[wt.words.WordVectors, list[list[str]]], **options: object) -> wt.words.WordTransform:
    return words.adapt(topics[0], topics[1], **{"min_count": 1, "sample": 0, **options})


def leveled(unit: np.ndarray, power: float) -> np.ndarray:
    """The definition, by singular values."""
    off = unit.astype(float) - unit.mean(axis=0, dtype=float)
    n, m = off.shape
    _, s, axes = np.linalg.svd(off, full_matrices=True)
    variances = np.zeros(m)
    variances[: len(s)] = s**2 / n
    ratios = (n * variances / variances.mean() + m) / (n + m)
    return off @ axes.T @ np.diag(ratios ** (-power / 2)) @ axes


def scaled(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def topic(word: str) -> str:
    return word.split("w", maxsplit=1)[0]


def same_topic(found: wt.words.WordTransform) -> float:
    """How often the nearest word is of the same topic."""
    some = [word for word in found.vectors_.words if word != "unseen"][::3]
    return float(np.mean([topic(found.most_similar(word, 1).words[0]) == topic(word) for word in some]))


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0])
def test_variances_are_leveled_as_in_the_definition(topics, power) -> None:
    found = words.cleaning.Whiten(power)(topics[0])
    assert found.matrix == pytest.approx(leveled(topics[0].unit, power), abs=1e-5)


def test_leveling_by_the_power_0_removes_the_mean_only(topics) -> None:
    assert words.cleaning.Whiten(0.0)(topics[0]).matrix == pytest.approx(
        words.cleaning.Common(0)(topics[0]).matrix, abs=1e-6
    )


def test_directions_without_variance_stay_without() -> None:
    flat = np.zeros((30, 5))
    flat[:, :3] = np.random.default_rng(1).normal(size=(30, 3))
    found = words.cleaning.Whiten(1.0)(wt.words.WordVectors.of([f"w{k}" for k in range(30)], flat))
    assert abs(found.matrix[:, 3:]).max() < 1e-6


def test_words_move_as_in_the_definition(topics) -> None:
    vectors, text = topics
    found = adapted(topics, share=0.3, power=0.6, window=2)
    counts = words.contexts.count_contexts(wt.words.Corpus.read(text), vectors, 2, 1, 0).matrix.toarray().astype(float)
    unit = scaled(leveled(vectors.unit, 0.6))
    chances = counts.sum(axis=0) ** 0.75 / (counts.sum(axis=0) ** 0.75).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        ppmi = np.nan_to_num(np.maximum(np.log(counts / counts.sum(axis=1, keepdims=True) / chances), 0.0), posinf=0.0)
    seen = ppmi.sum(axis=1) > 0
    means = (ppmi @ unit)[seen] / ppmi[seen].sum(axis=1, keepdims=True)
    everywhere = ppmi.sum(axis=0) @ unit / ppmi.sum()
    expected = unit.copy()
    expected[seen] = 0.7 * unit[seen] + 0.3 * scaled(means - everywhere)
    assert found.points_ == pytest.approx(scaled(expected), abs=2e-5)
    assert not seen[vectors.row("unseen")]
    assert found.lam == 0


@pytest.mark.slow
def test_adapted_words_find_their_topic_where_plain_ones_do_not(topics) -> None:
    plain = wt.words.WordTransform(topics[0], lam=0.0, min_count=1, sample=0).fit(topics[1])
    leveled_only, moved = words.adapt(topics[0]), adapted(topics)
    assert same_topic(plain) + 0.1 < same_topic(leveled_only)
    assert same_topic(leveled_only) + 0.1 < same_topic(moved)


def test_without_a_corpus_no_word_moves(topics) -> None:
    found = words.adapt(topics[0])
    assert found.points_ == pytest.approx(words.cleaning.Whiten()(topics[0]).unit, abs=1e-6)
    with pytest.raises(ValueError, match=r"a corpus is needed, got None; wt.words.adapt\(vectors\)"):
        wt.words.WordTransform(topics[0]).fit(None)


def test_the_result_depends_on_neither_threads_nor_blocks(topics, monkeypatch) -> None:
    one, two = (adapted(topics, n_jobs=n).points_ for n in (1, 2))
    assert np.array_equal(one, two)
    monkeypatch.setattr(blocks, "ROWS", 7)
    monkeypatch.setattr(blocks, "ENTRIES", 5)
    assert adapted(topics).points_ == pytest.approx(one, abs=1e-6)


def test_distances_at_lam_0_need_no_covariances(topics, monkeypatch) -> None:
    found = adapted(topics)
    monkeypatch.setattr(Covariances, "factors", None)
    rows = found.vectors_.find(["t0w1", "t1w2"])
    expected = np.linalg.norm(found.points_[rows[0]].astype(float) - found.points_[rows[1]])
    assert found.distance("t0w1", "t1w2") == pytest.approx(expected, abs=1e-12)


def test_progress_is_one_piece_of_work_and_can_be_cancelled(topics) -> None:
    seen: list[wt.engine.Update] = []
    with wt.using(progress=seen.append) as engine:
        adapted(topics)
        stages = {"variances", "whitening", "reading the corpus", "contexts", "weights of contexts", "moving words"}
        assert stages < {update.stage for update in seen}
        assert [update.finished for update in seen].count(True) == 1
        engine.cancel()
        with pytest.raises(wt.Cancelled):
            adapted(topics)
        with pytest.raises(wt.Cancelled):
            words.adapt(topics[0])


@pytest.mark.parametrize("stage", ["variances", "whitening", "weights of contexts", "moving words"])
def test_each_stage_hears_who_cancels_within_it(topics, stage, monkeypatch) -> None:
    monkeypatch.setattr(blocks, "ROWS", 7)
    monkeypatch.setattr(blocks, "ENTRIES", 50)
    last: list[str] = []

    def cancel(update: wt.engine.Update) -> None:
        last.append(update.stage)
        if update.stage == stage and 0 < update.done < update.total:
            engine.cancel()

    with wt.using(progress=cancel) as engine, pytest.raises(wt.Cancelled):
        adapted(topics)
    assert [name for name in last if name][-1] == stage


def test_memory_is_announced(topics) -> None:
    with wt.using(memory=100), pytest.raises(MemoryError, match="whitened vectors of 241 words"):
        words.adapt(topics[0])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"power": 1.5}, "power must lie between 0 and 1, got 1.5"),
        ({"power": float("nan")}, "power must be a finite number"),
        ({"share": -0.1}, "share must be a finite number"),
        ({"share": 2}, "share must lie between 0 and 1"),
        ({"window": 0}, "window must be"),
    ],
)
def test_what_is_no_setting_is_refused(topics, options, error) -> None:
    with pytest.raises(ValueError, match=error):
        adapted(topics, **options)


def test_what_is_saved_comes_back(topics, tmp_path) -> None:
    found = adapted(topics)
    found.save(tmp_path / "words.npz")
    again = wt.words.WordTransform.load(tmp_path / "words.npz")
    assert again.points_ == pytest.approx(found.points_, abs=1e-6)
    assert again.most_similar("t3w3", 5).words == found.most_similar("t3w3", 5).words


@pytest.mark.parametrize("name", ["words.txt", "words.bin"])
def test_vectors_that_are_written_come_back_to_the_bit(topics, tmp_path, name) -> None:
    vectors = adapted(topics).adapted
    vectors.write(tmp_path / name)
    again = words.read_vectors(tmp_path / name)
    assert again.words == vectors.words
    assert np.array_equal(again.matrix, vectors.matrix)


def test_what_cannot_be_written_leaves_nothing(tmp_path) -> None:
    vectors = wt.words.WordVectors.of(["new york", "cat"], np.eye(2))
    with pytest.raises(ValueError, match="white space"):
        vectors.write(tmp_path / "words.txt")
    with pytest.raises(ValueError, match="must end in"):
        vectors.write(tmp_path / "words.csv")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def place(topics, tmp_path: Path) -> Path:
    topics[0].write(tmp_path / "vectors.txt")
    (tmp_path / "corpus.txt").write_text("\n".join(" ".join(line) for line in topics[1]))
    return tmp_path


def command(place: Path, *arguments: object) -> Result:
    files = ["--vectors", place / "vectors.txt", "--corpus", place / "corpus.txt", "--min-count", 1, "--sample", 0]
    return CliRunner().invoke(app, ["words", *map(str, [*files, *arguments])])


@pytest.mark.slow
def test_the_command_writes_vectors(topics, place: Path) -> None:
    done = command(place, "-o", place / "new.bin", "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.output)
    assert facts["moved"] == KINDS * EACH
    expected = words.adapt(topics[0], place / "corpus.txt", min_count=1, sample=0)
    assert np.array_equal(words.read_vectors(place / "new.bin").matrix, expected.adapted.matrix)
    done = command(place, "-o", place / "new.npz")
    assert "241 words, of which 240 moved" in done.output
    assert wt.words.WordTransform.load(place / "new.npz").lam == 0


def test_what_the_command_refuses_is_one_line(place: Path) -> None:
    for target, error in (("new.csv", "must end in .txt"), ("corpus.txt", "exists already")):
        done = command(place, "-o", place / target)
        assert done.exit_code == 2
        assert error in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_the_command_has_the_defaults_of_the_call() -> None:
    shown = " ".join(CliRunner().invoke(app, ["words", "--help"]).output.split())
    assert f"0 to 1. [default: {SHARE:g}]" in shown
    assert f"0 to 1. [default: {POWER:g}]" in shown
