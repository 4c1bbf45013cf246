"""Words as Gaussians: contexts, covariances, distances and nearest words against a slow twin."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference import words as slow
from repeated import mostly_slow
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform import words
from wasserstein_transform.engine import Engine
from wasserstein_transform.words import contexts as counting, corpus as reading

M = 6


@pytest.fixture(scope="module")
def text() -> list[list[str]]:
    """Documents of words drawn from topics; 'only' stands alone, 'strange' has no vector, 'rare' is seen once."""
    rng = np.random.default_rng(3)
    documents = [[f"w{k}" for k in rng.integers(10 * topic, 10 * topic + 14, 40)] for topic in range(4) for _ in "abc"]
    documents[0][5] = documents[3][7] = documents[4][1] = "strange"
    documents[1][3] = "rare"
    return [*documents, ["only"], ["only"]]


@pytest.fixture(scope="module")
def vectors() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    return {word: rng.normal(size=M) + 0.5 for word in [f"w{k}" for k in range(44)] + ["only", "rare", "unseen"]}


def plain(documents: list[list[str]], least: int = 2) -> list[list[str]]:
    counts = {word: sum(doc.count(word) for doc in documents) for doc in documents for word in doc}
    return [[word for word in doc if counts[word] >= least] for doc in documents]


@pytest.fixture(scope="module")
def fitted(text: list[list[str]], vectors: dict[str, np.ndarray]) -> wt.words.WordTransform:
    return wt.words.WordTransform(vectors, window=3, lam=0.7, min_count=2, sample=0).fit(text)


def test_contexts_are_counted_as_in_the_definition(text, vectors, fitted) -> None:
    found = slow.contexts(plain(text), 3)
    names = list(vectors)
    expected = np.array([[found.get(a, {}).get(b, 0) for b in names] for a in names])
    assert np.array_equal(fitted.contexts_.matrix.toarray(), expected)
    assert fitted.contexts_.counts[names.index("rare")] == 1


@pytest.mark.parametrize("part", [words.contexts.Flat(), words.contexts.Harmonic(), words.contexts.Linear()])
def test_contexts_weigh_by_distance(text, vectors, part) -> None:
    weights = {"Flat": [1, 1, 1], "Harmonic": [1, 1 / 2, 1 / 3], "Linear": [1, 2 / 3, 1 / 3]}[type(part).__name__]
    found = slow.contexts(plain(text), 3, weights)
    gt = wt.words.WordTransform(vectors, window=3, min_count=2, sample=0, nearness=part).fit(text)
    matrix, names = gt.contexts_.matrix.toarray(), list(vectors)
    for a in names:
        for b in names:
            assert matrix[names.index(a), names.index(b)] == pytest.approx(found.get(a, {}).get(b, 0), rel=1e-6)


@pytest.mark.slow
def test_contexts_do_not_depend_on_how_the_text_is_cut(text, vectors, fitted, monkeypatch, tmp_path) -> None:
    whole = (
        wt.words.WordTransform(vectors, window=3, min_count=2, sample=1e-2, rng=5).fit(text).contexts_.matrix.toarray()
    )
    monkeypatch.setattr(reading, "_PIECE", 16)
    monkeypatch.setattr(reading, "_IN_MEMORY", 100)
    monkeypatch.setattr(counting, "_BLOCK", 20)
    cut = (
        wt.words.WordTransform(vectors, window=3, min_count=2, sample=1e-2, rng=5).fit(text).contexts_.matrix.toarray()
    )
    assert np.array_equal(whole, cut)
    file = tmp_path / "text.txt"
    file.write_text("\n".join(" ".join(doc) for doc in text))
    lines = wt.words.WordTransform(vectors, window=3, min_count=2, sample=0).fit(file.read_text().splitlines())
    assert np.array_equal(lines.contexts_.matrix.toarray(), fitted.contexts_.matrix.toarray())


def test_the_table_of_words_grows(monkeypatch) -> None:
    names = [f"word{k}é" for k in range(70_000)]
    corpus = wt.words.Corpus.read([names, names[::2]])
    assert corpus.words == tuple(names)
    assert np.array_equal(corpus.counts, np.where(np.arange(70_000) % 2 == 0, 2, 1))


def test_files_are_one_document_whatever_they_are_packed_in(vectors, tmp_path) -> None:
    raw = b"w1 w2\nw3\t w4\r\nw1"
    for name, content in (("a.txt", raw), ("b.gz", gzip.compress(raw)), ("c.xz", lzma.compress(raw))):
        (tmp_path / name).write_bytes(content)
        gt = wt.words.WordTransform(vectors, window=1, min_count=1, sample=0).fit(tmp_path / name)
        pairs = {("w1", "w2"): 1, ("w2", "w3"): 1, ("w3", "w4"): 1, ("w4", "w1"): 1, ("w1", "w3"): 0}
        row = gt.vectors_.rows
        for (a, b), n in pairs.items():
            assert gt.contexts_.matrix[row[a], row[b]] == gt.contexts_.matrix[row[b], row[a]] == n


def test_letters_make_words_of_ordinary_text() -> None:
    corpus = wt.words.Corpus.read(["The cat's_hat, THE Ärger 42!", "the"], words.Letters())
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == {
        "the": 3, "cat": 1, "s": 1, "hat": 1, "ärger": 1, "42": 1,
    }  # fmt: skip


def test_frequent_words_are_dropped_by_the_rule_of_word2vec() -> None:
    rng = np.random.default_rng(0)
    draws = rng.choice(3, size=100_000, p=[0.8, 0.15, 0.05])
    corpus = wt.words.Corpus.read([[f"w{k}" for k in draws]])
    vectors = wt.words.WordVectors.of(["w0", "w1", "w2"], np.eye(3))
    t = 0.01
    f = np.bincount(draws) / len(draws)
    expected = np.minimum((np.sqrt(f / t) + 1) * t / f, 1) * np.bincount(draws)
    kept = words.contexts.count_contexts(corpus, vectors, 1, 1, t, rng=1)
    assert kept.totals() / 2 == pytest.approx(expected, rel=0.03)  # each occurrence has two contexts
    again = words.contexts.count_contexts(corpus, vectors, 1, 1, t, rng=1)
    assert np.array_equal(kept.matrix.toarray(), again.matrix.toarray())


def test_covariances_are_about_the_word(text, vectors, fitted) -> None:
    found = slow.contexts(plain(text), 3)
    for word in ("w0", "w12", "w33", "rare", "unseen", "only"):
        assert fitted.covariance(word) == pytest.approx(slow.covariance(word, found, vectors), abs=1e-6)
    assert not fitted.covariance("only").any()


def test_covariances_about_the_mean(text, vectors) -> None:
    found = slow.contexts(plain(text), 3)
    gt = wt.words.WordTransform(vectors, window=3, min_count=2, sample=0, about=words.variants.AboutMean()).fit(text)
    center = slow.mean("w12", found, vectors)
    assert gt.covariance("w12") == pytest.approx(slow.covariance("w12", found, vectors, center), abs=1e-6)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("about", [words.variants.AboutWord(), words.variants.AboutMean()])
@pytest.mark.parametrize("pooled", [True, False])
def test_shrinkage_draws_to_the_pooled_covariance_or_to_zero(text, vectors, about, pooled) -> None:
    kind = {"window": 3, "min_count": 2, "sample": 0, "about": about}
    gt = wt.words.WordTransform(vectors, **kind).fit(text)
    shrunk = wt.words.WordTransform(vectors, **kind, shrinkage=words.variants.Shrinkage(30.0, pooled)).fit(text)
    n = gt.contexts_.totals()
    covs = np.array([gt.covariance(word) for word in vectors])
    pool = pooled * np.einsum("i,ijk->jk", n, covs) / n.sum()
    expected = (n[:, None, None] * covs + 30 * pool) / (n + 30)[:, None, None]
    assert np.array([shrunk.covariance(word) for word in vectors]) == pytest.approx(expected, abs=1e-6)


def test_ppmi_weighs_by_surprise(text, vectors, fitted) -> None:
    counts = fitted.contexts_.matrix.toarray().astype(float)
    gt = wt.words.WordTransform(vectors, window=3, min_count=2, sample=0, weighting=words.variants.PPMI(1.0)).fit(text)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = counts * counts.sum() / np.outer(counts.sum(axis=1), counts.sum(axis=0))
        expected = np.where(ratio > 1, np.log(ratio), 0.0)
    weights = gt._covariances.contexts.matrix.toarray()
    assert weights == pytest.approx(expected, abs=1e-5)


def test_common_components_are_removed(vectors) -> None:
    rest = words.cleaning.Common(2)(wt.words.WordVectors.of(vectors, list(vectors.values())))
    unit = np.array([v / np.linalg.norm(v) for v in vectors.values()])
    centered = unit - unit.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    expected = centered - centered @ axes[:2].T @ axes[:2]
    assert rest.matrix == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("centered", [True, False])
def test_points_move_towards_their_contexts(text, vectors, centered) -> None:
    shift = words.variants.Shift(0.25, centered)
    gt = wt.words.WordTransform(vectors, window=3, min_count=2, sample=0, lam=0.0, shift=shift).fit(text)
    found = slow.contexts(plain(text), 3)
    totals = gt.contexts_.totals()
    means = [slow.mean(word, found, vectors) if n else np.zeros(M) for word, n in zip(vectors, totals, strict=True)]
    common = totals @ np.array(means) / totals.sum()
    moved = []
    for word in ("w1", "w2"):
        target = means[list(vectors).index(word)]
        target = (target - common) / np.linalg.norm(target - common) if centered else target
        point = 0.75 * vectors[word] / np.linalg.norm(vectors[word]) + 0.25 * target
        moved.append(point / np.linalg.norm(point))
    assert gt.distance("w1", "w2") == pytest.approx(np.linalg.norm(moved[0] - moved[1]), abs=1e-6)
    unseen = gt.vectors_.row("unseen")
    assert gt.points_[unseen] == pytest.approx(gt.vectors_.unit[unseen], abs=1e-6)


def test_distances_are_those_of_the_definition(text, vectors, fitted) -> None:
    found = slow.contexts(plain(text), 3)
    pairs = [("w0", "w1"), ("w0", "w43"), ("w7", "unseen"), ("only", "unseen"), ("w30", "w30"), ("w3", "w25")]
    expected = [slow.distance(a, b, found, vectors, 0.7) for a, b in pairs]
    assert fitted.pairs(pairs).distances == pytest.approx(expected, abs=2e-5)
    assert fitted.distance("w0", "w1") == fitted.distance("w1", "w0") == -fitted.similarity("w0", "w1")
    assert fitted.distance("w30", "w30") == 0.0


def test_distances_are_the_same_bits_whoever_asks(vectors, fitted) -> None:
    pairs = [(a, b) for a in list(vectors)[:20] for b in list(vectors)[20:]]
    there, back = (fitted.pairs(asked).distances for asked in (pairs, [(b, a) for a, b in pairs]))
    assert np.array_equal(there, back)


def test_unknown_words_and_words_without_context_are_named(fitted) -> None:
    found = fitted.pairs([("w0", "yeti"), ("only", "w1"), ("yeti", "gnu")])
    assert found.unknown == ("yeti", "gnu")
    assert found.without_context == ("only",)
    assert np.isnan(found.distances).tolist() == [True, False, True]
    assert found.n_missing == 2
    with pytest.raises(ValueError, match="'w99' has no vector; similar words are w9"):
        fitted.distance("w99", "w0")


VARIANTS = [
    {},
    {"about": words.variants.AboutMean()},
    {"shrinkage": words.variants.Shrinkage(20.0)},
    {"shrinkage": words.variants.Shrinkage(20.0, pooled=False), "shift": words.variants.Shift(0.3)},
    {"weighting": words.variants.PPMI(), "common": words.cleaning.Common(1)},
]


def named(variant: dict[str, object]) -> str:
    return ",".join(variant) or "paper"


@pytest.fixture(scope="module")
def crowd() -> tuple[wt.words.WordVectors, csr_array]:
    """1,500 words in R^12; few contexts, many, and none."""
    rng = np.random.default_rng(6)
    n = 1500
    vectors = wt.words.WordVectors.of([f"w{k}" for k in range(n)], rng.normal(size=(n, 12)) + rng.normal(size=12))
    sizes = rng.integers(0, 60, n)
    rows = np.repeat(np.arange(n), sizes)
    matrix = csr_array((rng.integers(1, 9, len(rows)), (rows, rng.integers(0, n, len(rows)))), shape=(n, n))
    return vectors, matrix


@pytest.mark.slow
@pytest.mark.parametrize("variant", mostly_slow(VARIANTS, quick=[VARIANTS[0], VARIANTS[3]]), ids=named)
@pytest.mark.parametrize("lam", mostly_slow([0.0, 0.1, 3.0], quick=[0.0, 3.0]))
def test_most_similar_is_exact(crowd, variant, lam) -> None:
    vectors, matrix = crowd
    gt = wt.words.WordTransform(vectors, lam=lam, **variant).fit(matrix)
    n = len(vectors)
    for row in (0, 17, int(np.diff(matrix.indptr).argmin()), int(np.diff(matrix.indptr).argmax())):
        ends = np.stack([np.full(n, row), np.arange(n)], axis=1)
        squares, gaps = gt.gaps(ends)
        distances = np.sqrt(squares + lam * gaps)
        distances[row] = np.inf
        found = gt.most_similar(f"w{row}", 7)
        assert found.distances == pytest.approx(np.sort(distances)[:7], abs=1e-6)
        assert dict(found) == pytest.approx({w: distances[gt.vectors_.row(w)] for w in found.words}, abs=1e-6)


def test_bounds_decide_most_words(crowd) -> None:
    gt = wt.words.WordTransform(crowd[0]).fit(crowd[1])
    found = gt.most_similar("w3", 5)
    assert found.n_words == 1500
    assert 5 <= found.n_exact < 750
    assert found.share == found.n_exact / 1500


@pytest.mark.slow
def test_preparing_changes_nothing(crowd, tmp_path) -> None:
    gt = wt.words.WordTransform(crowd[0]).fit(crowd[1])
    before = gt.most_similar("w3", 5), gt.covariance("w8")
    for file in (None, tmp_path / "factors.npy"):
        gt.prepare(file)
        assert gt.most_similar("w3", 5).words == before[0].words
        assert np.array_equal(gt.most_similar("w3", 5).distances, before[0].distances)
        assert np.array_equal(gt.covariance("w8"), before[1])


def test_result_does_not_depend_on_the_number_of_threads(text, vectors, crowd) -> None:
    one, two = (wt.words.WordTransform(vectors, min_count=1, n_jobs=n).fit(text) for n in (1, 2))
    assert np.array_equal(one.contexts_.matrix.toarray(), two.contexts_.matrix.toarray())
    pairs = [(f"w{k}", f"w{k + 7}") for k in range(300)]
    values = [wt.words.WordTransform(crowd[0], n_jobs=n).fit(crowd[1]).pairs(pairs).distances for n in (1, 2)]
    assert np.array_equal(*values)


def test_singular_covariances_of_many_contexts(crowd) -> None:
    flat = np.zeros((200, 9))
    flat[:, :4] = np.random.default_rng(1).normal(size=(200, 4))
    full = csr_array(np.random.default_rng(2).integers(1, 5, (200, 200)))
    gt = wt.words.WordTransform(wt.words.WordVectors.of([f"w{k}" for k in range(200)], flat)).fit(full)
    lower = wt.words.WordTransform(wt.words.WordVectors.of([f"w{k}" for k in range(200)], flat[:, :4])).fit(full)
    pairs = [("w0", "w1"), ("w5", "w9")]
    assert gt.pairs(pairs).distances == pytest.approx(lower.pairs(pairs).distances, abs=1e-5)


def test_what_is_saved_comes_back(text, vectors, tmp_path) -> None:
    gt = wt.words.WordTransform(
        vectors, window=2, lam=0.3, min_count=1, common=words.cleaning.Common(1), about=words.variants.AboutMean(),
        shrinkage=words.variants.Shrinkage(3.0), tokens=words.Letters(),
    ).fit(text)  # fmt: skip
    file = tmp_path / "words.npz"
    gt.save(file)
    again = wt.words.WordTransform.load(file)
    assert again.distance("w0", "w20") == gt.distance("w0", "w20")
    assert again.get_params()["shrinkage"] == words.variants.Shrinkage(3.0)
    assert [path.name for path in tmp_path.iterdir()] == ["words.npz"]
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ValueError, match="not a saved WordTransform"):
        wt.words.WordTransform.load(file)


@pytest.mark.parametrize(
    ("corpus", "error"),
    [
        ([], "must hold at least one word, it is empty"),
        (["  \n "], "must hold at least one word"),
        (7, "a corpus must be a file, or an iterable"),
        ([b"w1"], "document 0 of the corpus must be a text or a list of words, got bytes"),
        ([["two words"]], "document 0 of the corpus holds an item that is not one word"),
        ("nowhere.txt", "nowhere.txt is not there"),
        (csr_array((2, 2)), "a row and a column for each of the 47 words"),
    ],
)
def test_what_is_no_corpus_is_refused(vectors, corpus, error) -> None:
    with pytest.raises(ValueError, match=error):
        wt.words.WordTransform(vectors).fit(corpus)


def test_wrong_encodings_and_damaged_files_are_said(vectors, tmp_path) -> None:
    file = tmp_path / "latin.txt"
    file.write_bytes("w1 Ärger w2".encode("latin-1"))
    with pytest.raises(ValueError, match=r"is not utf-8: byte 3 is b'\\xc4'; give its encoding"):
        wt.words.Corpus.read(file)
    assert wt.words.Corpus.read(file, encoding="latin-1").words == ("w1", "Ärger", "w2")
    packed = tmp_path / "half.xz"
    packed.write_bytes(lzma.compress(b"w1 w2 " * 1000)[:-20])
    with pytest.raises(ValueError, match="cut off or damaged"):
        wt.words.Corpus.read(packed)


def test_memory_is_announced(crowd) -> None:
    gt = wt.words.WordTransform(crowd[0]).fit(crowd[1])
    with pytest.raises(MemoryError, match="covariances of 1500 words"):
        gt._covariances.factors(np.arange(1500), Engine(memory=1000.0))


def test_verbose_work_has_a_bar(text, vectors, monkeypatch) -> None:
    seen: list[wt.engine.Update] = []
    monkeypatch.setattr("wasserstein_transform.engine.core.bar", lambda: seen.append)
    quiet, loud = (wt.words.WordTransform(vectors, window=3, min_count=2, verbose=verbose) for verbose in (False, True))
    quiet.fit(text).distance("w1", "w2")
    assert not seen
    loud.fit(text)
    loud.distance("w1", "w2")
    assert {"reading the corpus", "covariances"} <= {update.stage for update in seen}


def test_words_run_on_the_engine_that_is_current_when_they_are_asked(text, vectors) -> None:
    seen: list[wt.engine.Update] = []
    gt = wt.words.WordTransform(vectors, window=3, min_count=2)
    with wt.using(progress=seen.append) as engine:
        gt.fit(text)
        assert seen[0].stage == "reading the corpus"
        assert {update.stage for update in seen} == {"reading the corpus", "contexts, sizes", "contexts", ""}
        assert [update.finished for update in seen].count(True) == 1
        engine.cancel()
        for work in (lambda: gt.fit(text), lambda: gt.distance("w1", "w2"), lambda: gt.most_similar("w1", 2)):
            with pytest.raises(wt.Cancelled):
                work()
    assert gt.most_similar("w1", 2).words


def test_a_corpus_can_be_cancelled_between_its_documents(vectors) -> None:
    engine = Engine()

    def documents():
        yield "w1 w2 " * 1_000_000
        engine.cancel()
        yield "w1 w2 " * 1_000_000

    with pytest.raises(wt.Cancelled):
        wt.words.Corpus.read(documents(), engine=engine)


def test_texts_of_zeros_are_refused(tmp_path) -> None:
    (tmp_path / "wide.txt").write_bytes("cat sat".encode("utf-16-le"))
    with pytest.raises(ValueError, match="UTF-16"):
        wt.words.Corpus.read(tmp_path / "wide.txt")
    assert wt.words.Corpus.read(tmp_path / "wide.txt", encoding="utf-16-le").words == ("cat", "sat")


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path) -> None:
    (tmp_path / "marked.txt").write_bytes(b"\xef\xbb\xbfcat sat")
    assert wt.words.Corpus.read(tmp_path / "marked.txt").words == ("cat", "sat")


def test_corpora_that_leave_no_context_are_warned_of(vectors) -> None:
    with pytest.warns(UserWarning, match=r"of 4 words of text 0 were kept; lower"):
        wt.words.WordTransform(vectors).fit(["w1 w2 w3 w4"])


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ({"window": 10**13}, "window must be at most"),
        ({"rng": "a"}, "rng must be a whole number"),
        ({"rng": -1}, "rng must be a whole number"),
        ({"tokens": "letters"}, "tokens must be a part, a Tokens, or None, got 'letters'"),
        ({"about": "mean"}, "about must be a part, a About, or None"),
        ({"shrinkage": 3.0}, "shrinkage must be a part"),
        ({"common": 1}, "common must be a part"),
        ({"common": words.cleaning.Common(5)}, "n_components must be less than the 5 dimensions"),
    ],
)
def test_what_is_no_parameter_is_refused(text, vectors, parts, error) -> None:
    few = {word: vector[:5] for word, vector in vectors.items()}
    with pytest.raises(ValueError, match=error):
        wt.words.WordTransform(few, **parts).fit(text)


def test_what_is_no_word_is_refused(fitted) -> None:
    for ask in (fitted.distance, fitted.similarity):
        with pytest.raises(ValueError, match="has no vector"):
            ask("w1", ["w2"])
    for pairs in (None, [3], [("w1", ["w2"])]):
        with pytest.raises(ValueError, match="pairs"):
            fitted.pairs(pairs)
    for names in ([1, 2], ["a", ""], [["a"], ["b"]]):
        with pytest.raises(ValueError, match="nonempty"):
            wt.words.WordVectors.of(names, np.eye(2))
    for arguments in (("a",), (np.nan,), (0.75, np.nan)):
        with pytest.raises(ValueError, match="must be a finite number"):
            words.variants.PPMI(*arguments)


def test_words_that_are_nothing_but_common_are_left_out() -> None:
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    wide, narrow = [[0.6, 0.8, 0.0], [-0.6, 0.8, 0.0]], [[0.0, 0.8, 0.6], [0.0, 0.8, -0.6]]
    vectors = wt.words.WordVectors.of("abcdef", np.array([*wide, *wide, *narrow]) @ turn)
    assert words.cleaning.Common(1)(vectors).words == ("e", "f")


def test_all_words_come_back_from_a_file(tmp_path) -> None:
    odd = {"new\nyork": [1.0, 0.0], "cat": [0.0, 1.0], "caf\udce9": [1.0, 1.0]}
    wt.words.WordTransform(odd, min_count=1, sample=0).fit(["cat cat"]).save(tmp_path / "odd.npz")
    assert wt.words.WordTransform.load(tmp_path / "odd.npz").vectors_.words == tuple(odd)


def test_what_was_not_saved_cannot_be_loaded(fitted, tmp_path) -> None:
    with (tmp_path / "array.npz").open("wb") as stream:
        np.save(stream, np.eye(3))
    np.savez(tmp_path / "half.npz", version=2)
    np.savez(tmp_path / "odd.npz", version=np.arange(3))
    for file in ("array.npz", "half.npz", "odd.npz"):
        with pytest.raises(ValueError, match="is not a saved WordTransform"):
            wt.words.WordTransform.load(tmp_path / file)


def test_parts_of_ones_own_cannot_be_saved(text, vectors, tmp_path) -> None:
    class Counts(words.variants.Counts):
        pass

    gt = wt.words.WordTransform(vectors, min_count=1, weighting=Counts()).fit(text)
    with pytest.raises(ValueError, match="a part of your own cannot be saved"):
        gt.save(tmp_path / "gt.npz")
    assert not list(tmp_path.iterdir())


class Halfway(words.variants.About):
    """A part of one's own."""

    def __call__(self, word, mean):
        return (word + mean) / 2


