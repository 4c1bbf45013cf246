"""Train the judge of `wt.cluster` on generated families.

`python -m benchmarks.quality.train lessons FOLDER --jobs 16` partitions generated sets by all recipes, with the number
of clusters given and without, and keeps criteria and scores; `python -m benchmarks.quality.train fit FOLDER` learns
from them and writes the files that ship: a boosted sum of small trees predicts the adjusted Rand index of a partition
from its criteria. `python -m benchmarks.quality.train curves FOLDER` tells what more lessons and deeper trees bring on
families that are left out whole, and what is lost without some of the criteria. There is a judge for up to three
coordinates and one for more. Nothing of any published collection is used.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

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
from .sets import read_tables
from .wide_families import generate_wide

SEEDS = {"flat": 20_000, "wide": 8_000}
JUDGES = ("flat_with_count", "flat_without_count", "wide_with_count", "wide_without_count")
MOST = {"flat": 1000, "wide": 600}  # points of a set, but
EVERY = 10  # of so many sets one has all, and is looked at for shapes that cross: both take long
N_VALUES = 250  # of a feature, that are told apart
KEPT = 80  # partitions of a set that are learned from
N_FOLDS = 5  # families are left out whole in turn, a fifth of them at a time
SOME = 0.2  # share of the features that are tried at each node
OF_TRANSFORM = (
    "agreement of transformed", "conductance after a step", "worst conductance after a step", "purity after a step",
    "transformed edges cut", "height of transformed cuts", "lowest transformed cut", "edges cut after a step",
    "height of cuts after a step", "lowest cut after a step",
)  # fmt: skip
"""Criteria that a transform gives."""


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


class Setting(NamedTuple):
    """How a model is made."""

    rounds: int = 400
    depth: int = 5
    without: tuple[str, ...] = ()  # criteria


class Taught(NamedTuple):
    """Lessons with their features."""

    names: tuple[str, ...]
    lessons: list[Lesson]
    features: np.ndarray
    starts: np.ndarray
    edges: list[np.ndarray]

    @classmethod
    def of(cls, folder: Path, name: str, share: float = 1.0) -> Taught:
        """Read the lessons of one judge."""
        read = [read_lessons(file) for file in sorted(folder.glob(f"{name}.*.npz"))]
        names, found = read[0][0], [one for _, some in read for one in some]
        found = found[: int(share * len(found))]
        features = [features_of(one, names) for one in found]
        columns, edges = np.concatenate(features).T, []
        for column in columns:  # rounded up to one of few values: to find them by weights takes scikit-learn long
            edges.append(np.unique(np.quantile(column, np.linspace(0, 1, N_VALUES), method="inverted_cdf")))
            column[:] = edges[-1][np.searchsorted(edges[-1], column)]
        return cls(names, found, np.ascontiguousarray(columns.T), np.cumsum([0, *map(len, features)]), edges)

    def rows_of(self, chosen: np.ndarray) -> np.ndarray:
        """Which rows belong to some of the lessons."""
        return np.concatenate([np.arange(self.starts[k], self.starts[k + 1]) for k in chosen])

    def folds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Lessons to learn from and to be judged by, of other families."""
        families = sorted({one.family for one in self.lessons})
        fold = np.array([families.index(one.family) % N_FOLDS for one in self.lessons])
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(N_FOLDS)]

    def columns(self, without: tuple[str, ...]) -> np.ndarray:
        """Which features are not made of some criteria."""
        kept = [name not in without for name in self.names]
        return np.flatnonzero([*kept * 3, *[True] * len(OF_DATA)])

    def learn(self, chosen: np.ndarray, setting: Setting) -> HistGradientBoostingRegressor:
        """One model. Every set counts the same, however many partitions it has."""
        rows = self.rows_of(chosen)
        weights = np.concatenate(
            [np.full(len(self.lessons[k].scores), 1 / len(self.lessons[k].scores)) for k in chosen]
        )
        model = HistGradientBoostingRegressor(
            max_iter=setting.rounds, learning_rate=0.08, max_depth=setting.depth, max_leaf_nodes=2**setting.depth,
            min_samples_leaf=40, l2_regularization=1.0, max_features=SOME, early_stopping=False, random_state=0,
        )  # fmt: skip
        scores = np.concatenate([self.lessons[k].scores for k in chosen])
        return model.fit(self.features[np.ix_(rows, self.columns(setting.without))], scores, weights)

    def expected(self, model: HistGradientBoostingRegressor, chosen: np.ndarray, setting: Setting) -> list[np.ndarray]:
        """The expected values of the partitions of some lessons."""
        found = model.predict(self.features[np.ix_(self.rows_of(chosen), self.columns(setting.without))])
        return np.split(found, np.cumsum([len(self.lessons[k].scores) for k in chosen])[:-1])


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


