"""Words as Gaussians: contexts, covariances, distances and nearest words against a slow twin."""

from __future__ import annotations

import gzip
import lzma

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


def test_words_are_runs_of_letters_in_lower_case() -> None:
    corpus = wt.words.Corpus.read(["The cat's_hat, THE Ärger 42!", "the"])
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == {
        "the": 3, "cat": 1, "s": 1, "hat": 1, "ärger": 1, "42": 1,
    }  # fmt: skip
    assert wt.words.Corpus.read(["हिन्दी, नमस्ते।"]).words == ("हिन्दी", "नमस्ते")  # vowel signs are no borders of words


def test_tokens_replace_that_and_lists_of_words_stay() -> None:
    assert wt.words.Corpus.read(["The cat, it sat."], str).words == ("The", "cat,", "it", "sat.")
    assert wt.words.Corpus.read([["New_York", "cat,"]]).words == ("New_York", "cat,")


@pytest.mark.parametrize(("names", "kept"), [(["cat", "house"], 2), (["cat", "House"], 1)])
def test_words_are_folded_where_vectors_are_lower_case(names: list[str], kept: int, tmp_path) -> None:
    (tmp_path / "text.txt").write_text("Cat House, cat; HOUSE")
    vectors = wt.words.WordVectors.of(names, np.eye(2))
    for corpus in (["Cat House, cat; HOUSE"], tmp_path / "text.txt"):
        gt = wt.words.WordTransform(vectors, min_count=1, sample=0).fit(corpus)
        assert gt.contexts_.counts.tolist() == [kept, kept]


def test_a_capital_among_a_hundred_words_does_not_count() -> None:
    names = [f"word{k}" for k in range(100)]
    assert wt.words.WordVectors.of([*names, "USA"], np.eye(101)).are_lower
    assert not wt.words.WordVectors.of([*names, "USA", "UK"], np.eye(102)).are_lower


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


def test_distances_are_those_of_the_definition(text, vectors, fitted) -> None:
    found = slow.contexts(plain(text), 3)
    pairs = [("w0", "w1"), ("w0", "w43"), ("w7", "unseen"), ("only", "unseen"), ("w30", "w30"), ("w3", "w25")]
    expected = [slow.distance(a, b, found, vectors, 0.7) for a, b in pairs]
    assert fitted.pairs(pairs) == pytest.approx(expected, abs=2e-5)
    assert fitted.distance("w0", "w1") == fitted.distance("w1", "w0")
    assert fitted.distance("w30", "w30") == 0.0
    assert np.isnan(fitted.pairs([("w0", "yeti"), ("only", "w1"), ("yeti", "gnu")])).tolist() == [True, False, True]


def test_distances_are_the_same_bits_whoever_asks(vectors, fitted) -> None:
    pairs = [(a, b) for a in list(vectors)[:20] for b in list(vectors)[20:]]
    there, back = (fitted.pairs(asked) for asked in (pairs, [(b, a) for a, b in pairs]))
    assert np.array_equal(there, back)


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


@pytest.mark.parametrize("lam", mostly_slow([0.0, 0.1, 3.0], quick=[0.0, 3.0]))
def test_most_similar_is_exact(crowd, lam) -> None:
    vectors, matrix = crowd
    gt = wt.words.WordTransform(vectors, lam=lam).fit(matrix)
    n = len(vectors)
    for row in (0, 17, int(np.diff(matrix.indptr).argmin()), int(np.diff(matrix.indptr).argmax())):
        ends = np.stack([np.full(n, row), np.arange(n)], axis=1)
        squares, gaps = gt.gaps(ends)
        distances = np.sqrt(squares + lam * gaps)
        distances[row] = np.inf
        found = gt.most_similar(f"w{row}", 7)
        assert found.distances == pytest.approx(np.sort(distances)[:7], abs=1e-6)
        assert dict(found) == pytest.approx({w: distances[gt.vectors_.row(w)] for w in found.words}, abs=1e-6)


