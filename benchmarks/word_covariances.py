"""What covariances of words tell: which of two words is more general, and how reliable a similarity is.

`python -m benchmarks.word_covariances FOLDER WORDNET`: a folder as for `python -m benchmarks words=FOLDER`, and the
folder of WordNet's files index.noun and data.noun* (3.0 was used). Pairs are those of the benchmarks of word
similarity whose words are both nouns; in a pair (a, b) b is more general if the first sense of b is above the first
sense of a. Intervals are of 2,000 resamples of the pairs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from sklearn.metrics import average_precision_score

from wasserstein_transform import words
from wt_paper import ratings
from wt_paper.ratings import resampled, spearman
from wt_paper.ratings.variants import Variant

from .words import one_file

N_BOOT = 2000
SMALL = 1e-3  # added to all variances (of unit vectors): words with few contexts get a density, too

OfWord: TypeAlias = Callable[[int], float]


class Nouns(NamedTuple):
    """The first sense of each noun, and the senses directly above each sense."""

    first: dict[str, str]
    above: dict[str, list[str]]

    def ancestors(self, word: str) -> set[str]:
        """All senses above the first one."""
        found: set[str] = set()
        left = [self.first[word]]
        while left:
            new = [sense for sense in self.above.get(left.pop(), []) if sense not in found]
            found.update(new)
            left += new
        return found


def read_nouns(folder: Path) -> Nouns:
    """Read WordNet's original files; data.noun may be split into several files."""
    first, above = {}, {}
    for line in (folder / "index.noun").read_text().splitlines():
        if not line.startswith(" "):
            fields = line.split()
            first[fields[0]] = fields[-int(fields[2])]
    for line in "".join(part.read_text() for part in sorted(folder.glob("data.noun*"))).splitlines():
        if not line.startswith(" "):
            fields = line.split("|")[0].split()
            at = 4 + 2 * int(fields[3], 16)
            pointers = [fields[k : k + 4] for k in range(at + 1, at + 1 + 4 * int(fields[at]), 4)]
            above[fields[0]] = [to for kind, to, *_ in pointers if kind in ("@", "@i")]
    return Nouns(first, above)


class Pairs(NamedTuple):
    """Different pairs of nouns as rows; 1 where the second is more general, −1 where the first is, else 0."""

    ends: np.ndarray
    order: np.ndarray


def noun_pairs(sets: Iterable[ratings.Benchmark], vectors: words.WordVectors, nouns: Nouns) -> Pairs:
    """Each pair of the benchmarks once."""
    known = {tuple(sorted(map(str.lower, pair))) for one in sets for pair in one.pairs}
    listed = sorted(p for p in known if p[0] != p[1] and all(w in vectors and w in nouns.first for w in p))
    order = [int(nouns.first[b] in nouns.ancestors(a)) - int(nouns.first[a] in nouns.ancestors(b)) for a, b in listed]
    return Pairs(np.array([[vectors.row(a), vectors.row(b)] for a, b in listed]), np.array(order))


class Shapes(NamedTuple):
    """Statistics of each requested word, by row."""

    entropy: dict[int, float]
    trace: dict[int, float]
    covariance: dict[int, np.ndarray]


def shapes(gt: words.WordTransform, variant: Variant, rows: np.ndarray) -> Shapes:
    """log det and trace of covariances, with SMALL added to all variances."""
    rows = np.unique(rows)
    spread = variant.covariances(gt.vectors_, gt.contexts_, rows) + SMALL * np.eye(gt.vectors_.m)
    covs = dict(zip(rows.tolist(), spread, strict=True))
    entropy = {row: float(np.linalg.slogdet(cov)[1]) for row, cov in covs.items()}
    return Shapes(entropy, {row: float(np.trace(cov)) for row, cov in covs.items()}, covs)


def inclusion(gt: words.WordTransform, known: Shapes, inner: int, outer: int) -> float:
    """−KL(N(inner) ‖ N(outer)): large where the first Gaussian lies within the second."""
    A, B = known.covariance[inner], known.covariance[outer]
    off = gt.vectors_.unit[inner].astype(float) - gt.vectors_.unit[outer]
    solved = np.linalg.solve(B, np.column_stack([A, off]))
    gap = known.entropy[outer] - known.entropy[inner]
    return -0.5 * float(np.trace(solved[:, :-1]) + off @ solved[:, -1] - len(A) + gap)