def left_out(taught: Taught, setting: Setting, share: float = 1.0) -> list[tuple[int, np.ndarray]]:
    """Expected values of all lessons by models that never saw their family."""
    out = []
    for learn, judged in taught.folds():
        model = taught.learn(learn[: int(share * len(learn))], setting)
        out += list(zip(judged.tolist(), taught.expected(model, judged, setting), strict=True))
    return sorted(out, key=lambda one: one[0])


def regrets(taught: Taught, expected: list[tuple[int, np.ndarray]], with_count: bool, rule: judging.Rule) -> np.ndarray:
    """For each set: best score less that of the choice."""
    taken = [choose(taught.lessons[k], values, with_count, rule)[0] for k, values in expected]
    best = [max(taught.lessons[k].scores.max(), float(taught.lessons[k].wanted == 1)) for k, _ in expected]
    return np.array(best) - taken


def best_rule(taught: Taught, expected: list[tuple[int, np.ndarray]]) -> judging.Rule:
    """The rule with the least regret among those that find one cluster in 95 % of the sets that are one."""
    single = np.array([taught.lessons[k].wanted == 1 for k, _ in expected])
    found = []
    for least in (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5):
        for whole in (-0.1, 0.0, 0.1):
            for close in (0.0, 0.02, 0.05):
                rule = judging.Rule(least, whole, close)
                lost = regrets(taught, expected, False, rule)
                false_splits = float(np.mean(lost[single] > 0)) if single.any() else 0.0
                found.append((lost.mean() + max(0.0, false_splits - 0.05), rule))
    return min(found)[1]


