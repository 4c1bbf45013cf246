"""Train the judge of `wt.cluster` on generated families.

`python -m benchmarks.quality.train lessons FOLDER --jobs 16` partitions generated sets and keeps criteria and scores;
`learn FOLDER` learns from them: a boosted sum of small trees predicts the adjusted Rand index of a partition from its
criteria, and the same is learned without a fifth of the families at a time, which are then judged; `ship FOLDER`
chooses by these the rules and what is told, and writes the files that ship. `curves FOLDER` tells what more lessons and
deeper trees bring on families that are left out whole, and what is lost without some of the criteria. There is a judge
for up to three coordinates and one for more. Needs LightGBM.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np

from wasserstein_transform.clustering import judge as judging

from .lessons import SEEDS, Lesson, choose, features_of, lessons_of, make_lessons, read_lessons, write_lessons
from .sets import read_tables

JUDGES = ("flat_with_count", "flat_without_count", "wide_with_count", "wide_without_count")
N_FOLDS = 5  # families are left out whole in turn, a fifth of them at a time
OF_TRANSFORM = (
    "agreement of transformed", "conductance after a step", "worst conductance after a step", "purity after a step",
    "transformed edges cut", "height of transformed cuts", "lowest transformed cut", "edges cut after a step",
    "height of cuts after a step", "lowest cut after a step",
)  # fmt: skip
"""Criteria that a transform gives."""


class Setting(NamedTuple):
    """How a model is made."""

    rounds: int = 800
    depth: int = 6
    rate: float = 0.04
    objective: str = "l2"
    without: tuple[str, ...] = ()  # criteria

    def options(self) -> dict[str, Any]:
        return {
            "objective": self.objective, "learning_rate": self.rate, "max_depth": self.depth,
            "num_leaves": 2**self.depth, "min_data_in_leaf": 40, "lambda_l2": 1.0, "feature_fraction": 0.2,
            "bagging_fraction": 0.3, "bagging_freq": 1, "use_missing": False, "deterministic": True,
            "force_row_wise": True, "seed": 0, "verbose": -1,
        }  # fmt: skip


class Taught(NamedTuple):
    """Lessons with their features."""

    names: tuple[str, ...]
    lessons: list[Lesson]
    features: np.ndarray
    starts: np.ndarray
    data: lightgbm.Dataset

    @classmethod
    def of(cls, folder: Path, name: str, setting: Setting) -> Taught:
        """Read the lessons of one judge. Every set counts the same, however many partitions it has."""
        read = [read_lessons(file) for file in sorted(folder.glob(f"{name}.[0-9]*.npz"))]
        found = [one for _, some in read for one in some]
        names = tuple(one for one in read[0][0] if one not in setting.without)
        features = np.concatenate([features_of(one, read[0][0], names) for one in found])
        sizes = np.array([len(one.scores) for one in found])
        weights = np.repeat(sizes.mean() / sizes, sizes)
        scores = np.concatenate([one.scores for one in found])
        data = lightgbm.Dataset(features, scores, weight=weights, params=setting.options(), free_raw_data=False)
        return cls(names, found, features, np.cumsum([0, *sizes]), data.construct())

    def rows_of(self, chosen: np.ndarray) -> np.ndarray:
        """Which rows belong to some of the lessons."""
        return np.concatenate([np.arange(self.starts[k], self.starts[k + 1]) for k in chosen])

    def folds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Lessons to learn from and to be judged by, of other families."""
        families = sorted({one.family for one in self.lessons})
        fold = np.array([families.index(one.family) % N_FOLDS for one in self.lessons])
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(N_FOLDS)]

    def learn(self, chosen: np.ndarray, setting: Setting) -> lightgbm.Booster:
        """One model of some of the lessons."""
        return lightgbm.train(setting.options(), self.data.subset(self.rows_of(chosen)), setting.rounds)

    def judged(self, setting: Setting, share: float = 1.0) -> list[Lesson]:
        """All lessons by models that never saw their family: expected values in place of the criteria."""
        out = list(self.lessons)
        for learn, judge in self.folds():
            model = self.learn(learn[: int(share * len(learn))], setting)
            expected = model.predict(self.features[self.rows_of(judge)])
            sizes = np.diff(self.starts)[judge]
            for k, values in zip(judge, np.split(expected, np.cumsum(sizes)[:-1]), strict=True):
                out[k] = self.lessons[k]._replace(criteria=values[:, None], ends=np.zeros((2, 1)))
        return out


def learn(folder: Path, names: list[str], setting: Setting) -> None:
    """Learn, and write the arrays of the models, and what models without their family expect of the lessons."""
    for name in names:
        taught = Taught.of(folder, name, setting)
        write_lessons(("expected",), taught.judged(setting), folder / f"{name}.judged.npz")
        model = arrays_of(taught.learn(np.arange(len(taught.lessons)), setting), setting.depth)
        np.savez_compressed(folder / f"{name}.model.npz", names=np.array(taught.names), **model)
        print(f"{name}: {len(taught.lessons)} sets", flush=True)


def regrets(judged: list[Lesson], with_count: bool, rule: judging.Rule) -> np.ndarray:
    """For each set: best score less that of the choice."""
    taken = [choose(one, one.criteria[:, 0], with_count, rule)[0] for one in judged]
    best = [max(one.scores.max(), float(one.wanted == 1)) for one in judged]
    return np.array(best) - taken


