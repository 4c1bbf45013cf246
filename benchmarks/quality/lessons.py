"""Lessons: the partitions of generated sets by all recipes, with their criteria and their scores.

Each set is partitioned with its number of clusters given and without. Nothing of any published collection is used.
"""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.clustering import judge as judging
from wasserstein_transform.clustering.candidates import crossings, with_count, without_count
from wasserstein_transform.clustering.criteria import OF_DATA, measure
from wasserstein_transform.clustering.ground import Ground, Places
from wasserstein_transform.clustering.partitions import Partitions
from wasserstein_transform.clustering.recipes import KINDS, Candidate, Recipe
from wasserstein_transform.clustering.trees import grow
from wasserstein_transform.engine import current
from wasserstein_transform.hierarchy.labels import number_by_first

from .families import generate
from .wide_families import generate_wide

SEEDS = {"flat": 20_000, "wide": 8_000}
MOST = {"flat": 1000, "wide": 600}  # points of a set, but
EVERY = 10  # of so many sets one has all, and is looked at for shapes that cross: both take long
KEPT = 60  # partitions of a set that are learned from


class Lesson(NamedTuple):
    """What one set teaches one judge."""

    family: str
    criteria: np.ndarray  # a row for each partition
    ends: np.ndarray  # the largest and the smallest of each criterion
    scores: np.ndarray
    counts: np.ndarray
    votes: np.ndarray
    kinds: np.ndarray  # a bit for each kind of recipe that gave the partition
    wanted: int  # the true number of clusters
    best: float  # score of the best partition


Lessons = dict[str, tuple[tuple[str, ...], Lesson]]
"""What a set teaches each judge, with the names of the criteria."""


def lessons(size: str, seed: int) -> Lessons:
    """What a generated set teaches."""
    family, X, y = (generate if size == "flat" else generate_wide)(seed)
    rng = np.random.default_rng(seed)
    if seed % EVERY and len(X) > MOST[size]:
        rows = rng.choice(len(X), MOST[size], replace=False)
        X, y = X[rows], np.where(y[rows] > 0, np.unique(y[rows], return_inverse=True)[1] + 1, 0)
    return lessons_of(family, X, y, seed % EVERY == 0 or "cross" in family, rng)


def lessons_of(family: str, X: np.ndarray, y: np.ndarray, with_crossings: bool, rng: np.random.Generator) -> Lessons:
    """What a set teaches; some of the partitions are kept."""
    with wt.using(n_jobs=1):
        engine = current()
        places = Places.of(wt.Space.from_points(X), engine)
        if places.has_many_columns:
            return {}
        ground = Ground.of(places.space, engine)
        size, forest, true = "wide" if ground.views else "flat", grow(ground, engine), len(np.unique(y[y > 0]))
        found = {f"{size}_without_count": (without_count(ground, forest, engine), None)}
        if true > 1:
            found[f"{size}_with_count"] = with_count(ground, forest, true, engine), true
        out = {}
        for name, (candidates, wanted) in found.items():
            crossing = crossings(ground, wanted, engine) if with_crossings else []
            partitions = Partitions.of([*candidates, *crossing], ground.mass)
            criteria = measure(ground, forest, partitions, wanted, engine)
            names = tuple(one for one in criteria if one not in OF_DATA)
            own = np.column_stack([criteria[one] for one in names])
            scores = _scores(partitions, places.place, y)
            rows = np.sort(rng.choice(len(scores), min(len(scores), KEPT), replace=False))
            kinds = [sum({1 << KINDS.index(one.kind) for one in group}) for group in partitions.recipes]
            kept = np.column_stack([own, *(criteria[one] for one in OF_DATA)])[rows]
            ends = np.array([own.max(axis=0), own.min(axis=0)])
            by_row = [np.array(column)[rows] for column in (scores, partitions.counts, partitions.votes, kinds)]
            out[name] = names, Lesson(family, kept, ends, *by_row, true, scores.max())
        return out


def _scores(partitions: Partitions, place: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The adjusted Rand indices with the truth, without noise."""
    rows = Partitions.of([Candidate(Recipe("tree"), labels[place]) for labels in partitions.labels], np.ones(len(y)))
    told = rows.take(np.flatnonzero(y > 0))
    return told.agreement(number_by_first(y[y > 0] - 1))


_BY_PARTITION = ("criteria", "scores", "counts", "votes", "kinds")


def write_lessons(names: tuple[str, ...], found: list[Lesson], file: Path) -> None:
    """Write lessons of one judge in single precision."""
    stacked = {name: np.concatenate([getattr(one, name) for one in found]) for name in _BY_PARTITION}
    np.savez_compressed(
        file, names=np.array(names), ends=np.array([one.ends for one in found]).astype(np.float32),
        rows=[len(one.scores) for one in found], families=np.array([one.family for one in found]),
        wanted=[one.wanted for one in found], best=[one.best for one in found],
        **{name: column.astype(np.float32) for name, column in stacked.items()},
    )  # fmt: skip


def read_lessons(file: Path) -> tuple[tuple[str, ...], list[Lesson]]:
    """Read what `write_lessons` wrote."""
    with np.load(file) as arrays:
        held = dict(arrays)
    ends = np.cumsum(held["rows"])
    out = []
    for k, (start, end) in enumerate(zip(ends - held["rows"], ends, strict=True)):
        of_rows = {name: held[name][start:end] for name in _BY_PARTITION}
        more = {"ends": held["ends"][k], "wanted": int(held["wanted"][k]), "best": float(held["best"][k])}
        out.append(Lesson(family=str(held["families"][k]), **more, **of_rows))
    return tuple(held["names"].tolist()), out


def make_lessons(size: str, first: int, n: int, jobs: int, folder: Path) -> None:
    """Make and write the lessons of both judges of one size."""
    folder.mkdir(parents=True, exist_ok=True)
    lessons(size, 0)  # compile once
    start, found, names = time.perf_counter(), dict[str, list[Lesson]](), dict[str, tuple[str, ...]]()
    with ProcessPoolExecutor(jobs) as pool:
        for taught in pool.map(lessons, [size] * n, range(first, first + n), chunksize=4):
            for name, (own, lesson) in taught.items():
                if name.startswith(size):  # a set of few columns may span fewer
                    names[name] = own
                    found.setdefault(name, []).append(lesson)
    for name, some in found.items():
        write_lessons(names[name], some, folder / f"{name}.{first}.npz")
    print(f"{size}: {n} sets in {time.perf_counter() - start:.0f} s", flush=True)


def features_of(lesson: Lesson, measured: tuple[str, ...], asked: tuple[str, ...] = ()) -> np.ndarray:
    """What a judge sees of the partitions of a set, if it asks for all criteria or some of them."""
    asked = asked or measured
    criteria = dict(zip([*measured, *OF_DATA], lesson.criteria.T, strict=True))
    ends = lesson.ends[:, [measured.index(name) for name in asked]]
    return judging.features_of(criteria, asked, ends).round(7).astype(np.float32)


def choose(lesson: Lesson, expected: np.ndarray, with_count: bool, rule: judging.Rule) -> tuple[float, float]:
    """The score of the chosen partition, and its expected value; that of one cluster is NaN."""
    if with_count:
        fitting = np.where(lesson.counts <= lesson.wanted, expected, -np.inf)
        at = int(fitting.argmax())
        return float(lesson.scores[at]), float(expected[at])
    chosen = rule.choose(expected, lesson.counts, lesson.votes)
    if chosen is not None:
        return float(lesson.scores[chosen]), float(expected[chosen])
    return float(lesson.wanted == 1), float("nan")