@pytest.mark.slow
@pytest.mark.parametrize("shrinkage", [None, words.variants.Shrinkage(5.0)])
def test_parts_of_ones_own_are_searched_exactly(crowd, shrinkage) -> None:
    known, matrix = crowd
    gt = wt.words.WordTransform(known, lam=20.0, about=Halfway(), shrinkage=shrinkage).fit(matrix)
    for word in known.words[:3]:
        others = [other for other in known.words if other != word]
        every = gt.pairs([(word, other) for other in others]).distances
        assert gt.most_similar(word, 5).distances == pytest.approx(np.sort(every)[:5])


def test_points_that_moved_to_nothing_are_found() -> None:
    vectors = {"query": [1.0, 0.0], "nothing": [0.0, 1.0], "down": [0.0, -1.0]}
    vectors |= {f"far{k}": [0.25, 0.968 + 0.001 * k] for k in range(100)}
    contexts = csr_array(([1.0], ([1], [2])), shape=(103, 103))
    gt = wt.words.WordTransform(vectors, lam=0.0, shift=words.variants.Shift(0.5, centered=False)).fit(contexts)
    assert not gt.points_[1].any()
    assert gt.most_similar("query", 1).words == ("nothing",)


def test_preparing_leaves_no_half_file(crowd, tmp_path, monkeypatch) -> None:
    gt = wt.words.WordTransform(crowd[0]).fit(crowd[1])

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        gt.prepare(tmp_path / "factors.npy")
    assert not list(tmp_path.iterdir())


