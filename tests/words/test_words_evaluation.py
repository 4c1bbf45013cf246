"""Scores against people: Spearman's correlation, its resamples, the table, the study, the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from reference import words as slow
from scipy.stats import spearmanr
from typer.testing import CliRunner, Result

import wasserstein_transform as wt
from wasserstein_transform import words
from wasserstein_transform.cli.app import app
from wasserstein_transform.engine import Engine
from wasserstein_transform.experiments import EXPERIMENTS
from wasserstein_transform.experiments.parameters import Words
from wasserstein_transform.words.spearman import resampled, spearman


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
    found = words.evaluate(
        place / "vectors.txt", place / "corpus.txt", place / "benchmarks", [2, 4], [0.5, 2.0], n_boot=100
    )
    assert found.names == ("NOISE", "NONE", "PLAIN")
    assert [setting.name for setting in found.settings] == ["plain", "W=2 λ=0.5", "W=2 λ=2", "W=4 λ=0.5", "W=4 λ=2"]
    assert found.n_found.tolist() == [60, 0, 60]
    assert found.n_missing.tolist() == [2, 1, 0]
    assert found.unknown == ("yeti", "gnu")
    one = words.read_benchmark(place / "benchmarks" / "EN-PLAIN.txt")
    for s, setting in enumerate(found.settings):
        gt = wt.words.WordTransform(place / "vectors.txt", window=max(setting.window, 1), lam=setting.lam)
        distances = gt.fit(place / "corpus.txt").pairs(one.pairs).distances
        assert found.scores[2, s] == pytest.approx(spearmanr(one.scores, -distances).statistic, abs=1e-12)
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
    sets = [words.Benchmark(name, names, rng.normal(size=400)) for name in "xy"]
    truth = np.concatenate([one.scores for one in sets])
    noise = {f"noise {k}": rng.normal(size=800) for k in range(60)}
    by_chance = words.study(sets, {"plain": rng.normal(size=800), **noise}, "plain", n_splits=10, n_boot=50)
    assert by_chance.plain.shape == by_chance.best.shape == (10, 2)
    assert abs(by_chance.gain).max() < 0.15  # the best of 60 noises is no better on the other half
    low, high = by_chance.intervals[-1]
    assert low < 0 < high
    good = truth + rng.normal(size=800)
    real = words.study(sets, {"plain": noise["noise 0"], **noise, "good": good}, "plain", n_splits=10, n_boot=50)
    assert real.favorites == [("good", 10)]
    assert real.intervals[-1][0] > 0.4
    with pytest.raises(ValueError, match="baseline must be one of the settings, got 'none'"):
        words.study(sets, noise, "none")


def test_neighborhoods_in_the_embedding_stand_in_for_a_corpus() -> None:
    rng = np.random.default_rng(7)
    vectors = wt.words.WordVectors.of([f"w{k}" for k in range(30)], rng.normal(size=(30, 4)))
    contexts = words.nearest_contexts(vectors, 3)
    angles = vectors.unit @ vectors.unit.T
    np.fill_diagonal(angles, -2)
    for row in range(30):
        assert set(contexts[[row]].indices) == set(np.argsort(angles[row])[-3:])
    gt = wt.words.WordTransform(vectors).fit(contexts)
    off = vectors.unit[np.argsort(angles[4])[-3:]] - vectors.unit[4]
    assert gt.covariance("w4") == pytest.approx(off.T @ off / 3, abs=1e-6)
    some = words.nearest_contexts(vectors, 3, np.array([4, 2]))
    assert np.array_equal(some.toarray()[[2, 4]], contexts.toarray()[[2, 4]])
    assert some.nnz == 6


def test_benchmarks_without_a_known_pair_are_refused(place: Path) -> None:
    with pytest.raises(ValueError, match="no pair of the 1 benchmarks has vectors for both words, such as gnu, yeti"):
        words.evaluate(place / "vectors.txt", place / "corpus.txt", place / "benchmarks" / "EN-NONE.txt")


CIRCLE = {f"w{k}": [np.cos(k), np.sin(k)] for k in range(8)}
WALK = [" ".join(f"w{(3 * k * k + step) % 8}" for k in range(30)) for step in range(4)]


def circle(n: int, scores: list[float] | None = None) -> words.Benchmark:
    pairs = [(f"w{k % 8}", f"w{(k * k + 1 + k) % 8}") for k in range(n)]
    return words.Benchmark("circle", pairs, list(range(n)) if scores is None else scores)


def judged(*sets: words.Benchmark, **options: object) -> words.Evaluation:
    transform = wt.words.WordTransform(None, min_count=1, sample=0, shift=options.pop("shift", None))
    return words.evaluate(CIRCLE, WALK, sets, transform=transform, n_boot=20, **options)


def test_benchmarks_too_small_for_a_score_have_none() -> None:
    assert judged(circle(2)).rows()[-1][3:] == ["–"] * 4
    assert np.isnan(judged(circle(5, [1.0] * 5)).means).all()


def test_plain_vectors_are_those_before_points_move() -> None:
    moved, still = judged(circle(12), shift=words.Shift(0.7)), judged(circle(12))
    assert moved.scores[0, 0] == pytest.approx(still.scores[0, 0])


def test_settings_are_listed_once() -> None:
    assert len(judged(circle(5), windows=[2, 2], lams=[0, 0.5, 0.5]).settings) == 2


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"windows": 5}, r"windows must be a list, got 5; write \[5\]"),
        ({"lams": 0.5}, "lams must be a list"),
        ({"rng": "a"}, "rng must be a whole number"),
    ],
)
def test_what_cannot_be_evaluated_is_said(options: dict[str, object], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        judged(circle(5), **options)


def test_benchmarks_need_a_score_for_each_pair() -> None:
    with pytest.raises(ValueError, match="each pair of a benchmark needs a score, got 3 pairs"):
        circle(3, [1.0, 2.0])
    with pytest.raises(ValueError, match="must be of two words each"):
        words.Benchmark("odd", [("cat",)], [1.0])


def test_studies_need_a_prediction_for_each_pair() -> None:
    with pytest.raises(ValueError, match=r"each of the 8 pairs of all benchmarks, got shape \(7,\) for 'a'"):
        words.study([circle(8)], {"a": np.arange(7.0)}, "a")
    with pytest.raises(ValueError, match="n_splits must be a whole number ≥ 1"):
        words.study([circle(8)], {"a": np.arange(8.0)}, "a", n_splits=0)


def test_neighborhoods_of_some_words() -> None:
    every = words.nearest_contexts(CIRCLE, 2).toarray()
    some = words.nearest_contexts(CIRCLE, 2, np.array([5, 1, 5])).toarray()
    assert np.array_equal(some[[1, 5]], every[[1, 5]])
    assert not some[[0, 2, 3, 4, 6, 7]].any()
    assert words.nearest_contexts(CIRCLE, 2, np.array([], int)).nnz == 0
    for rows in (np.array([True] * 8), np.array([8]), np.array([-1])):
        with pytest.raises(ValueError, match="rows must be a list of whole numbers from 0 to 7"):
            words.nearest_contexts(CIRCLE, 2, rows)


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["words", *map(str, arguments)])


def files(place: Path) -> list[object]:
    return ["--vectors", place / "vectors.txt", "--corpus", place / "corpus.txt"]


@pytest.mark.slow
def test_the_command_writes_table_csv_and_plot(place: Path, tmp_path: Path) -> None:
    done = command(
        "evaluate", *files(place), "--benchmarks", place / "benchmarks", "--window", 2, "--lam", 0.5, "--resamples", 50,
        "--csv", tmp_path / "t.csv", "--plot", tmp_path / "t.png",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "W=2 λ=0.5" in done.output
    assert "without a vector: yeti, gnu" in done.output
    with (tmp_path / "t.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["benchmark"], row["lam"]) for row in rows[:2]] == [("NOISE", "0"), ("NOISE", "0.5")]
    assert float(rows[4]["spearman"]) == pytest.approx(1)
    assert rows[5]["significant"] in ("worse", "")
    assert (tmp_path / "t.png").read_bytes()[:4] == b"\x89PNG"


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
        (["evaluate", "FILES", "--benchmarks", "x", "--plot", "where.xyz"], "where.xyz must end in a figure format"),
        (["similar", "yeti", "FILES"], "'yeti' has no vector"),
        (["pair", "w1", "w2"], "give --vectors and --corpus, or --model"),
        (["pair", "w1", "w2", "FILES", "--model", "m"], "a model contains vectors and corpus"),
        (["pair", "w1", "w2", "FILES", "--lam", "-1"], "lam must be a finite number"),
        (["similar", "w1", "--model", "none.npz"], "none.npz is not there"),
        (["evaluate", "FILES", "--benchmarks", "nowhere"], "nowhere is not there; give a folder"),
        (["evaluate", "FILES", "--benchmarks", "x", "--csv", "/no/where.csv"], "there is no folder /no to write"),
    ],
)
def test_what_is_wrong_is_one_line(place: Path, arguments: list[str], error: str) -> None:
    given = [part for word in arguments for part in (files(place) if word == "FILES" else [word])]
    done = command(*given)
    assert done.exit_code == 2
    assert error in done.stderr
    assert done.stderr.startswith(f"wt words {arguments[0]}: ")
    assert len(done.stderr.splitlines()) == 1


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
