"""Words adapted to a text: blurred vectors, and what the sentences around the words make of them.

A made-up language of four worlds: sky, sea, farm and town. Its vectors have the faults of pre-trained ones: they are
noisy, and all words vary in two directions that say nothing about their meaning. The Gaussian Transform as the paper
defines it and `wt.words.adapt` both see 840 sentences. Prints which words are nearest and how often a noun of the same
world is nearer than one of another, and saves one figure: `python examples/words.py [FILE]`. For vectors and a corpus
of your own see docs/words.md.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform import words

try:
    import matplotlib as mpl
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit('the example draws with matplotlib, which is missing: pip install ".[plot]"')

TOPICS = {
    "sky": ("sun moon star planet comet", "shines rises sets turns glows", "bright far round cold old", "sky night"),
    "sea": ("whale shark seal crab squid", "swims dives hunts sleeps hides", "wet deep gray quick small", "sea reef"),
    "farm": ("cow horse goat hen pig", "eats grazes runs rests calls", "brown fat slow tame young", "barn field"),
    "town": (
        "baker tailor doctor teacher smith",
        "works talks sells reads walks",
        "kind tired rich busy proud",
        "shop",
    ),
}
NOUNS = [noun for parts in TOPICS.values() for noun in parts[0].split()]
WORLDS = np.repeat(np.arange(len(TOPICS)), 5)
NOISE, SHARED = 1.0, 2.0  # lengths, of that of a vector


def text() -> list[str]:
    """Sentences about four worlds, in any order; every noun has verbs and adjectives it prefers."""
    rng = np.random.default_rng(5)
    sentences = []
    for nouns, verbs, adjectives, places in TOPICS.values():
        parts = [part.split() for part in (nouns, verbs, adjectives, places)]
        for (i, noun), place in product(enumerate(parts[0]), parts[3]):
            for _ in range(12):
                verb = parts[1][(i + rng.integers(3)) % 5]
                adjective = parts[2][(i + rng.integers(3)) % 5]
                sentences.append(f"The {adjective} {noun} {verb} in the {place}.")
                sentences.append(f"In the {place} a {noun} {verb}, and it is {adjective}.")
    return [sentences[k] for k in rng.permutation(len(sentences))]


def vectors(sentences: list[str], m: int = 20) -> wt.words.WordVectors:
    """Vectors from a text: positive mutual information with contexts, reduced by a singular value decomposition."""
    corpus = wt.words.Corpus.read(sentences)
    start = wt.words.WordVectors.of(corpus.words, np.ones((len(corpus.words), 1)))
    counted = words.contexts.count_contexts(corpus, start, window=4, min_count=1, sample=0)
    ppmi = words.adapting.ppmi(counted).matrix.toarray()
    u, s, _ = np.linalg.svd(ppmi)
    return wt.words.WordVectors.of(corpus.words, u[:, :m] * np.sqrt(s[:m]))


def blurred(vectors: wt.words.WordVectors) -> wt.words.WordVectors:
    """The same with noise, and with two directions in which all words vary."""
    rng = np.random.default_rng(7)
    n, m = vectors.unit.shape
    noise = NOISE / np.sqrt(m) * rng.normal(size=(n, m))
    shared = SHARED / np.sqrt(2 * m) * rng.normal(size=(n, 2)) @ rng.normal(size=(2, m))
    return wt.words.WordVectors.of(vectors.words, vectors.unit + noise + shared)


def distances(gt: wt.words.WordTransform | wt.words.WordVectors) -> np.ndarray:
    """Of all nouns."""
    pairs = [(a, b) for a in NOUNS for b in NOUNS]
    return gt.pairs(pairs).reshape(len(NOUNS), len(NOUNS))


def same_world(matrix: np.ndarray) -> float:
    """How often a noun of the same world is nearer than one of another, over all such triples."""
    same = WORLDS[:, None] == WORLDS
    rows = [
        np.mean(row[own & (np.arange(len(row)) != k)][:, None] < row[~own])
        for k, (row, own) in enumerate(zip(matrix, same, strict=True))
    ]
    return float(np.mean(rows))


def ranks(matrix: np.ndarray) -> np.ndarray:
    """The share of pairs that are nearer, in percent: colors mean the same whatever the distances are."""
    above = np.triu_indices(len(matrix), 1)
    out = np.zeros(matrix.shape)
    out[above] = 100 * np.argsort(np.argsort(matrix[above])) / (len(above[0]) - 1)
    return out + out.T


def draw(ax: mpl.axes.Axes, matrix: np.ndarray, title: str, colorbar: bool) -> None:
    """Distances of all nouns, world by world."""
    wt.plotting.heatmap(ranks(matrix), labels=WORLDS, ax=ax, colorbar=colorbar)
    ax.set_xticks(range(len(NOUNS)), NOUNS, rotation=90, fontsize=8)
    ax.set_yticks(range(len(NOUNS)), NOUNS, fontsize=8)
    for k in range(len(TOPICS)):
        ax.add_patch(plt.Rectangle((5 * k - 0.5, 5 * k - 0.5), 5, 5, fill=False, edgecolor="white", linewidth=2))
    ax.set_title(f"{title}: {same_world(matrix):.0%}", loc="left", fontsize=11)


def main(file: str = "words.png") -> None:
    """Train, adapt, ask and draw."""
    sentences = text()
    known = blurred(vectors(sentences))
    options = {"window": 4, "min_count": 1, "sample": 0}
    paper = wt.words.WordTransform(known, lam=0.5, **options).fit(sentences)
    adapted = wt.words.adapt(known, sentences, **options)
    print(f"{len(known)} words in R^{known.m}, adapted to {len(sentences)} sentences")
    found = {"vectors alone": known, "GT as in the paper, λ = 0.5": paper, "adapted": adapted}
    for word in ("whale", "baker", "shines"):
        for name, gt in found.items():
            near = ", ".join(f"{other} {distance:.2f}" for other, distance in gt.most_similar(word, 4))
            print(f"nearest to {word}, {name}: {near}")
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.9), layout="constrained")
    for ax, (name, gt) in zip(axes, found.items(), strict=True):
        matrix = distances(gt)
        draw(ax, matrix, name, colorbar=gt is adapted)
        print(f"same world nearer, {name}: {same_world(matrix):.0%}")
    figure.suptitle(
        "Pairs of nouns, dark if they are near (percent of pairs that are nearer); in the titles, how often a noun of "
        "the same world is nearer than one of another",
        fontsize=10,
    )
    figure.savefig(file, dpi=160)
    print(f"figure saved as {file}")


if __name__ == "__main__":
    mpl.use("Agg")
    main(*sys.argv[1:2])