LOAD_DAMAGES: dict[str, tuple[dict[str, Any], str]] = {
    "contexts beyond the words": ({"indices": 10**6}, "indices must be 0 to"),
    "contexts below 0": ({"indices": -1}, "indices must be 0 to"),
    "rows out of order": ({"indptr": 2**40}, "indptr must rise from 0"),
    "weights that are no numbers": ({"weights": np.nan}, "weights of contexts must be finite"),
    "weights below 0": ({"weights": -1.0}, "weights of contexts must be finite and not negative"),
    "weights beyond single precision": ({"weights": 3e38}, "must sum to at most 1e"),
    "vectors that are not finite": ({"vectors": np.inf}, "its vectors are not all finite"),
    "counts below 0": ({"counts": -1}, "it has negative counts of words"),
    "vectors of whole numbers": ({"vectors": np.int32}, "vectors has dtype int32"),
    "complex weights": ({"weights": np.complex128}, "weights has dtype complex128"),
    "indices as floats": ({"indices": np.float64}, "indices must be an array of whole numbers, got float64"),
    "a row less": ({"vectors": slice(1, None)}, "vectors has dtype float32 and shape"),
    "a context less": ({"indices": slice(1, None)}, "indptr must rise from 0"),
    "no contexts": ({"indptr": None}, "indptr"),
    "no words": ({"words": None}, "words"),
    "another version": ({"version": np.array(7)}, "it has version 7"),
    "words that are numbers": ({"words": np.frombuffer(b"[1, 2]", np.uint8)}, "its words are not nonempty strings"),
    "words that are no list": ({"words": np.frombuffer(b"{}", np.uint8)}, "its words are not nonempty strings"),
    "words that are no JSON": ({"words": np.frombuffer(b"\xff{", np.uint8)}, "utf-8"),
    "parameters that are a list": ({"parameters": np.array("[]")}, "its parameters are not those"),
    "a part that is not known": ({"parameters": np.array('{"shift": {"part": "Nope"}}')}, "Nope"),
    "a part out of range": (
        {"parameters": np.array('{"shift": {"part": "Shift", "share": 9}}')},
        "share must",
    ),
    "a part of another kind": ({"parameters": np.array('{"shift": {"part": "Spaced"}}')}, "shift must be a part"),
    "a parameter that is not known": ({"parameters": np.array('{"verbose": true}')}, "its parameters are not those"),
    "a lam below 0": ({"parameters": np.array('{"lam": -1}')}, "lam must be"),
    "threads that cannot be": ({"parameters": np.array('{"n_jobs": "many"}')}, "n_jobs must be"),
}


