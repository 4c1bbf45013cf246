"""What `wt.words.adapt` gains on vectors, pairs and texts that were not used to choose its setting.

`python -m benchmarks word_adapting=FOLDER`, a folder as for `words=FOLDER`. Of its files vectors*.* each is a set of
vectors; word2vec, trained on the first half of the corpus, is another if gensim is installed. For each set a setting is
chosen on all other sets, on one half of the pairs (a pair of words is in the same half in all benchmarks), with the
first half of the corpus. It is scored on this set, on the other half of the pairs, with the second half of the corpus.
Then the halves are swapped.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import md5
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from wasserstein_transform import words
from wasserstein_transform.words.adapting import POWER, SHARE, ppmi, shift, whiten
from wasserstein_transform.words.contexts import count_contexts
from wasserstein_transform.words.files import open_bytes
from wt_paper import ratings
from wt_paper.ratings import resampled, spearman
from wt_paper.ratings.variants import without_components

from .timing import Row
from .words import one_file

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4)
CLEANINGS: dict[str, Callable[[words.WordVectors], words.WordVectors] | None] = {
    "plain": None,
    **{f"without {n} components": partial(without_components, n_components=n) for n in (0, 1, 3, 5)},
    **{f"power {power:g}": partial(whiten, power=power) for power in (0.25, 0.5, 0.75, 1.0)},
}
DEFAULT = f"power {POWER:g}, share {SHARE:g}"
SHOWN = ("plain, share 0", "without 3 components, share 0", f"power {POWER:g}, share 0", DEFAULT)
N_BOOT, FEWEST = 1000, 12


def halves_of(corpus: Path) -> tuple[str, str]:
    """Cut the text in two at a space near its middle."""
    with open_bytes(corpus) as stream:
        text = stream.read().decode()
    middle = text.rfind(" ", 0, len(text) // 2)
    return text[:middle], text[middle:]


def trained(text: str) -> words.WordVectors:
    """word2vec: skip-grams, 100 dimensions, 5 epochs, one thread."""
    peer = import_module("gensim.models.word2vec")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        model = peer.Word2Vec(
            peer.Text8Corpus(file.name), vector_size=100, window=5, min_count=5, sg=1, negative=5, sample=1e-4,
            epochs=5, workers=1, seed=1,
        )  # fmt: skip
    return words.WordVectors.of(model.wv.index_to_key, model.wv.vectors)


def settings(vectors: words.WordVectors, text: words.Corpus) -> Iterator[tuple[str, np.ndarray]]:
    """Unit vectors for every setting; contexts are counted and weighted once."""
    weights = ppmi(count_contexts(text, vectors))
    for name, clean in CLEANINGS.items():
        cleaned = vectors if clean is None else clean(vectors)
        for share in SHARES:
            yield f"{name}, share {share:g}", shift(cleaned, weights, share).unit


class Judge:
    """Scores of one set of vectors on halves of the pairs."""

    def __init__(self, sets: tuple[ratings.Benchmark, ...], vectors: words.WordVectors) -> None:
        self.ends, self.scores, self.halves = [], [], []
        for one in sets:
            ends = one.rows(vectors)
            known = (ends >= 0).all(axis=1)
            if known.sum() >= FEWEST:
                self.ends.append(ends[known])
                self.scores.append(one.scores[known])
                self.halves.append(np.array([_half(pair) for pair in one.pairs])[known])

    def similarities(self, points: np.ndarray) -> list[np.ndarray]:
        """The scores on all pairs, one for each benchmark."""
        return [np.einsum("ij,ij->i", points[e[:, 0]], points[e[:, 1]]).astype(float) for e in self.ends]

    def mean(self, found: list[np.ndarray], half: int) -> float:
        """The mean score over benchmarks, on one half."""
        zipped = zip(self.scores, found, self.halves, strict=True)
        return float(np.mean([spearman(s[h == half], f[h == half]) for s, f, h in zipped]))

    def gains(self, first: list[np.ndarray], second: list[np.ndarray], half: int) -> np.ndarray:
        """Differences of the mean scores over resamples of one half."""
        out = []
        for k, (scores, chosen) in enumerate(zip(self.scores, self.halves, strict=True)):
            both = np.stack([first[k], second[k]])[:, chosen == half]
            drawn = resampled(scores[chosen == half], both, N_BOOT, np.random.default_rng([half, k]))
            out.append(drawn[:, 1] - drawn[:, 0])
        return np.nanmean(out, axis=0)


def _half(pair: tuple[str, str]) -> int:
    """The half of a pair, 0 or 1; the same in all benchmarks."""
    return md5(" ".join(sorted(map(str.lower, pair))).encode()).digest()[0] & 1


def measured(sets: Any, texts: tuple[words.Corpus, ...], vectors: dict[str, words.WordVectors]) -> None:
    """Score all settings of all vectors with both halves of the corpus, then choose settings."""
    judges = {name: Judge(sets, one) for name, one in vectors.items()}
    found = {
        (name, k): {s: judges[name].similarities(p) for s, p in settings(one, text)}
        for name, one in vectors.items()
        for k, text in enumerate(texts)
    }
    columns = {}
    for name, judge in judges.items():
        others = [other for other in vectors if other != name]
        picks = [_chosen(judges, found, group) for group in ([name], others or [name])]
        columns[name] = _report(judge, *picks, [found[name, k] for k in (1, 0)])
    print(f"\n|  | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for row in next(iter(columns.values())):
        print(f"| {row} | {' | '.join(column[row] for column in columns.values())} |")


def _chosen(judges: dict[str, Judge], found: dict[tuple[str, int], Any], group: list[str]) -> list[str]:
    """The best setting on the first halves of pairs and text, then on the second ones, over a group of vectors."""

    def score(setting: str, half: int) -> float:
        return float(np.mean([judges[name].mean(found[name, half][setting], half) for name in group]))

    return [max(found[group[0], half], key=lambda s, half=half: score(s, half)) for half in (0, 1)]


def _report(judge: Judge, here: list[str], elsewhere: list[str], there: list[dict[str, Any]]) -> dict[str, str]:
    """Mean scores on the second halves, then on the first, and gains over the unadapted vectors."""
    rows = {name: [name, name] for name in SHOWN} | {"chosen here": here, "chosen elsewhere": elsewhere}
    said = {}
    for name, picks in rows.items():
        value, plain = (
            np.mean([judge.mean(there[k][which[k]], 1 - k) for k in (0, 1)]) for which in (picks, [SHOWN[0]] * 2)
        )
        drawn = np.mean([judge.gains(there[k][SHOWN[0]], there[k][picks[k]], 1 - k) for k in (0, 1)], axis=0)
        low, high = np.percentile(drawn, [2.5, 97.5])
        said[name] = f"{value:.3f}" + (f", {value - plain:+.3f} [{low:+.3f}, {high:+.3f}]" if name != SHOWN[0] else "")
    return said


def run(folder: str | None = None) -> list[Row]:
    """Read the files, train vectors if that is possible, and print the table."""
    if folder is None:
        print("word_adapting: no folder given: python -m benchmarks word_adapting=FOLDER", file=sys.stderr)
        return []
    files = sorted(Path(folder).glob("vectors*.*"))
    texts = halves_of(one_file(Path(folder), "corpus"))
    every = [words.read_vectors(file) for file in files]
    vectors = {f"{len(one):,} words, {one.matrix.shape[1]}-d": one for one in every}
    if find_spec("gensim"):
        vectors["word2vec, trained here"] = trained(texts[0])
    corpora = tuple(words.Corpus.read([text]) for text in texts)
    measured(ratings.read_benchmarks(Path(folder) / "benchmarks"), corpora, vectors)
    return []
