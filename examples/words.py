"""Words of a small text as Gaussians: vectors made of the text itself, then adapted by their contexts.

Prints the words nearest to some, by the vectors alone and by the Gaussian Transform, and saves one figure:
`python examples/words.py [FILE]`. For vectors and a corpus of your own see docs/words.md.
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

LAM = 0.5
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


def text() -> list[str]:
    """Sentences about four worlds; every noun has verbs and adjectives it prefers."""
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
    return sentences


def vectors(sentences: list[str], m: int = 40) -> wt.words.WordVectors:
    """Vectors from the text: positive mutual information with contexts, reduced by a singular value decomposition."""
    corpus = wt.words.Corpus.read(sentences, words.Letters())
    start = wt.words.WordVectors.of(corpus.words, np.ones((len(corpus.words), 1)))
    counted = words.count_contexts(corpus, start, window=4, min_count=1, sample=0)
    ppmi = words.PPMI()(counted).matrix.toarray()
    u, s, _ = np.linalg.svd(ppmi)
    return wt.words.WordVectors.of(corpus.words, u[:, :m] * np.sqrt(s[:m]))


def draw(ax: mpl.axes.Axes, gt: wt.words.WordTransform, lam: float) -> None:
    """Distances of all nouns, world by world."""
    nouns = [noun for parts in TOPICS.values() for noun in parts[0].split()]
    gt.lam = lam
    pairs = [(a, b) for k, a in enumerate(nouns) for b in nouns[k + 1 :]]
    wt.plotting.heatmap(gt.pairs(pairs).distances, labels=np.repeat(np.arange(len(TOPICS)), 5), ax=ax)
    ax.set_xticks(range(len(nouns)), nouns, rotation=90, fontsize=8)
    ax.set_yticks(range(len(nouns)), nouns, fontsize=8)
    ax.set_title("the vectors alone" if lam == 0 else f"GT, λ = {lam:g}", loc="left", fontsize=11)


def main(file: str = "words.png") -> None:
    """Fit, ask and draw."""
    sentences = text()
    gt = wt.words.WordTransform(vectors(sentences), window=4, min_count=1, sample=0, tokens=words.Letters()).fit(
        sentences
    )
    print(f"{len(sentences)} sentences, {len(gt.vectors_)} words in R^{gt.vectors_.m}")
    for word in ("whale", "baker", "shines"):
        for lam in (0.0, LAM):
            gt.lam = lam
            found = ", ".join(f"{name} {distance:.2f}" for name, distance in gt.most_similar(word, 4))
            print(f"nearest to {word}, λ = {lam:g}: {found}")
    figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    for ax, lam in zip(axes, (0.0, LAM), strict=True):
        draw(ax, gt, lam)
    figure.savefig(file, dpi=160)
    print(f"figure saved as {file}")


if __name__ == "__main__":
    mpl.use("Agg")
    main(*sys.argv[1:2])