def told_of(pairs: np.ndarray) -> np.ndarray:
    """Knots of the expected values of choices, and the scores of those near them, ascending."""
    x, y = pairs[~np.isnan(pairs[:, 0])].T
    knots = np.unique(np.quantile(x, np.linspace(0, 1, 12)).round(3))
    near = [y[np.argsort(np.abs(x - knot))[: max(40, len(x) // 15)]].mean() for knot in knots]
    low = min(0.0, float(knots[0]) - 0.2)
    return np.array([[low, *knots], [0.0, *np.maximum.accumulate(near).round(3)]])


def of_tables(folder: Path, name: str, judge: judging.Judge) -> np.ndarray:
    """Expected value and score of the choice on each real table of half A: classes are not always clusters."""
    pairs = []
    for table in read_tables(folder):
        found = lessons_of(table.name, table.X, table.references[0], False, np.random.default_rng(0))
        if table.half == "A" and name in found:
            measured, lesson = found[name]
            expected = judge.of_features(features_of(lesson, measured, judge.names))
            pairs.append(choose(lesson, expected, name.endswith("with_count"), judge.rule)[::-1])
    return np.array(pairs)


def fit(folder: Path, out: Path, version: int, setting: Setting, tables: Path | None, names: list[str]) -> None:
    """Learn judges, choose their rules, and write the files that ship; those not named stay as they were before."""
    arrays: dict[str, Any] = {}
    card: dict[str, Any] = {"version": version, "commit": _commit(), "rounds": setting.rounds, "depth": setting.depth}
    card |= {part: {} for part in ("criteria", "rules", "sets", "of_tables", "families")}
    for name in JUDGES:
        if name in names:
            taught, with_count = Taught.of(folder, name), name.endswith("with_count")
            expected = left_out(taught, setting)
            rule = judging.Rule(0.0, 0.0, 0.0) if with_count else best_rule(taught, expected)
            pairs = np.array([choose(taught.lessons[k], values, with_count, rule)[::-1] for k, values in expected])
            told, lost = told_of(pairs), regrets(taught, expected, with_count, rule)
            card["families"][name], card["sets"][name] = _by_family(taught, lost, pairs, told), len(taught.lessons)
            model = _arrays_of(taught.learn(np.arange(len(taught.lessons)), setting), setting.depth, taught.edges)
            judge = judging.Judge(taught.names, told=told, rule=rule, **model)
            print(f"{name}: {len(taught.lessons)} sets, regret {lost.mean():.3f}, rule {rule}", flush=True)
        else:
            judge, card["sets"][name] = judging.Judge.of(name, version - 1), f"as in version {version - 1}"
        if tables is not None and name.startswith("wide"):
            real = of_tables(tables, name, judge)
            real = real[~np.isnan(real[:, 0])]
            power = power_of(judge.tell(real[:, 0]), float(real[:, 1].mean()))
            card["of_tables"][name] = [len(real), round(power, 2)]
            judge = replace(judge, told=np.array([judge.told[0], np.maximum(judge.told[1], 0.0) ** power]))
        card["criteria"][name], card["rules"][name] = list(judge.names), list(judge.rule)
        for part in ("start", "features", "thresholds", "values", "told"):
            arrays[f"{name}.{part}"] = getattr(judge, part)
    out.mkdir(exist_ok=True)
    np.savez_compressed(out / f"{version}.npz", **arrays)
    (out / f"{version}.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")


def power_of(told: np.ndarray, mean: float) -> float:
    """The power, at least 1, that brings the mean of what is told down to what was found; 0 and 1 stay."""
    powers = np.linspace(1.0, 5.0, 401)
    return float(powers[np.abs((np.maximum(told, 0.0) ** powers[:, None]).mean(axis=1) - mean).argmin()])


def _by_family(taught: Taught, lost: np.ndarray, pairs: np.ndarray, told: np.ndarray) -> dict[str, list[float]]:
    """For each family: number of sets, regret, and the mean quality told and found where a split was chosen."""
    families = np.array([one.family for one in taught.lessons])
    out = {}
    for family in np.unique(families):
        own = families == family
        split = own & ~np.isnan(pairs[:, 0])
        values = [own.sum(), lost[own].mean()]
        if split.any():
            values += [np.interp(pairs[split, 0], *told).mean(), pairs[split, 1].mean()]
        out[str(family)] = [round(float(value), 3) for value in values]
    return out


def _commit() -> str:
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip()


def _arrays_of(model: HistGradientBoostingRegressor, depth: int, edges: list[np.ndarray]) -> dict[str, Any]:
    trees = [_complete(predictor.nodes, depth) for (predictor,) in model._predictors]
    features, thresholds, values = (np.array([tree[i] for tree in trees]) for i in range(3))
    for at in np.ndindex(features.shape):  # a threshold lies between two values, of which the lower goes left
        below = np.searchsorted(edges[features[at]], thresholds[at], "right") - 1
        thresholds[at] = edges[features[at]][below] if thresholds[at] < 1e38 else 3e38
    start = np.float64(np.ravel(model._baseline_prediction)[0])
    arrays = {"features": features.astype(np.int16), "thresholds": thresholds.astype(np.float32)}
    return arrays | {"start": start, "values": values.astype(np.float32)}


def _complete(nodes: np.ndarray, depth: int) -> tuple[list[int], list[float], list[float]]:
    """A tree as features, thresholds and values, level by level; a leaf above the last level is repeated below."""
    features, thresholds, values = [0] * (2**depth - 1), [3e38] * (2**depth - 1), [0.0] * 2**depth
    open_ = [(0, 0)]
    while open_:
        node, at = open_.pop()
        if at >= len(features):
            values[at - len(features)] = float(nodes[node]["value"])
        elif nodes[node]["is_leaf"]:
            open_ += [(node, 2 * at + 1), (node, 2 * at + 2)]
        else:
            features[at], thresholds[at] = int(nodes[node]["feature_idx"]), float(nodes[node]["num_threshold"])
            open_ += [(int(nodes[node]["left"]), 2 * at + 1), (int(nodes[node]["right"]), 2 * at + 2)]
    return features, thresholds, values


def curves(folder: Path, names: list[str]) -> Iterator[str]:
    """What lessons, depth, rounds and criteria bring, on families that are left out whole: mean regrets."""
    settings = [(0.25, Setting()), (0.5, Setting()), (1.0, Setting()), (1.0, Setting(depth=4)), (1.0, Setting(depth=6))]
    settings += [(1.0, Setting(rounds=200)), (1.0, Setting(rounds=800))]
    settings += [(1.0, Setting(without=OF_TRANSFORM)), (1.0, Setting(without=("stability",)))]
    for name in names:
        taught, with_count = Taught.of(folder, name), name.endswith("with_count")
        for share, setting in settings:
            expected = left_out(taught, setting, share)
            rule = judging.Rule(0.0, 0.0, 0.0) if with_count else best_rule(taught, expected)
            lost = regrets(taught, expected, with_count, rule)
            error = lost.std() / np.sqrt(len(lost))
            yield f"{name}: {share:.0%} of the lessons, {setting}: regret {lost.mean():.4f} ± {error:.4f}, {rule}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the judge of wt.cluster on generated sets.")
    parser.add_argument("work", choices=("lessons", "fit", "curves"))
    parser.add_argument("folder", type=Path, help="of lessons")
    parser.add_argument("--sizes", nargs="+", default=list(SEEDS), choices=list(SEEDS))
    parser.add_argument("--judges", nargs="+", default=list(JUDGES), choices=JUDGES)
    parser.add_argument("--first", type=int, default=0, help="seed (%(default)s)")
    parser.add_argument("--sets", type=int, help="number of them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tables", type=Path, help="labeled tables: what is told of choices is found there on half A")
    parser.add_argument("--rounds", type=int, default=Setting().rounds)
    parser.add_argument("--depth", type=int, default=Setting().depth)
    parser.add_argument("--version", type=int, default=judging.NEWEST)
    parser.add_argument("--out", type=Path, default=Path(judging.__file__).with_name("judges"))
    asked = parser.parse_args()
    if asked.work == "lessons":
        for size in asked.sizes:
            make_lessons(size, asked.first, asked.sets or SEEDS[size], asked.jobs, asked.folder)
    elif asked.work == "fit":
        fit(asked.folder, asked.out, asked.version, Setting(asked.rounds, asked.depth), asked.tables, asked.judges)
    else:
        for line in curves(asked.folder, asked.judges):
            print(line, flush=True)


if __name__ == "__main__":
    main()
