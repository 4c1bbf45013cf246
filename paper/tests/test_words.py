"""Words as Gaussians against a slow twin; vectors adapted to a text; their files."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import slow_words as slow

from wt_paper import words
from wt_paper.words import contexts as counting
from wt_paper.words.adapting import whiten
from wt_paper.words.definition import without_components

M, KINDS, EACH = 6, 40, 6


@pytest.fixture(scope="module")
def text() -> list[list[str]]:
    """Documents of words drawn from topics; 'only' stands alone, 'strange' has no vector, 'rare' is seen once."""
    rng = np.random.default_rng(3)
    documents = [[f"w{k}" for k in rng.integers(10 * topic, 10 * topic + 14, 40)] for topic in range(4) for _ in "abc"]
    documents[0][5] = documents[3][7] = documents[4][1] = "strange"
    documents[1][3] = "rare"
    return [*documents, ["only"], ["only"]]


@pytest.fixture(scope="module")
def vectors() -> words.WordVectors:
    names = [*(f"w{k}" for k in range(44)), "only", "rare", "unseen"]
    return words.WordVectors.of(names, np.random.default_rng(4).normal(size=(len(names), M)) + 0.5)


@pytest.fixture(scope="module")
def contexts(text, vectors) -> object:
    return words.count_contexts(read(text), vectors, window=3, min_count=2, sample=0)


def read(documents: list[list[str]]) -> words.Corpus:
    return words.read_corpus([" ".join(document) for document in documents])


def frequent(documents: list[list[str]], least: int = 2) -> list[list[str]]:
    counts = {word: sum(doc.count(word) for doc in documents) for doc in documents for word in doc}
    return [[word for word in doc if counts[word] >= least] for doc in documents]


def by_name(vectors: words.WordVectors) -> dict[str, np.ndarray]:
    return dict(zip(vectors.words, vectors.matrix.astype(float), strict=True))


def test_contexts_are_counted_as_in_the_definition(text, vectors, contexts) -> None:
    found = slow.contexts(frequent(text), 3)
    expected = [[found.get(a, {}).get(b, 0) for b in vectors.words] for a in vectors.words]
    assert np.array_equal(contexts.toarray(), expected)


def test_windows_wider_than_the_text(vectors) -> None:
    found = words.count_contexts(words.read_corpus(["w1 w2", "w3"]), vectors, 99, 1, 0)
    assert found[[1]].indices.tolist() == [2]
    assert found.sum() == 2


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_a_file_is_one_document_read_in_pieces(pack: Callable, vectors, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / {gzip.compress: "a.gz", lzma.compress: "a.xz"}.get(pack, "a.txt")
    file.write_bytes(pack(b"\xef\xbb\xbfw1 W2\nw3,\t w4\r\nw1"))
    for size in (1 << 22, 4):
        monkeypatch.setattr(counting, "PIECE", size)
        corpus = words.read_corpus(file)
        assert [corpus.words[k] for k in corpus.numbers[:-1]] == ["w1", "w2", "w3", "w4", "w1"]
        assert corpus.numbers[-1] == -1
        found = words.count_contexts(corpus, vectors, 1, 1, 0).toarray()
        assert found[1, 2] == found[2, 3] == found[3, 4] == found[4, 1] == found[1, 4] == 1
        assert found.sum() == 8


def test_words_are_runs_of_letters_in_lower_case_or_what_tokens_make() -> None:
    assert words.read_corpus(["The cat's_hat, Ärger 42!"]).words == ("the", "cat", "s", "hat", "ärger", "42")
    assert words.read_corpus(["The cat's hat,"], str).words == ("The", "cat's", "hat,")
    with pytest.raises(ValueError, match="at least one word"):
        words.read_corpus([" \n"])


def test_frequent_words_are_dropped_by_the_rule_of_word2vec() -> None:
    draws = np.random.default_rng(0).choice(3, size=100_000, p=[0.8, 0.15, 0.05])
    corpus, t = words.read_corpus([" ".join(f"w{k}" for k in draws)]), 0.01
    f = np.bincount(draws) / len(draws)
    expected = np.minimum((np.sqrt(f / t) + 1) * t / f, 1) * np.bincount(draws)
    three = words.WordVectors.of(["w0", "w1", "w2"], np.eye(3))
    kept, again, other = (words.count_contexts(corpus, three, 1, 1, t, rng).toarray() for rng in (1, 1, 2))
    assert kept.sum(axis=1) / 2 == pytest.approx(expected, rel=0.03)  # each occurrence has two contexts
    assert np.array_equal(kept, again)
    assert not np.array_equal(kept, other)


@pytest.mark.parametrize("about_mean", [False, True])
def test_covariances_and_their_shrinkage(about_mean: bool, text, vectors, contexts) -> None:
    found, known = slow.contexts(frequent(text), 3), by_name(vectors)
    n, rows = contexts.sum(axis=1), np.arange(len(vectors))
    covs = words.Definition(about_mean=about_mean).covariances(vectors, contexts, rows)
    for word in ("w0", "w12", "w33", "only", "unseen"):
        center = slow.mean(word, found, known) if about_mean and word in found else None
        assert covs[vectors.words.index(word)] == pytest.approx(slow.covariance(word, found, known, center), abs=1e-6)
    assert not covs[vectors.find(["only", "unseen"])].any()
    for pooled in (True, False):
        pool = pooled * np.einsum("i,ijk->jk", n, covs) / n.sum()
        expected = (n[:, None, None] * covs + 30 * pool) / (n + 30)[:, None, None]
        shrunk = words.Definition(about_mean=about_mean, shrinkage=30.0, pooled=pooled)
        assert shrunk.covariances(vectors, contexts, rows) == pytest.approx(expected, abs=1e-6)


def test_distances_are_those_of_the_definition(text, vectors, contexts) -> None:
    found = slow.contexts(frequent(text), 3)
    pairs = [("w0", "w1"), ("w0", "w43"), ("w7", "unseen"), ("only", "unseen"), ("w30", "w30"), ("w3", "w25")]
    expected = [slow.distance(a, b, found, by_name(vectors), 0.7) for a, b in pairs]
    squares, gaps = words.Definition().gaps(vectors, contexts, np.array([vectors.find(pair) for pair in pairs]))
    assert np.sqrt(squares + 0.7 * gaps) == pytest.approx(expected, abs=2e-5)


def test_common_components_are_removed(vectors) -> None:
    centered = vectors.unit - vectors.unit.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    assert without_components(vectors, 2).matrix == pytest.approx(centered - centered @ axes[:2].T @ axes[:2], abs=1e-6)
    with pytest.raises(ValueError, match="n_components must be less than 6 dimensions"):
        without_components(vectors, 6)


@pytest.fixture(scope="module")
def topics() -> tuple[words.WordVectors, words.Corpus]:
    """Words of 40 topics in all directions, and two directions that all words share; a text of one topic a document."""
    rng, m = np.random.default_rng(0), 2 * M
    names = [f"t{k}w{i}" for k in range(KINDS) for i in range(EACH)]
    own = np.repeat(rng.normal(size=(KINDS, m)), EACH, axis=0) + 0.7 * rng.normal(size=(KINDS * EACH, m))
    shared = 4.0 * rng.normal(size=(KINDS * EACH, 2)) @ rng.normal(size=(2, m)) + 3.0
    text = [[f"t{k}w{i}" for i in rng.integers(EACH, size=12)] for k in range(KINDS) for _ in range(8)]
    return words.WordVectors.of([*names, "unseen"], np.vstack([own + shared, rng.normal(size=m)])), read(text)


def adapted(topics: tuple[words.WordVectors, words.Corpus], **options: object) -> words.WordVectors:
    return words.adapt(*topics, **{"min_count": 1, "sample": 0, **options})


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


def same_topic(found: words.WordVectors) -> float:
    """How often the nearest word is of the same topic."""
    angles, topic = found.unit @ found.unit.T, np.arange(len(found)) // EACH
    np.fill_diagonal(angles, -2)
    return float(np.mean(topic[angles.argmax(axis=1)] == topic))


@pytest.mark.parametrize("power", [0.0, 0.4, 1.0])
def test_variances_are_leveled_as_in_the_definition(topics, power: float) -> None:
    assert whiten(topics[0], power).matrix == pytest.approx(leveled(topics[0].unit, power), abs=1e-5)


def test_words_move_as_in_the_definition(topics) -> None:
    vectors, corpus = topics
    counts = words.count_contexts(corpus, vectors, 2, 1, 0)
    unit, dense = scaled(leveled(vectors.unit, 0.6)), counts.toarray().astype(float)
    chances = dense.sum(axis=0) ** 0.75 / (dense.sum(axis=0) ** 0.75).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = dense / dense.sum(axis=1, keepdims=True) / chances
        expected = np.where(ratio > 1, np.log(ratio), 0.0)
    assert words.ppmi(counts).toarray() == pytest.approx(expected, abs=1e-5)
    seen = expected.sum(axis=1) > 0
    means = (expected @ unit)[seen] / expected[seen].sum(axis=1, keepdims=True)
    moved = unit.copy()
    moved[seen] = 0.7 * unit[seen] + 0.3 * scaled(means - expected.sum(axis=0) @ unit / expected.sum())
    found = adapted(topics, share=0.3, power=0.6, window=2)
    assert found.matrix == pytest.approx(scaled(moved), abs=2e-5)
    assert not seen[vectors.find(["unseen"])]


def test_adapted_words_find_their_topic_where_plain_ones_do_not(topics) -> None:
    plain, without_text, moved = topics[0], words.adapt(topics[0]), adapted(topics)
    assert without_text.matrix == pytest.approx(whiten(plain).unit, abs=1e-6)
    assert same_topic(plain) + 0.1 < same_topic(without_text)
    assert same_topic(without_text) + 0.1 < same_topic(moved)


def test_vectors_that_are_written_come_back_to_the_bit(topics, tmp_path: Path) -> None:
    vectors = adapted(topics)
    vectors.write(tmp_path / "words.txt")
    again = words.read_vectors(tmp_path / "words.txt")
    assert again.words == vectors.words
    assert np.array_equal(again.matrix, vectors.matrix)


@pytest.mark.parametrize("header", [b"", b"3 2\n"], ids=["GloVe", "word2vec"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
def test_texts_of_vectors_are_read(header: bytes, pack: Callable, tmp_path: Path) -> None:
    file = tmp_path / {gzip.compress: "a.gz", lzma.compress: "a.xz"}.get(pack, "a.txt")
    file.write_bytes(pack(header + "cat 1 0.5 \r\nnew york -2 1e-3\nÄrger 4 5\n".encode()))
    found = words.read_vectors(file)
    assert found.words == ("cat", "new york", "Ärger")
    assert np.array_equal(found.matrix, np.array([[1, 0.5], [-2, 1e-3], [4, 5]], np.float32))


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "each of 0 words needs a finite vector"),
        (b"cat 1 2\ndog 1\n", "line 2 must hold a word and 2 numbers, got 'dog 1"),
        (b"cat 1 2\ndog 1 x\n", "line 2 must hold a word and 2 numbers"),
        (b"cat 1 2\n\nyak 1 2\n", "line 2 must hold a word and 2 numbers"),
        (b"cat\n", "line 1 must hold a word and 0 numbers"),
        (b"cat 1 2\ndog 1 nan\n", "needs a finite vector"),
        ("cat 1 2\nÄrger 1 2\n".encode("latin-1"), "invalid continuation byte"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: bytes, error: str) -> None:
    (tmp_path / "vectors.txt").write_bytes(content)
    with pytest.raises(ValueError, match=error):
        words.read_vectors(tmp_path / "vectors.txt")


def test_the_first_of_equal_words_counts_and_zeros_are_left_out() -> None:
    found = words.WordVectors.of(["a", "b", "a", "z"], [[1.0, 0], [0, 1], [5, 5], [0, 0]])
    assert found.words == ("a", "b")
    assert found.matrix.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: words.WordVectors.of(["a"], np.eye(2)), "each of 1 words needs a finite vector, got .* shape"),
        (lambda: words.WordVectors.of(["a"], [[0.0, 0.0]]), "one word at least needs a vector that is not zero"),
        (lambda: words.adapt(words.WordVectors.of(["a", "b"], [[1.0, 2.0], [2.0, 4.0]])), "one word at least needs"),
        (lambda: words.adapt(words.WordVectors.of(["a"], [[1.0]]), share=2), "share and power must be between 0 and 1"),
    ],
)
def test_what_is_no_vector_and_no_setting_is_refused(call: Callable[[], object], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        call()
