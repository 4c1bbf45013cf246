"""Vectors adapted to a corpus: leveled variances, words that move, files for other programs."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform import words
from wasserstein_transform.words import adapting, vectors as vector_rows
from wasserstein_transform.words.adapting import ppmi, whiten

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


def adapted(topics: tuple[wt.words.WordVectors, list[list[str]]], **options: object) -> wt.words.WordVectors:
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


def same_topic(found: wt.words.WordVectors) -> float:
    """How often the nearest word is of the same topic."""
    some = [word for word in found.words if word != "unseen"][::3]
    return float(np.mean([topic(found.most_similar(word, 1).words[0]) == topic(word) for word in some]))


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0])
def test_variances_are_leveled_as_in_the_definition(topics, power) -> None:
    found = whiten(topics[0], power)
    assert found.matrix == pytest.approx(leveled(topics[0].unit, power), abs=1e-5)


def test_directions_without_variance_stay_without() -> None:
    flat = np.zeros((30, 5))
    flat[:, :3] = np.random.default_rng(1).normal(size=(30, 3))
    found = whiten(wt.words.WordVectors.of([f"w{k}" for k in range(30)], flat), 1.0)
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
    assert found.matrix == pytest.approx(scaled(expected), abs=2e-5)
    assert not seen[vectors.row("unseen")]
    assert found.n_moved == seen.sum()


def test_ppmi_weighs_by_surprise(topics) -> None:
    contexts = wt.words.WordTransform(topics[0], window=3, min_count=1, sample=0).fit(topics[1]).contexts_
    counts = contexts.matrix.toarray().astype(float)
    chances = counts.sum(axis=0) ** 0.75 / (counts.sum(axis=0) ** 0.75).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = counts / counts.sum(axis=1, keepdims=True) / chances
        expected = np.where(ratio > 1, np.log(ratio), 0.0)
    assert ppmi(contexts).matrix.toarray() == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
def test_adapted_words_find_their_topic_where_plain_ones_do_not(topics) -> None:
    plain = topics[0]
    leveled_only, moved = words.adapt(topics[0]), adapted(topics)
    assert same_topic(plain) + 0.1 < same_topic(leveled_only)
    assert same_topic(leveled_only) + 0.1 < same_topic(moved)


def test_without_a_corpus_no_word_moves(topics) -> None:
    found = words.adapt(topics[0])
    assert found.matrix == pytest.approx(whiten(topics[0]).unit, abs=1e-6)
    assert found.n_moved == 0
    with pytest.raises(ValueError, match=r"a corpus is needed, got None; wt.words.adapt\(vectors\)"):
        wt.words.WordTransform(topics[0]).fit(None)


def test_the_result_depends_on_neither_threads_nor_blocks(topics, monkeypatch) -> None:
    one, two = (adapted(topics, n_jobs=n).matrix for n in (1, 2))
    assert np.array_equal(one, two)
    monkeypatch.setattr(vector_rows, "ROWS", 7)
    monkeypatch.setattr(adapting, "ENTRIES", 5)
    assert adapted(topics).matrix == pytest.approx(one, abs=1e-6)


def test_vectors_are_compared_by_the_distance_of_unit_vectors(topics) -> None:
    vectors = topics[0]
    unit = vectors.unit.astype(float)
    squares = ((unit - unit[5]) ** 2).sum(axis=1)
    squares[5] = np.inf
    found = vectors.most_similar(vectors.words[5], 7)
    assert found.words == tuple(vectors.words[row] for row in np.argsort(squares)[:7])
    assert found.distances == pytest.approx(np.sqrt(np.sort(squares)[:7]), abs=1e-12)
    assert vectors.distance(vectors.words[5], found.words[0]) == pytest.approx(found.distances[0], abs=1e-12)
    assert np.isnan(vectors.pairs([("t0w1", "yeti"), ("t0w1", "t1w2")])).tolist() == [True, False]
    assert len(vectors.most_similar("t0w1", 10**6)) == len(vectors) - 1


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
    monkeypatch.setattr(vector_rows, "ROWS", 7)
    monkeypatch.setattr(adapting, "ENTRIES", 50)
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
        ({"power": 1.5}, "power must be between 0 and 1, got 1.5"),
        ({"power": float("nan")}, "power must be a finite number"),
        ({"share": -0.1}, "share must be a finite number"),
        ({"share": 2}, "share must be between 0 and 1"),
        ({"window": 0}, "window must be"),
    ],
)
def test_what_is_no_setting_is_refused(topics, options, error) -> None:
    with pytest.raises(ValueError, match=error):
        adapted(topics, **options)


@pytest.mark.parametrize("name", ["words.txt", "words.bin"])
def test_vectors_that_are_written_come_back_to_the_bit(topics, tmp_path, name) -> None:
    vectors = adapted(topics)
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
