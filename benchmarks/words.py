"""Words as Gaussians: files to the table, adapted vectors, nearest words, and Bures distances at m = 100 against POT.

`python -m benchmarks words=FOLDER`: a folder with vectors.*, corpus.* and benchmarks/, plain, gz or xz. Without one the
words are synthetic: 30,000 in R^100, with as many contexts as a corpus of 100 million characters gives them. In any
case 400,000 synthetic words in R^300 follow: 1,000 topics, 121 million contexts, from 8,000 of frequent words to 50 of
rare ones.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np
import ot
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

import wasserstein_transform as wt
from wasserstein_transform import words
from wt_paper import ratings

from .timing import Row, median_seconds

_N, _M = 30_000, 100
_QUERIES = 100


def run(folder: str | None = None) -> list[Row]:
    rows = [_bures(), _unprepared()]
    if folder is None:
        return [*rows, _nearest(wt.words.WordTransform(_vectors()).fit(_contexts()), "made up")]
    vectors, corpus = (one_file(Path(folder), name) for name in ("vectors", "corpus"))
    rows.append(_table(vectors, corpus, Path(folder, "benchmarks")))
    known = wt.words.read_vectors(vectors)
    rows.append(_adapted(known, corpus, Path(folder, "benchmarks")))
    return [*rows, _nearest(wt.words.WordTransform(known).fit(corpus), "real")]


def one_file(folder: Path, name: str) -> Path:
    """The only file of a folder with this name before the first dot."""
    found = sorted(folder.glob(f"{name}.*"))
    if len(found) != 1:
        raise SystemExit(f"{folder} must hold one file {name}.*, it holds {len(found)}")
    return found[0]


def _table(vectors: Path, corpus: Path, benchmarks: Path) -> Row:
    ratings.evaluate({"a": [1.0, 0.0], "b": [0.0, 1.0]}, ["a b " * 9], [_toy()])  # compiles
    start = time.perf_counter()
    found = ratings.evaluate(vectors, corpus, benchmarks)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    work = f"vectors and corpus from disk to the table of {len(found.names)} benchmarks"
    return Row(work, f"{seconds:.1f} s, at most {peak:.1f} GiB", "–", "–")


def _adapted(vectors: wt.words.WordVectors, corpus: Path, benchmarks: Path) -> Row:
    """Adapt vectors to the corpus, starting from the files, and score both on human judgments."""
    words.adapt({"a": [1.0, 0.0], "b": [0.0, 1.0]}, ["a b " * 9], min_count=1, sample=0)  # compiles
    start = time.perf_counter()
    adapted = words.adapt(vectors, corpus)
    seconds = time.perf_counter() - start
    found = ratings.compare(benchmarks, {"plain": vectors, "adapted": adapted})
    work = f"adapt {len(vectors):,} words, m = {vectors.m}, of which {adapted.n_moved:,} move"
    before, after = found.means
    better, worse = int(found.better[:, 1].sum()), int(found.worse[:, 1].sum())
    scores = f"Spearman {before:.3f} → {after:.3f}; of {len(found.names)} benchmarks {better} up, {worse} down"
    return Row(work, f"{seconds:.1f} s", scores, "–")


def _toy() -> ratings.Benchmark:
    return ratings.Benchmark("toy", (("a", "b"),) * 3, np.arange(3.0))


def _vectors(n: int = _N, m: int = _M, n_topics: int = 300) -> wt.words.WordVectors:
    """Word vectors in clusters around topics, all with a common component."""
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(n_topics, m)).astype(np.float32)[rng.integers(n_topics, size=n)]
    matrix += np.float32(0.9) * rng.standard_normal((n, m), dtype=np.float32)
    matrix += np.float32(0.5) * rng.standard_normal(m, dtype=np.float32)
    return wt.words.WordVectors.of([f"w{k}" for k in range(n)], matrix)


def _contexts(n: int = _N) -> csr_array:
    """Zipf's law: frequent words have thousands of contexts, rare ones about ten."""
    rng = np.random.default_rng(1)
    starts = np.append(0, np.cumsum(np.clip(2e7 / (1 + np.arange(n)), 30, 8000).astype(int)))
    columns = np.minimum(n * rng.random(starts[-1], dtype=np.float32) ** 2, n - 1).astype(np.int32)
    return csr_array((np.ones(starts[-1], np.float32), columns, starts), shape=(n, n))


def _unprepared() -> Row:
    """The first query on many words, and some more."""
    gt = wt.words.WordTransform(_vectors(400_000, 300, 1000)).fit(_contexts(400_000))
    wt.words.WordTransform(_vectors(300, 4)).fit(_contexts(300)).most_similar("w3")  # compiles
    times = []
    for row in (12_345, 100, 2_000, 100_000, 399_999):
        start = time.perf_counter()
        gt.most_similar(f"w{row}")
        times.append(time.perf_counter() - start)
    work = "most_similar among 400,000 made up words, m = 300: the first question"
    more = f"the next: {', '.join(f'{seconds:.1f}' for seconds in times[1:])} s"
    return Row(work, f"{times[0]:.1f} s", more, "–")


def _nearest(gt: wt.words.WordTransform, kind: str) -> Row:
    asked = np.random.default_rng(2).integers(len(gt.vectors_), size=_QUERIES)
    gt.most_similar(gt.vectors_.words[0])
    times = []
    for row in asked:
        start = time.perf_counter()
        gt.most_similar(gt.vectors_.words[row])
        times.append(time.perf_counter() - start)
    work = f"most_similar among {len(gt.vectors_):,} {kind} words, m = {gt.vectors_.m}"
    ours = f"median {1e3 * np.median(times):.0f} ms, 9 of 10 within {1e3 * np.quantile(times, 0.9):.0f} ms"
    return Row(work, ours, "–", "–")


def _bures() -> Row:
    """Both on all cores; POT with the number of BLAS threads that is best for it."""
    factors = np.random.default_rng(3).normal(size=(60, _M, 2 * _M))
    covs = factors @ factors.transpose(0, 2, 1) / (2 * _M)
    ours = median_seconds(lambda: wt.bures_pairs(covs), 3) / (60 * 59 / 2)

    def peer() -> None:
        for k in range(20):
            ot.gaussian.bures_distance(covs[k], covs[k + 1])

    with threadpool_limits(1, user_api="blas"):
        one = median_seconds(peer, 3) / 20
    theirs = min(one, median_seconds(peer, 1) / 20)
    work = f"Bures distance, m = {_M}, a pair"
    return Row(work, f"{1e3 * ours:.2f} ms", f"POT {1e3 * theirs:.2f} ms", f"{theirs / ours:.1f}×")
