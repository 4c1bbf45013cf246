"""Many small transports beside the tool of each field: documents, cells, pictures, jets, diagrams, graphs, plans.

`python -m benchmarks transports=PYTHON` runs the tools of `transport_peers.py` in the Python of another environment,
with gensim, gudhi, lapx, POT, wasserstein (PairwiseEMD) and wwl. Data are generated. One thread; processor time.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import wasserstein_transform as wt

from .timing import Row

_SAMPLE = 300  # pairs on which peers are timed
_PEERS = Path(__file__).with_name("transport_peers.py")


def run(python: str = sys.executable) -> list[Row]:
    compare = partial(_compare, python)
    return [
        *_documents(compare), *_histograms(compare), *_jets(compare), *_diagrams(compare), *_graphs(compare),
        *_plans(compare),
    ]  # fmt: skip


def _compare(
    python: str, work: str, ours: Callable[[], Any], n: int, tools: list[str], data: dict[str, Any]
) -> list[Row]:
    """A row per tool; our values, all pairs in condensed order or those listed, are compared with theirs."""
    ours()
    tracemalloc.start()
    values = np.asarray(ours())
    more = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    if "pairs" not in data:
        pairs = np.column_stack(np.triu_indices(round((1 + (1 + 8 * n) ** 0.5) / 2), 1))
        some = np.random.default_rng(0).choice(n, min(_SAMPLE, n), replace=False)
        data, values = data | {"pairs": pairs[some].tolist()}, values[some]
    seconds, rows = _processor_seconds(ours) / n, []
    here = f"{1e6 * seconds:.0f} µs/pair, {more:.0f} MB"
    for tool in tools:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "problems"
            file.write_bytes(pickle.dumps(data))
            ended = subprocess.run([python, str(_PEERS), tool, str(file)], capture_output=True, text=True, check=False)
            if ended.returncode:
                reason = ended.stderr.strip().splitlines()[-1]
                rows.append(Row(work, here, f"{tool}: {reason}", "–"))
                continue
            theirs = json.loads(Path(f"{file}.json").read_text("utf-8"))
        off = np.abs(np.array(theirs["values"]) - values).max() / max(values.max(), 1e-300)
        peer = f"{tool}: {1e6 * theirs['seconds']:.0f} µs/pair (largest difference {off:.0e})"
        rows.append(Row(work, here, peer, f"{theirs['seconds'] / seconds:.1f}×"))
    return rows


def _processor_seconds(work: Callable[[], Any]) -> float:
    """Of the better of three runs, because others compute on the machine, too."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _documents(compare: Callable[..., list[Row]]) -> list[Row]:
    """Words of twenty topics, by Zipf's law, of a vocabulary of which half occurs."""
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(20, 100))[rng.integers(0, 20, 10_000)] + rng.normal(size=(10_000, 100))).astype(
        np.float32
    )
    words = []
    for _ in range(300):
        topic = np.flatnonzero(rng.random(5000) < 0.1)
        words.append(topic[np.minimum(rng.zipf(1.4, rng.integers(40, 90)) - 1, len(topic) - 1)])
    counts = np.array([np.bincount(word, minlength=10_000) for word in words])
    shares, n = counts / counts.sum(axis=1, keepdims=True), _pairs(300)
    all_pairs = partial(wt.wasserstein_pairs, shares, vectors.astype(np.float64), n_jobs=1)
    rows = compare(
        "word mover's distance, 300 documents", all_pairs, n, ["gensim"], {"vectors": vectors, "words": words}
    )
    near = partial(wt.wasserstein_cross, shares[:20], shares[20:], vectors.astype(np.float64), nearest=5, n_jobs=1)
    full = partial(wt.wasserstein_cross, shares[:20], shares[20:], vectors.astype(np.float64), n_jobs=1)
    near(), full()
    seconds, whole = _processor_seconds(near), _processor_seconds(full)
    solved = f"{near().report.n_problems} of {20 * 280} solved"
    work = "the 5 nearest of 280 documents, 20 queries"
    return [
        *rows,
        Row(work, f"{1e3 * seconds:.0f} ms, {solved}", f"all: {1e3 * whole:.0f} ms", f"{whole / seconds:.1f}×"),
    ]


