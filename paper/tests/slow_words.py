"""Words as Gaussians, slowly: windows in Python, covariances as sums, roots by eigenvectors."""

from __future__ import annotations

from collections import Counter

import numpy as np


def contexts(documents: list[list[str]], window: int, weights: list[float] | None = None) -> dict[str, Counter]:
    """Who stands within a window of whom."""
    found: dict[str, Counter] = {}
    for words in documents:
        for i, word in enumerate(words):
            for j in range(max(0, i - window), min(len(words), i + window + 1)):
                if j != i:
                    counts = found.setdefault(word, Counter())
                    counts[words[j]] += 1 if weights is None else weights[abs(i - j) - 1]
    return found


def covariance(word: str, found: dict[str, Counter], vectors: dict[str, np.ndarray], center=None) -> np.ndarray:
    """The mean of (v − w)(v − w)ᵀ; 0 without contexts."""
    w = vectors[word] / np.linalg.norm(vectors[word])
    center = w if center is None else center
    m = len(w)
    total, sigma = 0.0, np.zeros((m, m))
    for other, count in found.get(word, {}).items():
        if other in vectors:
            off = vectors[other] / np.linalg.norm(vectors[other]) - center
            sigma += count * np.outer(off, off)
            total += count
    return sigma / total if total else sigma


def mean(word: str, found: dict[str, Counter], vectors: dict[str, np.ndarray]) -> np.ndarray:
    """The mean of the contexts."""
    known = {other: count for other, count in found.get(word, {}).items() if other in vectors}
    rows = [count * vectors[other] / np.linalg.norm(vectors[other]) for other, count in known.items()]
    return np.sum(rows, axis=0) / sum(known.values())


def root(A: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(A)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def distance(first: str, second: str, found: dict, vectors: dict[str, np.ndarray], lam: float) -> float:
    """The GT distance by its definition."""
    A, B = covariance(first, found, vectors), covariance(second, found, vectors)
    v, w = (vectors[word] / np.linalg.norm(vectors[word]) for word in (first, second))
    a = root(A)
    gap = np.trace(A) + np.trace(B) - 2 * np.trace(root(a @ B @ a))
    return float(np.sqrt((v - w) @ (v - w) + lam * max(gap, 0.0)))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's correlation of mean ranks."""
    ranks = [np.array([np.mean(np.flatnonzero(np.sort(z) == value)) for value in z]) for z in (x, y)]
    return float(np.corrcoef(*ranks)[0, 1])