def interval(statistic: Callable[[np.ndarray], float], n: int) -> tuple[float, float, float]:
    """The statistic of all rows, and its 95 % interval over resamples of them."""
    rng = np.random.default_rng(0)
    drawn = [statistic(rng.integers(n, size=n)) for _ in range(N_BOOT)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return statistic(np.arange(n)), float(low), float(high)


def directions(pairs: Pairs, values: dict[str, OfWord]) -> list[str]:
    """How often the more general word has the larger value; ties count one half."""
    chosen = pairs.ends[pairs.order != 0]
    chosen = np.where(pairs.order[pairs.order != 0, None] > 0, chosen, chosen[:, ::-1])
    out = []
    for name, value in values.items():
        gaps = np.array([value(b) - value(a) for a, b in chosen])
        right = (gaps > 0) + 0.5 * (gaps == 0)
        out.append(shown(name, interval(lambda part, right=right: float(right[part].mean()), len(right))))
    return out


def detections(pairs: Pairs, values: dict[str, Callable[[int, int], float]]) -> list[str]:
    """Average precision of finding (special, general) among all pairs in both orders."""
    both = [(pairs.ends, pairs.order > 0), (pairs.ends[:, ::-1], pairs.order < 0)]
    truth = np.stack([t for _, t in both], axis=1)
    out = [shown("chance", interval(lambda part: float(truth[part].mean()), len(truth)))]
    for name, value in values.items():
        scores = np.stack([[value(a, b) for a, b in ends] for ends, _ in both], axis=1)
        found = interval(
            lambda part, s=scores: float(average_precision_score(truth[part].ravel(), s[part].ravel())), len(truth)
        )
        out.append(shown(name, found))
    return out


def sureness(
    gt: words.WordTransform, sets: Iterable[ratings.Benchmark], values: dict[str, Callable[[int], float]]
) -> None:
    """Spearman correlation of the error of a similarity with the statistics of its two words."""
    for one in sets:
        ends = one.rows(gt.vectors_)
        known = (ends >= 0).all(axis=1)
        ends = ends[known]
        near = np.einsum("ij,ij->i", gt.vectors_.unit[ends[:, 0]], gt.vectors_.unit[ends[:, 1]])
        wrong = np.abs(_ranks(near) - _ranks(one.scores[known]))
        rows = np.array([[value(a) + value(b) for a, b in ends] for value in values.values()])
        drawn = resampled(wrong, rows, N_BOOT, np.random.default_rng(0))
        for name, row, some in zip(values, rows, drawn.T, strict=True):
            print(shown(f"{one.name}, {name}", (spearman(wrong, row), *np.percentile(some, [2.5, 97.5]))))


def _ranks(values: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(values)) / len(values)


def shown(name: str, found: tuple[float, float, float]) -> str:
    """Print one line."""
    return f"  {name:58s} {found[0]:.3f} [{found[1]:.3f}, {found[2]:.3f}]"


def report(gt: words.WordTransform, variant: Variant, sets: tuple[ratings.Benchmark, ...], nouns: Nouns) -> None:
    """Print all figures of one variant."""
    pairs = noun_pairs(sets, gt.vectors_, nouns)
    large = [one for one in sets if one.name in ("MEN-TR-3k", "SIMLEX-999", "RW-STANFORD")]
    asked = np.concatenate([pairs.ends.ravel(), *(one.rows(gt.vectors_).ravel() for one in large)])
    known, counts = shapes(gt, variant, asked[asked >= 0]), gt.contexts_.counts
    rest = residual(known.entropy, counts)

    def cosine(a: int, b: int) -> float:
        return float(gt.vectors_.unit[a] @ gt.vectors_.unit[b])

    print(f"{(pairs.order != 0).sum()} of {len(pairs.order)} pairs; the more general word has the larger …")
    of_words: dict[str, OfWord] = {
        "frequency": lambda w: counts[w],
        "different contexts": lambda w: np.diff(gt.contexts_.matrix.indptr)[w],
        "trace of the covariance": known.trace.__getitem__,
        "entropy of the covariance": known.entropy.__getitem__,
        "entropy beyond what frequency says": rest.__getitem__,
    }
    print("\n".join(directions(pairs, of_words)))
    print("finding (special, general) among all pairs, average precision")
    log = np.log1p(counts)
    of_pairs: dict[str, Callable[[int, int], float]] = {
        "frequency": lambda a, b: log[b] - log[a],
        "cosine": cosine,
        "cosine, if the second is more frequent": lambda a, b: cosine(a, b) - 2.0 * (log[b] <= log[a]),
        "cosine, if the second has more entropy": lambda a, b: (
            cosine(a, b) - 2.0 * (known.entropy[b] <= known.entropy[a])
        ),
        "inclusion of Gaussians": lambda a, b: inclusion(gt, known, a, b),
    }
    print("\n".join(detections(pairs, of_pairs)))
    print("how wrong a cosine is (distance of ranks), Spearman correlation with …")
    sureness(gt, large, {"rarity": lambda w: -log[w], "trace": known.trace.__getitem__})


def residual(values: dict[int, float], counts: np.ndarray) -> dict[int, float]:
    """Residuals of a cubic fit in log frequency."""
    rows = np.array(list(values))
    x, y = np.log1p(counts[rows]), np.array(list(values.values()))
    return dict(zip(rows.tolist(), (y - np.polyval(np.polyfit(x, y, 3), x)).tolist(), strict=True))


def main(folder: str, wordnet: str) -> None:
    """Covariances about the word, as in the paper, and about the mean of its contexts."""
    vectors = words.read_vectors(one_file(Path(folder), "vectors"))
    corpus = words.Corpus.read(str(one_file(Path(folder), "corpus")))
    sets, nouns = ratings.read_benchmarks(Path(folder, "benchmarks")), read_nouns(Path(wordnet))
    gt = words.WordTransform(vectors).fit(corpus)
    for name, variant in {
        "the paper's": Variant(),
        "about the mean": Variant(about_mean=True),
        "about the mean, pooled": Variant(about_mean=True, shrinkage=300.0),
    }.items():
        print(f"== covariances: {name}")
        report(gt, variant, sets, nouns)


if __name__ == "__main__":
    main(*sys.argv[1:3])