def _histograms(compare: Callable[..., list[Row]]) -> list[Row]:
    rng, rows = np.random.default_rng(1), []
    types, shares = rng.normal(size=(40, 20)), rng.dirichlet(np.full(40, 0.5), 300)
    data = {"clouds": [types] * 300, "weights": shares, "metric": "cosine"}
    ours = partial(wt.wasserstein_pairs, shares, wt.spaces.PointMetric(types, "cosine"), n_jobs=1)
    rows += compare("cell proportions, 300 patients, cosine", ours, _pairs(300), ["pot"], data)
    pixels, pictures = np.argwhere(np.ones((8, 8))) * 1.0, rng.dirichlet(np.ones(64), 300)
    for p in (1, 2):
        data = {"clouds": [pixels] * 300, "weights": pictures, "metric": "euclidean", "p": p}
        ours = partial(wt.wasserstein_pairs, pictures, pixels, p, n_jobs=1)
        rows += compare(f"pictures 8 × 8, p = {p}", ours, _pairs(300), ["pot"], data)
    return rows


def _jets(compare: Callable[..., list[Row]]) -> list[Row]:
    """Particles around an axis, with momenta of a heavy tail; R is beyond half of every distance."""
    rng, rows = np.random.default_rng(2), []
    clouds = [rng.normal(scale=0.2, size=(n, 2)) for n in rng.poisson(42, 300)]
    momenta = [rng.pareto(1.5, len(cloud)) for cloud in clouds]
    equal = [momentum / momentum.sum() for momentum in momenta]
    data = {"clouds": clouds, "weights": equal, "metric": "euclidean", "R": 1.0}
    ours = partial(wt.wasserstein_pairs, clouds, weights=equal, n_jobs=1)
    rows += compare("jets of equal mass, 42 particles", ours, _pairs(300), ["energy_mover", "pot"], data)
    ours = partial(wt.wasserstein_pairs, clouds, weights=momenta, spare=1.0, n_jobs=1)
    data = data | {"weights": momenta}
    return rows + compare("jets of unequal mass", ours, _pairs(300), ["energy_mover"], data)


def _diagrams(compare: Callable[..., list[Row]]) -> list[Row]:
    """Births at random, lives of exponential length, about 104 points."""
    rng, rows = np.random.default_rng(3), []
    births = [rng.random(n) for n in rng.poisson(104, 100)]
    diagrams = [np.column_stack([birth, birth + rng.exponential(0.05, len(birth))]) for birth in births]
    for p in (1, 2, np.inf):
        ours = partial(wt.wasserstein_pairs, diagrams, "chebyshev", p, n_jobs=1, spare=_diagonal)
        tools = ["gudhi"] if p == np.inf else ["gudhi", "lapx"]
        rows += compare(f"persistence diagrams, p = {p}", ours, _pairs(100), tools, {"clouds": diagrams, "p": p})
    return rows


def _diagonal(points: np.ndarray) -> np.ndarray:
    """The distance to the diagonal."""
    return np.asarray((points[:, 1] - points[:, 0]) / 2)


def _graphs(compare: Callable[..., list[Row]]) -> list[Row]:
    """Nodes of 200 graphs: numbers in 16 columns; labels of four rounds, of which each refines the last."""
    rng, rows = np.random.default_rng(4), []
    sizes = rng.integers(20, 45, 200)
    clouds = [rng.normal(size=(n, 16)) for n in sizes]
    labels = [np.stack([rng.integers(0, 2 + 3 * k, n) for k in range(4)], axis=1) * 1.0 for n in sizes]
    for cloud, name in ((clouds, "euclidean"), (labels, "hamming")):
        ours = partial(wt.wasserstein_pairs, cloud, name, n_jobs=1)
        data = {"clouds": cloud, "weights": [np.full(n, 1 / n) for n in sizes], "metric": name}
        rows += compare(f"graphs by Wasserstein–Weisfeiler–Lehman, {name}", ours, _pairs(200), ["wwl", "pot"], data)
    return rows


def _plans(compare: Callable[..., list[Row]]) -> list[Row]:
    rng, rows = np.random.default_rng(5), []
    for n, k in ((8, 2000), (30, 500), (128, 40), (512, 4)):
        for m in (2, 784):
            noise, data = rng.normal(size=(2, k, n, m))
            squares = (noise**2).sum(-1)[:, :, None] + (data**2).sum(-1)[:, None] - 2 * noise @ data.transpose(0, 2, 1)
            ours = partial(wt.transport.wasserstein_stack, np.maximum(squares, 0.0), n_jobs=1)
            problems = {"costs": np.maximum(squares, 0.0), "pairs": []}
            rows += compare(f"plans {n} × {n} of points in R^{m}", ours, k, ["pot_plans", "assignment"], problems)
    return rows