def best_rule(judged: list[Lesson]) -> judging.Rule:
    """The rule with the least regret among those that find one cluster in 95 % of the sets that are one."""
    single = np.array([one.wanted == 1 for one in judged])
    found = []
    for least in np.arange(0.1, 0.75, 0.05).round(2).tolist():
        for whole in (-0.2, -0.1, 0.0, 0.1):
            for close in (0.0, 0.02, 0.05):
                rule = judging.Rule(least, whole, close)
                lost = regrets(judged, False, rule)
                false_splits = float(np.mean(lost[single] > 0)) if single.any() else 0.0
                found.append((lost.mean() + max(0.0, false_splits - 0.05), rule))
    return min(found)[1]


def rule_of(judged: list[Lesson], with_count: bool) -> judging.Rule:
    return judging.Rule(0.0, 0.0, 0.0) if with_count else best_rule(judged)


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


def ship(folder: Path, out: Path, version: int, setting: Setting, tables: Path | None, names: list[str]) -> None:
    """Choose rules and what is told, and write the files that ship; judges not named stay as they were before."""
    arrays: dict[str, Any] = {}
    card: dict[str, Any] = {"version": version, "commit": _commit(), "rounds": setting.rounds, "depth": setting.depth}
    card |= {part: {} for part in ("criteria", "rules", "sets", "of_tables", "families")}
    for name in JUDGES:
        if name in names:
            judged, with_count = read_lessons(folder / f"{name}.judged.npz")[1], name.endswith("with_count")
            rule = rule_of(judged, with_count)
            pairs = np.array([choose(one, one.criteria[:, 0], with_count, rule)[::-1] for one in judged])
            told, lost = told_of(pairs), regrets(judged, with_count, rule)
            card["families"][name], card["sets"][name] = _by_family(judged, lost, pairs, told), len(judged)
            with np.load(folder / f"{name}.model.npz") as kept:
                model = dict(kept)
            judge = judging.Judge(tuple(model.pop("names").tolist()), told=told, rule=rule, **model)
            print(f"{name}: {len(judged)} sets, regret {lost.mean():.3f}, rule {rule}", flush=True)
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


def _by_family(judged: list[Lesson], lost: np.ndarray, pairs: np.ndarray, told: np.ndarray) -> dict[str, list[float]]:
    """For each family: number of sets, regret, and the mean quality told and found where a split was chosen."""
    families = np.array([one.family for one in judged])
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


def arrays_of(model: lightgbm.Booster, depth: int) -> dict[str, Any]:
    """The trees of a model as arrays, completed to one depth."""
    trees = [_complete(one["tree_structure"], depth) for one in model.dump_model()["tree_info"]]
    features, thresholds, values = (np.array([tree[i] for tree in trees]) for i in range(3))
    single = thresholds.astype(np.float32)  # rounded down: no feature changes sides
    single = np.where(single > thresholds, np.nextafter(single, np.float32(-np.inf)), single)
    arrays = {"features": features.astype(np.int16), "thresholds": single, "values": values.astype(np.float32)}
    return arrays | {"start": np.float64(0.0)}


def _complete(root: dict[str, Any], depth: int) -> tuple[list[int], list[float], list[float]]:
    """A tree as features, thresholds and values, level by level; a leaf above the last level is repeated below."""
    features, thresholds, values = [0] * (2**depth - 1), [3e38] * (2**depth - 1), [0.0] * 2**depth
    open_ = [(root, 0)]
    while open_:
        node, at = open_.pop()
        if at >= len(features):
            values[at - len(features)] = float(node["leaf_value"])
        elif "leaf_value" in node:
            open_ += [(node, 2 * at + 1), (node, 2 * at + 2)]
        else:
            features[at], thresholds[at] = int(node["split_feature"]), float(node["threshold"])
            open_ += [(node["left_child"], 2 * at + 1), (node["right_child"], 2 * at + 2)]
    return features, thresholds, values


def curves(folder: Path, names: list[str]) -> Iterator[str]:
    """What lessons, depth, rounds and criteria bring, on families that are left out whole: mean regrets."""
    settings = [(share, Setting()) for share in (0.03, 0.06, 0.125, 0.25, 0.5, 1.0)]
    settings += [(1.0, Setting(depth=4)), (1.0, Setting(rounds=400, rate=0.08)), (1.0, Setting(rounds=1600, rate=0.02))]
    settings += [(1.0, Setting(without=OF_TRANSFORM)), (1.0, Setting(without=("stability",)))]
    for name in names:
        for share, setting in settings:
            judged, with_count = Taught.of(folder, name, setting).judged(setting, share), name.endswith("with_count")
            rule = rule_of(judged, with_count)
            lost = regrets(judged, with_count, rule)
            error = lost.std() / np.sqrt(len(lost))
            yield f"{name}: {share:.0%} of the lessons, {setting}: regret {lost.mean():.4f} ± {error:.4f}, {rule}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the judge of wt.cluster on generated sets.")
    parser.add_argument("work", choices=("lessons", "learn", "ship", "curves"))
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
    setting = Setting(asked.rounds, asked.depth)
    if asked.work == "lessons":
        for size in asked.sizes:
            make_lessons(size, asked.first, asked.sets or SEEDS[size], asked.jobs, asked.folder)
    elif asked.work == "learn":
        learn(asked.folder, asked.judges, setting)
    elif asked.work == "ship":
        ship(asked.folder, asked.out, asked.version, setting, asked.tables, asked.judges)
    else:
        for line in curves(asked.folder, asked.judges):
            print(line, flush=True)


if __name__ == "__main__":
    main()
