"""Scores against people: files of ratings, Spearman's correlation, its resamples, the table, the study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import slow_words as slow
from scipy.stats import spearmanr

from wasserstein_transform.engine import Engine
from wt_paper import ratings, words
from wt_paper.experiments import EXPERIMENTS
from wt_paper.experiments.parameters import Words
from wt_paper.experiments.words import nearest_contexts
from wt_paper.ratings import resampled, spearman


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors, a corpus and two benchmarks, made so that plain distances rank the first one perfectly."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("words")
    names = [f"w{k}" for k in range(40)]
    matrix = rng.normal(size=(40, 5)).astype(np.float32)
    lines = [f"{name} {' '.join(map(repr, row.tolist()))}" for name, row in zip(names, matrix, strict=True)]
    (folder / "vectors.txt").write_text("\n".join(lines))
    (folder / "corpus.txt").write_text(" ".join(rng.choice(names, 3000)))
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    pairs = rng.permutation([(i, j) for i in range(40) for j in range(i)])[:60]
    (folder / "benchmarks").mkdir()
    plain = [f"w{i} w{j} {10 - float(np.linalg.norm(unit[i] - unit[j]))}" for i, j in pairs]
    (folder / "benchmarks" / "EN-PLAIN.txt").write_text("\n".join(plain))
    noise = [f"w{i} w{j} {rng.integers(5)}" for i, j in pairs]
    (folder / "benchmarks" / "EN-NOISE.txt").write_text("\n".join([*noise, "w0 yeti 3", "gnu yeti 2"]))
    (folder / "benchmarks" / "EN-NONE.txt").write_text("gnu yeti 2\n")
    return folder


def known(place: Path) -> tuple[words.WordVectors, words.Corpus, tuple[ratings.Benchmark, ...]]:
    sets = ratings.read_benchmarks(place / "benchmarks")
    return words.read_vectors(place / "vectors.txt"), words.read_corpus(place / "corpus.txt"), sets


def test_spearman_is_that_of_scipy_ties_and_all() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(6, size=50).astype(float), rng.normal(size=50)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(slow.spearman(x, y), abs=1e-12)
    assert np.isnan(spearman(x, np.ones(50)))
    assert np.isnan(spearman(x[:2], y[:2]))


def test_resamples_rank_anew() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(6, size=30).astype(float), rng.normal(size=(2, 30)).round(1)
    found = resampled(x, y, 20, np.random.default_rng(3))
    times = np.random.default_rng(3).multinomial(30, np.full(30, 1 / 30), size=20)
    for row, counts in zip(found, times, strict=True):
        drawn = np.repeat(np.arange(30), counts)
        assert row == pytest.approx([spearmanr(x[drawn], z[drawn]).statistic for z in y], abs=1e-12)


def test_the_table_holds_spearman_correlations_of_the_distances(place: Path) -> None:
    vectors, corpus, sets = known(place)
    found = ratings.evaluate(vectors, corpus, sets, [2, 4], [0.5, 2.0], n_boot=100)
    assert found.names == ("NOISE", "NONE", "PLAIN")
    assert [setting.name for setting in found.settings] == ["plain", "W=2 λ=0.5", "W=2 λ=2", "W=4 λ=0.5", "W=4 λ=2"]
    assert found.n_found.tolist() == [60, 0, 60]
    assert found.n_missing.tolist() == [2, 1, 0]
    for s, setting in enumerate(found.settings):
        contexts = words.count_contexts(corpus, vectors, max(setting.window, 1))
        squares, gaps = words.Definition().gaps(vectors, contexts, sets[2].rows(vectors))
        distances = np.sqrt(squares + setting.lam * gaps)
        assert found.scores[2, s] == pytest.approx(spearmanr(sets[2].scores, -distances).statistic, abs=1e-12)
    assert found.scores[2, 0] == pytest.approx(1)
    assert (found.worse[2] == (found.scores[2] < 1)).all()  # nothing resamples to better than perfect
    assert not found.better[2].any()
    assert np.isnan(found.scores[1]).all()
    assert found.rows()[2] == ["NONE", "0", "1", "–", "–", "–", "–", "–"]
    assert ((found.intervals[[0, 2], :, 0] <= found.scores[[0, 2]]) & (found.scores[[0, 2]] <= 1)).all()
    assert not found.better[0, 0]
    assert not found.worse[0, 0]


@pytest.mark.slow
def test_the_study_scores_on_pairs_that_had_no_say() -> None:
    rng = np.random.default_rng(5)
    names = tuple((f"a{k}", f"b{k}") for k in range(400))
    sets = [ratings.Benchmark(name, names, rng.normal(size=400)) for name in "xy"]
    truth = np.concatenate([one.scores for one in sets])
    noise = {f"noise {k}": rng.normal(size=800) for k in range(60)}
    by_chance = ratings.study(sets, {"plain": rng.normal(size=800), **noise}, "plain", n_splits=10, n_boot=50)
    assert by_chance.plain.shape == by_chance.best.shape == (10, 2)
    assert abs(by_chance.gain).max() < 0.15  # the best of 60 noises is no better on the other half
    low, high = by_chance.intervals[-1]
    assert low < 0 < high
    good = truth + rng.normal(size=800)
    real = ratings.study(sets, {"plain": noise["noise 0"], **noise, "good": good}, "plain", n_splits=10, n_boot=50)
    assert real.favorites == [("good", 10)]
    assert real.intervals[-1][0] > 0.4


def test_neighborhoods_in_the_embedding_stand_in_for_a_text() -> None:
    vectors = words.WordVectors.of([f"w{k}" for k in range(30)], np.random.default_rng(7).normal(size=(30, 4)))
    contexts = nearest_contexts(vectors, 3, np.array([2, 4])).toarray()
    angles = vectors.unit @ vectors.unit.T
    np.fill_diagonal(angles, -2)
    for row in (2, 4):
        assert set(np.flatnonzero(contexts[row])) == set(np.argsort(angles[row])[-3:])
    assert contexts.sum() == 6


def test_benchmarks_without_a_known_pair_are_refused(place: Path) -> None:
    vectors, corpus, sets = known(place)
    with pytest.raises(ValueError, match="no pair of the 1 benchmarks has vectors for both words, such as gnu, yeti"):
        ratings.evaluate(vectors, corpus, [sets[1]])


CIRCLE = words.WordVectors.of([f"w{k}" for k in range(8)], [[np.cos(k), np.sin(k)] for k in range(8)])
WALK = words.read_corpus([" ".join(f"w{(3 * k * k + step) % 8}" for k in range(30)) for step in range(4)])


def circle(n: int, scores: list[float] | None = None) -> ratings.Benchmark:
    pairs = [(f"w{k % 8}", f"w{(k * k + 1 + k) % 8}") for k in range(n)]
    return ratings.Benchmark("circle", pairs, list(range(n)) if scores is None else scores)


def judged(*sets: ratings.Benchmark) -> ratings.Evaluation:
    return ratings.evaluate(CIRCLE, WALK, sets, min_count=1, sample=0, n_boot=20)


def test_benchmarks_too_small_for_a_score_have_none() -> None:
    assert judged(circle(2)).rows()[-1][3:] == ["–"] * 4
    assert np.isnan(judged(circle(5, [1.0] * 5)).means).all()


def study(n: int, baseline: str = "a", n_splits: int = 1) -> object:
    return ratings.study([circle(8)], {"a": np.arange(float(n))}, baseline, n_splits=n_splits)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: circle(3, [1.0, 2.0]), "each pair of a benchmark needs a score, got 3 pairs"),
        (lambda: ratings.Benchmark("odd", [("cat",)], [1.0]), "must be of two words each"),
        (lambda: study(7), r"each of the 8 pairs of all benchmarks, got shape \(7,\) for 'a'"),
        (lambda: study(8, n_splits=0), "n_splits must be an integer ≥ 1"),
        (lambda: study(8, "none"), "baseline must be one of the settings, got 'none'"),
    ],
)
def test_what_cannot_be_evaluated_is_said(call: Callable[[], object], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        call()


def test_vectors_are_compared_by_spearman_correlations_of_cosines(place: Path) -> None:
    vectors, corpus, (one, *_) = known(place)
    adapted = words.adapt(vectors, corpus)
    table = ratings.compare([one], {"plain": vectors, "adapted": adapted}, n_boot=20)
    is_known = (one.rows(vectors) >= 0).all(axis=1)
    ends, scores = one.rows(vectors)[is_known], one.scores[is_known]
    for k, some in enumerate((vectors, adapted)):
        cosines = (some.unit[ends[:, 0]].astype(float) * some.unit[ends[:, 1]]).sum(axis=1)
        assert table.scores[0, k] == pytest.approx(spearmanr(scores, cosines).statistic, abs=1e-3)
    assert table.rows()[0][3:] == ["plain", "adapted"]


def test_pairs_that_one_candidate_does_not_know_count_for_none(place: Path) -> None:
    vectors, _, (one, *_) = known(place)
    few = words.WordVectors.of(vectors.words[:25], vectors.matrix[:25])
    table = ratings.compare([one], {"all": vectors, "few": few}, n_boot=5)
    assert 3 <= table.n_found[0] == (one.rows(few) >= 0).all(axis=1).sum() < len(one)
    assert table.scores[0, 0] == pytest.approx(table.scores[0, 1], abs=1e-12)


def test_benchmarks_are_read(tmp_path: Path) -> None:
    (tmp_path / "EN-ONE.txt").write_text("﻿# people\ncat\tdog\t3.5\n\nYak gnu 1 more\n")
    (tmp_path / "two.txt").write_text("a b -1e1\n")
    one, two = ratings.read_benchmarks(tmp_path)
    assert (one.name, one.pairs, one.scores.tolist()) == ("ONE", (("cat", "dog"), ("Yak", "gnu")), [3.5, 1.0])
    assert two.name == "two"
    vectors = words.WordVectors.of(["yak", "gnu"], np.eye(2))
    assert one.rows(vectors).tolist() == [[-1, -1], [0, 1]]


WRONG_BENCHMARKS = {
    "empty": (b"", "must hold at least one pair of words, it holds none"),
    "no score": (b"cat dog\n", "line 1 must hold two words and a number, got 'cat dog"),
    "no number": (b"cat dog 1\ncat dog high\n", "line 2 must hold two words and a number"),
    "not finite": (b"cat dog nan\n", "scores must be finite"),
    "latin": (b"cat \xff 1\n", "invalid start byte"),
}


@pytest.mark.parametrize(("content", "error"), WRONG_BENCHMARKS.values(), ids=WRONG_BENCHMARKS)
def test_what_is_wrong_with_a_benchmark_is_said(tmp_path: Path, content: bytes, error: str) -> None:
    (tmp_path / "b.txt").write_bytes(content)
    with pytest.raises(ValueError, match=error):
        ratings.read_benchmark(tmp_path / "b.txt")


def test_folders_without_benchmarks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it holds none"):
        ratings.read_benchmarks(tmp_path)


@pytest.mark.slow
def test_the_experiment_judges_tabulates_and_draws(place: Path) -> None:
    paths = (str(place / name) for name in ("vectors.txt", "corpus.txt", "benchmarks"))
    parameters = Words(*paths, n_boot=20, n_splits=3, windows=(2,), lams=(0.5,), study_lams=(0.1,), commons=(None, 1))  # type: ignore[arg-type]
    experiment = EXPERIMENTS["words"]
    result = experiment.run(parameters, Engine())
    better, comparable = experiment.claims(result)
    assert not better.choices[0].holds  # plain distances rank the one perfectly, and the other is noise
    assert comparable.choices[0].holds == (not result.evaluation.worse.any())
    assert result.studies["the paper's GT, all λ"].chosen[0].startswith("vectors")
    assert set(result.means) >= {"vectors", "without 1 components", "vectors, paper, λ = 0.1"}
    for table in experiment.tables(result):
        assert {len(row) for row in table.rows} == {len(table.header)}
    figure = experiment.pictures(result)[0].draw()
    figure.canvas.draw()
    assert len(figure.axes[0].get_yticks()) == 3


def test_the_experiment_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EXPERIMENTS["words"].files:
        monkeypatch.delenv(name, raising=False)
    assert EXPERIMENTS["words"].lacks == (
        "words needs files that are not shipped; set WT_WORDS_VECTORS, WT_WORDS_CORPUS, WT_WORDS_BENCHMARKS"
    )
    with pytest.raises(ValueError, match="words needs vectors; set WT_WORDS_VECTORS"):
        EXPERIMENTS["words"].run(Words(), Engine())
    for name in EXPERIMENTS["words"].files:
        monkeypatch.setenv(name, "there")
    assert not EXPERIMENTS["words"].lacks