def test_bounds_of_covariances_are_never_above_the_distance(crowd) -> None:
    gt = wt.words.WordTransform(crowd[0]).fit(crowd[1])
    n = len(crowd[0])
    for row in (3, int(np.diff(crowd[1].indptr).argmin())):
        _, gaps = gt.gaps(np.stack([np.full(n, row), np.arange(n)], axis=1))
        bounds = gt._bounds(row, Engine())
        assert (bounds <= gaps + 1e-9).all()
    assert bounds.max() > 0.5 * gaps.max()


def test_bounds_decide_most_words(crowd, monkeypatch) -> None:
    gt = wt.words.WordTransform(crowd[0], lam=0.3).fit(crowd[1])
    compared: list[int] = []
    between = wt.words.WordTransform.between
    monkeypatch.setattr(
        wt.words.WordTransform, "between", lambda self, ends: compared.append(len(ends)) or between(self, ends)
    )
    gt.most_similar("w3", 5)
    assert sum(compared) < 600


def test_result_does_not_depend_on_the_number_of_threads(text, vectors, crowd) -> None:
    one, two = (wt.words.WordTransform(vectors, min_count=1, n_jobs=n).fit(text) for n in (1, 2))
    assert np.array_equal(one.contexts_.matrix.toarray(), two.contexts_.matrix.toarray())
    pairs = [(f"w{k}", f"w{k + 7}") for k in range(300)]
    values = [wt.words.WordTransform(crowd[0], n_jobs=n).fit(crowd[1]).pairs(pairs) for n in (1, 2)]
    assert np.array_equal(*values)


def test_singular_covariances_of_many_contexts(crowd) -> None:
    flat = np.zeros((200, 9))
    flat[:, :4] = np.random.default_rng(1).normal(size=(200, 4))
    full = csr_array(np.random.default_rng(2).integers(1, 5, (200, 200)))
    gt = wt.words.WordTransform(wt.words.WordVectors.of([f"w{k}" for k in range(200)], flat)).fit(full)
    lower = wt.words.WordTransform(wt.words.WordVectors.of([f"w{k}" for k in range(200)], flat[:, :4])).fit(full)
    pairs = [("w0", "w1"), ("w5", "w9")]
    assert gt.pairs(pairs) == pytest.approx(lower.pairs(pairs), abs=1e-5)


@pytest.mark.parametrize(
    ("corpus", "error"),
    [
        ([], "must hold at least one word, it is empty"),
        (["  \n "], "must hold at least one word"),
        (7, "a corpus must be a file, or an iterable"),
        ([b"w1"], "document 0 of the corpus must be a text or a list of words, got bytes"),
        ([["two words"]], "document 0 of the corpus holds an item that is not one word"),
        ("nowhere.txt", "nowhere.txt does not exist"),
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
    assert wt.words.Corpus.read(file, encoding="latin-1").words == ("w1", "ärger", "w2")
    packed = tmp_path / "half.xz"
    packed.write_bytes(lzma.compress(b"w1 w2 " * 1000)[:-20])
    with pytest.raises(ValueError, match="cut off or damaged"):
        wt.words.Corpus.read(packed)


def test_memory_is_announced(crowd) -> None:
    gt = wt.words.WordTransform(crowd[0]).fit(crowd[1])
    with pytest.raises(MemoryError, match="covariances of 1500 words"):
        gt._covariances(np.arange(1500), Engine(memory=1000.0))


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
        ({"rng": "a"}, "rng must be an integer"),
        ({"rng": -1}, "rng must be an integer"),
        ({"tokens": "letters"}, "tokens must be a function from text to text, such as str.lower, or None"),
    ],
)
def test_what_is_no_parameter_is_refused(text, vectors, parts, error) -> None:
    with pytest.raises(ValueError, match=error):
        wt.words.WordTransform(vectors, **parts).fit(text)


def test_what_is_no_word_is_refused(fitted) -> None:
    with pytest.raises(ValueError, match="has no vector"):
        fitted.distance("w1", ["w2"])
    with pytest.raises(ValueError, match="'w99' has no vector; similar words are w9"):
        fitted.distance("w99", "w0")
    for pairs in (None, [3], [("w1", ["w2"])]):
        with pytest.raises(ValueError, match="pairs"):
            fitted.pairs(pairs)
    for names in ([1, 2], ["a", ""], [["a"], ["b"]]):
        with pytest.raises(ValueError, match="nonempty"):
            wt.words.WordVectors.of(names, np.eye(2))