@pytest.mark.parametrize("name", LOAD_DAMAGES)
def test_what_is_wrong_with_a_saved_transform_is_one_error_that_names_the_file(name: str, tmp_path: Path) -> None:
    changes, message = LOAD_DAMAGES[name]
    gt = wt.words.WordTransform({"cat": [1.0, 0], "dog": [0, 1.0], "yak": [1.0, 1]}, min_count=1, sample=0)
    gt.fit(["cat dog yak", "dog cat"]).save(tmp_path / "gt.npz")
    with np.load(tmp_path / "gt.npz") as stored:
        arrays = {key: stored[key] for key in stored.files}
    for key, change in changes.items():
        arrays[key] = _damaged(arrays[key], change)
    np.savez(tmp_path / "gt.npz", **{key: array for key, array in arrays.items() if array is not None})
    with pytest.raises(
        ValueError, match=rf"gt.npz is not a saved WordTransform.* damaged \(.*{message}.*fit and save again"
    ):
        wt.words.WordTransform.load(tmp_path / "gt.npz")


def _damaged(array: np.ndarray, change: Any) -> Any:
    if change is None or isinstance(change, np.ndarray):
        return change
    if isinstance(change, type):
        return array.astype(change)
    if isinstance(change, slice):
        return array[change]
    changed = array.astype(np.int64) if array.dtype.kind in "iu" else array.copy()
    changed.flat[1] = change
    return changed


def test_a_saved_transform_that_does_not_fit_into_memory_is_refused(tmp_path: Path) -> None:
    gt = wt.words.WordTransform({"cat": [1.0, 0], "dog": [0, 1.0]}, min_count=1, sample=0).fit(["cat dog"])
    gt.save(tmp_path / "gt.npz")
    with wt.using(memory=100), pytest.raises(MemoryError, match=r"gt.npz needs .* and 100 bytes are available"):
        wt.words.WordTransform.load(tmp_path / "gt.npz")
