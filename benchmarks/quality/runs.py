"""Runs of methods on sets, kept in a folder as JSON: what is there is not run again."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import wasserstein_transform as wt

from . import peers
from .grids import Setting, settings
from .methods import ABLATIONS, METHODS, Method
from .scoring import Labels, score
from .sets import Labelled


@dataclass(frozen=True)
class Run:
    """A method at one setting on one set. Whatever failed scores 0, and says why."""

    filled: float
    own: float
    seconds: float  # of a processor, a call
    clusters: tuple[int, ...]  # found in each call
    noise: float  # share of points, the mean over calls
    error: str = ""


def key_of(setting: Setting, with_k: bool) -> str:
    """What a run is kept under."""
    return f"{'k' if with_k else 'free'} {json.dumps(setting, sort_keys=True)}"


@dataclass(frozen=True)
class Kept:
    """The folder: a file for each method and set, which is ignored if the set or the version is another."""

    folder: Path

    def read(self, method: Method, one: Labelled) -> dict[str, Run]:
        file = self._file(method, one)
        if not file.exists():
            return {}
        held = json.loads(file.read_text())
        if held["set"] != one.fingerprint or held["version"] != method.version:
            return {}
        return {key: Run(**{**run, "clusters": tuple(run["clusters"])}) for key, run in held["runs"].items()}

    def write(self, method: Method, one: Labelled, runs: dict[str, Run]) -> None:
        file = self._file(method, one)
        file.parent.mkdir(parents=True, exist_ok=True)
        held = {"set": one.fingerprint, "version": method.version, "runs": {k: asdict(v) for k, v in runs.items()}}
        part = file.with_suffix(".part")
        part.write_text(json.dumps(held, indent=1) + "\n")
        part.replace(file)

    def _file(self, method: Method, one: Labelled) -> Path:
        return self.folder / method.name.replace(", ", "-").replace(" ", "-") / f"{one.collection}-{one.name}.json"


def run_all(sets: list[Labelled], methods: list[Method], kept: Kept, jobs: int) -> Iterator[str]:
    """Do what is missing, set by set; a line for each piece of work that was done."""
    todo = [(one, method.name, kept) for one in sets for method in methods if _open(kept, method, one)]
    if jobs == 1:
        yield from (_task(*task) for task in todo)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_task, *zip(*todo, strict=True)) if todo else ()


def _open(kept: Kept, method: Method, one: Labelled) -> list[tuple[Setting, bool]]:
    held = kept.read(method, one)
    wanted = [(setting, with_k) for with_k in (True, False) for setting in asked(method, one, with_k)]
    return [(setting, with_k) for setting, with_k in wanted if key_of(setting, with_k) not in held]


def asked(method: Method, one: Labelled, with_k: bool) -> tuple[Setting, ...]:
    """The settings a method is run with. A single cluster is no question if one says that it is one."""
    if not (method.with_k if with_k else method.without_k) or (with_k and max(one.counts) == 1):
        return ()
    return settings(method.name, with_k)


def _task(one: Labelled, name: str, kept: Kept) -> str:
    method = next(method for method in (*METHODS, *ABLATIONS) if method.name == name)
    runs, start = kept.read(method, one), time.perf_counter()
    _warm_up(method)
    for setting, with_k in _open(kept, method, one):
        runs[key_of(setting, with_k)] = run(method, one, setting, with_k)
    kept.write(method, one, runs)
    return f"{one.name}: {name}, {len(runs)} runs, {time.perf_counter() - start:.1f} s"


@cache
def _warm_up(method: Method) -> None:
    """What is compiled or imported at the first call counts for nobody."""
    blob = np.arange(200) // 100
    X = np.random.default_rng(0).normal(size=(200, 2)) + 9.0 * blob[:, None]
    warm = Labelled("none", "none", X, (1 + blob,))
    for with_k in (True, False):
        if asked(method, warm, with_k):
            run(method, warm, {}, with_k)


def run(method: Method, one: Labelled, setting: Setting, with_k: bool) -> Run:
    """One call for each number of clusters of the references, or one without; on one thread, processor time."""
    if not setting:
        peers.forget()
    counts: tuple[int | None, ...] = one.counts if with_k else (None,) * len(one.references)
    start, found = time.process_time(), dict[Any, Labels]()
    try:
        with warnings.catch_warnings(), threadpool_limits(1), wt.using(n_jobs=1):
            warnings.simplefilter("ignore")
            for count in dict.fromkeys(counts):
                found[count] = method(one.X, count, **setting)
    except Exception as error:  # a failure is a result
        return Run(0.0, 0.0, time.process_time() - start, (), 0.0, f"{type(error).__name__}: {error}"[:200])
    seconds = (time.process_time() - start) / len(found)
    got = score(one.X, one.references, [found[count] for count in counts])
    clusters = tuple(len(np.unique(labels[labels >= 0])) for labels in found.values())
    noise = float(np.mean([np.mean(labels < 0) for labels in found.values()]))
    return Run(round(got.filled, 6), round(got.own, 6), round(seconds, 4), clusters, round(noise, 4))
