"""The tools of other fields for many small transports, in an environment of their own: they need other versions.

`python benchmarks/transport_peers.py TOOL FILE` reads the problems of a pickled file, and writes seconds per pair and
the values into `FILE.json`. This file imports nothing of the library.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

Pairs = list[tuple[int, int]]


def timed(work: Callable[[], Any], n: int) -> tuple[float, Any]:
    """Processor seconds per pair, the better of two runs."""
    seconds = []
    for _ in range(2):
        start = time.process_time()
        values = work()
        seconds.append(time.process_time() - start)
    return min(seconds) / n, values


def pot(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    import ot  # noqa: PLC0415

    clouds, weights, name, p = data["clouds"], data["weights"], data["metric"], data.get("p", 1)
    return timed(
        lambda: [
            float(ot.emd2(weights[i], weights[j], cdist(clouds[i], clouds[j], name) ** p)) ** (1 / p) for i, j in pairs
        ],
        len(pairs),
    )


def pot_plans(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    import ot  # noqa: PLC0415

    seconds, plans = timed(lambda: [ot.emd([], [], costs) for costs in data["costs"]], len(data["costs"]))
    return seconds, [float((plan * costs).sum()) for plan, costs in zip(plans, data["costs"])]  # noqa: B905


def assignment(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    seconds, found = timed(lambda: [linear_sum_assignment(costs) for costs in data["costs"]], len(data["costs"]))
    return seconds, [float(costs[rows].mean()) for rows, costs in zip(found, data["costs"])]  # noqa: B905


def gensim(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    from gensim.models import KeyedVectors  # noqa: PLC0415

    vectors = KeyedVectors(data["vectors"].shape[1])
    vectors.add_vectors([f"w{k}" for k in range(len(data["vectors"]))], data["vectors"].astype(np.float32))
    texts = [[f"w{k}" for k in words] for words in data["words"]]
    return timed(lambda: [vectors.wmdistance(texts[i], texts[j], norm=False) for i, j in pairs], len(pairs))


def energy_mover(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    import wasserstein  # noqa: PLC0415

    events = [np.column_stack([w, cloud]) for w, cloud in zip(data["weights"], data["clouds"])]  # noqa: B905
    solver = wasserstein.PairwiseEMD(R=data["R"], norm=False, num_threads=1, print_every=0, throw_on_error=True)

    def work() -> list[float]:
        solver(events)
        square = np.asarray(solver.emds())
        return [float(square[i, j]) for i, j in pairs]

    return timed(work, len(events) * (len(events) - 1) // 2)


def gudhi(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    from gudhi import bottleneck_distance  # noqa: PLC0415
    from gudhi.wasserstein import wasserstein_distance  # noqa: PLC0415

    clouds, p = data["clouds"], data["p"]
    if p == np.inf:
        return timed(lambda: [bottleneck_distance(clouds[i], clouds[j]) for i, j in pairs], len(pairs))
    work = lambda: [wasserstein_distance(clouds[i], clouds[j], order=p, internal_p=np.inf) for i, j in pairs]  # noqa: E731
    return timed(work, len(pairs))


def lapx(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    """Diagrams as an assignment: every point also has a place on the diagonal."""
    import lap  # noqa: PLC0415

    clouds, p = data["clouds"], data["p"]

    def one(x: np.ndarray, y: np.ndarray) -> float:
        costs = np.zeros((len(x) + len(y), len(x) + len(y)))
        costs[: len(x), : len(y)] = cdist(x, y, "chebyshev") ** p
        costs[: len(x), len(y) :] = ((x[:, 1] - x[:, 0]) / 2)[:, None] ** p
        costs[len(x) :, : len(y)] = ((y[:, 1] - y[:, 0]) / 2) ** p
        return float(lap.lapjv(costs)[0] ** (1 / p))

    return timed(lambda: [one(clouds[i], clouds[j]) for i, j in pairs], len(pairs))


def wwl(data: dict[str, Any], pairs: Pairs) -> tuple[float, Any]:
    from wwl.wwl import _compute_wasserstein_distance  # noqa: PLC0415

    n, is_categorical = len(data["clouds"]), data["metric"] == "hamming"
    seconds, square = timed(
        lambda: _compute_wasserstein_distance(data["clouds"], categorical=is_categorical), n * (n - 1) // 2
    )
    return seconds, [float(square[i, j]) for i, j in pairs]


if __name__ == "__main__":
    _, tool, file = sys.argv
    problems = pickle.loads(Path(file).read_bytes())
    answer = globals()[tool](problems, problems["pairs"])
    Path(file + ".json").write_text(json.dumps({"seconds": answer[0], "values": list(map(float, answer[1]))}))
