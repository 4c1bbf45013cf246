"""Strong and weak scaling on worker processes of Dask, against threads: `python -m benchmarks scale=1,2`.

Each number of workers is measured in its own process: one warm-up run, then the better of two. Strong scaling: LT-WT
of 1,500 points, and local LT-WT of 20,000 points up to a distance of ε. Weak scaling: the same work for each worker.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from .timing import Row

_CHILD = """
import json, sys, time
import numpy as np, wasserstein_transform as wt

def lt(n, engine):
    space = wt.Space.from_points(np.random.default_rng(0).normal(size=(n, 2)))
    begun = time.perf_counter()
    wt.iterate(wt.transforms.local_truncation(0.2 * (1500 / n) ** 0.5), space, n_iter=1, engine=engine)
    return time.perf_counter() - begun

def local(n, engine):
    space = wt.Space.from_points(np.random.default_rng(0).random((n, 2)))
    eps = float((18 / n / np.pi) ** 0.5)
    begun = time.perf_counter()
    wt.transforms.iterate_locally(wt.transforms.local_truncation(eps), space, eps, engine=engine)
    return time.perf_counter() - begun

def main():
    kind, n_workers = sys.argv[1], int(sys.argv[2])
    if kind == "threads":
        measured(wt.Engine(n_jobs=n_workers), None, n_workers)
        return
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=None) as cluster:
        with Client(cluster) as client:
            client.wait_for_workers(n_workers)
            measured(wt.Engine(n_jobs=1, client=client), client, n_workers)

def measured(engine, client, n_workers):
    lt(800, engine)
    local(1000, engine)
    out = {"lt": min(lt(1500, engine) for _ in range(2))}
    if client:
        from distributed import get_task_stream
        with get_task_stream(client) as stream:
            lt(1500, engine)
        out["lt bytes"] = sum(task["nbytes"] for task in stream.data)
        out["lt messages"] = len(stream.data)
    out["local"] = local(20_000, engine)
    out["lt weak"] = lt(int(1500 * n_workers**0.5), engine)
    print(json.dumps(out))

if __name__ == "__main__":
    main()
"""


def run(workers: str = "1,2") -> list[Row]:
    numbers = [int(word) for word in workers.split(",")]
    rows = []
    for kind in ("threads", "workers"):
        first: dict[str, Any] | None = None
        for n in numbers:
            one = _measured(kind, n)
            first = first or one
            who = f"{n} {kind[:-1]}{'s' * (n > 1)}"
            new = [
                Row(f"LT-WT of 1,500 points, {who}", f"{one['lt']:.2f} s", f"as much for each: {one['lt weak']:.2f} s",
                    f"{first['lt'] / one['lt']:.2f}×, weak {first['lt weak'] / one['lt weak']:.2f}{_moved(one)}"),
                Row(f"local LT-WT of 20,000 points, {who}", f"{one['local']:.2f} s", "",
                    f"{first['local'] / one['local']:.2f}×"),
            ]  # fmt: skip
            rows += new
            for row in new:  # the largest take minutes
                print(" | ".join(row), file=sys.stderr, flush=True)
    return rows


def _moved(one: dict[str, float]) -> str:
    if "lt bytes" not in one:
        return ""
    return f"; {one['lt messages']:.0f} messages, {one['lt bytes'] / 1e6:.1f} MB"


def _measured(kind: str, n: int) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-c", _CHILD, kind, str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))
