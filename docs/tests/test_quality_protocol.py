"""The protocol of `benchmarks/quality`: scores, halves, intervals, labelled sets."""

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality import split
from benchmarks.quality.intervals import paired_interval
from benchmarks.quality.peers import by_sample
from benchmarks.quality.scoring import fill, rand, score
from benchmarks.quality.sets import Labelled, read_folder, sklearn_sets

HALVES = json.loads(Path(split.__file__).with_name("split.json").read_text())["halves"]


def _line(*places):
    return np.array(places, float)[:, None]


def test_points_that_are_noise_in_the_reference_do_not_count():
    reference = np.array([1, 1, 2, 2, 0, 0])
    assert rand(reference, np.array([5, 5, 7, 7, 5, 7])) == 1.0
    assert rand(reference, np.array([5, 5, 5, 5, 7, 7])) == 0.0


def test_noise_is_filled_from_the_nearest_clustered_point():
    X = _line(0, 1, 2, 10, 11, 14)
    np.testing.assert_array_equal(fill(X, np.array([3, 3, -1, 4, -1, -1])), [3, 3, 3, 4, 4, 4])
    np.testing.assert_array_equal(fill(X, np.full(6, -1)), np.zeros(6))


def test_noise_as_a_class_of_its_own_costs_what_it_takes_from_clusters():
    X, reference = _line(0, 1, 2, 10, 11, 12), np.array([1, 1, 1, 2, 2, 2])
    got = score(X, [reference], [np.array([0, 0, -1, 1, 1, -1])])
    assert got.filled == 1.0
    assert got.own == pytest.approx(rand(reference, np.array([0, 0, 9, 1, 1, 9])))
    assert got.own < 1.0


def test_score_is_the_best_over_references_each_with_its_own_prediction():
    X = _line(0, 1, 10, 11)
    two, one = np.array([1, 1, 2, 2]), np.array([1, 2, 3, 4])
    assert score(X, [two, one], [np.array([0, 1, 0, 1]), np.array([0, 1, 2, 3])]).filled == 1.0
    with pytest.raises(ValueError, match="zip"):
        score(X, [two, one], [two])


def test_families_stay_together():
    sets = [
        (name, family, half) for half, families in HALVES.items() for family in families for name in families[family]
    ]
    assert all(split.family_of(name) == family and split.half_of(family) == half for name, family, half in sets)
    assert not HALVES["A"].keys() & HALVES["B"].keys()
    assert len({name for name, _, _ in sets}) == len(sets) == 61
    for family in ("a", "s", "mk", "x", "z"):
        assert len(HALVES[split.half_of(family)][family]) >= 3


def test_halves_come_from_names_alone_by_the_rule_that_is_written_down():
    sizes = {family: len(names) for families in HALVES.values() for family, names in families.items()}
    count, halves = {"A": 0, "B": 0}, {"A": set(), "B": set()}
    for family in sorted(sizes, key=lambda name: hashlib.sha256(name.encode()).hexdigest()):
        half = "A" if count["A"] <= count["B"] else "B"
        count[half] += sizes[family]
        halves[half].add(family)
    assert halves == {half: set(families) for half, families in HALVES.items()}


@pytest.mark.parametrize(
    ("name", "family"), [("a12", "a"), ("ring_noisy", "ring"), ("Blobs-seed3", "blobs"), ("3", "3")]
)
def test_a_family_is_the_name_up_to_what_is_no_letter(name, family):
    assert split.family_of(name) == family


def test_families_that_are_not_listed_fall_into_both_halves():
    halves = [split.half_of(f"unheard of {k}") for k in range(40)]
    assert halves == [split.half_of(f"unheard of {k}") for k in range(40)]
    assert 5 < halves.count("A") < 35


def test_interval_of_a_constant_difference_is_a_point():
    interval = paired_interval([0.5, 0.75, 1.0], [0.25, 0.5, 0.75])
    assert (interval.mean, interval.low, interval.high) == (0.25, 0.25, 0.25)
    assert interval.excludes_zero
    assert str(interval) == "+0.250 [+0.250, +0.250]"
    assert not paired_interval([0.5, 0.5], [0.5, 0.5]).excludes_zero


def test_interval_is_that_of_the_mean_where_theory_knows_it():
    scores = np.random.default_rng(5).normal(0.3, 1.0, size=400)
    interval = paired_interval(scores, np.zeros(400))
    half = 1.96 * scores.std() / 20
    assert interval.low == pytest.approx(scores.mean() - half, abs=0.01)
    assert interval.high == pytest.approx(scores.mean() + half, abs=0.01)
    assert interval == paired_interval(scores, np.zeros(400))


def test_interval_is_paired():
    hard = np.linspace(0, 1, 30)
    assert paired_interval(hard + 0.01, hard).excludes_zero


def test_interval_refuses_what_is_no_list_of_scores():
    with pytest.raises(ValueError, match="one score for each set is needed"):
        paired_interval([], [])


def _write(file, rows):
    file.parent.mkdir(exist_ok=True)
    with gzip.open(file, "wt") as stream:
        stream.write("\n".join(" ".join(map(str, np.atleast_1d(row))) for row in rows))


def test_folders_are_read_with_all_references(tmp_path):
    _write(tmp_path / "one" / "b1.data.gz", [[0.0, 1.0], [2.0, 3.0], [4.0, 5.5]])
    _write(tmp_path / "one" / "b1.labels0.gz", [1, 1, 2])
    _write(tmp_path / "one" / "b1.labels1.gz", [1, 0, 0])
    _write(tmp_path / "two" / "a.data.gz", [0.5, 1.5])
    _write(tmp_path / "two" / "a.labels0.gz", [1, 2])
    first, second = read_folder(tmp_path)
    assert (first.name, second.name, second.family, second.collection) == ("a", "b1", "b", tmp_path.name)
    assert first.X.shape == (2, 1)
    np.testing.assert_array_equal(second.X[2], [4.0, 5.5])
    assert second.counts == (2, 1)
    assert first.fingerprint != second.fingerprint


def test_a_folder_without_sets_or_labels_says_so(tmp_path):
    with pytest.raises(SystemExit, match="holds no file"):
        read_folder(tmp_path)
    _write(tmp_path / "one" / "b.data.gz", [[0.0, 1.0]])
    with pytest.raises(SystemExit, match=r"b.labels0.gz is needed"):
        read_folder(tmp_path)


def test_each_point_needs_a_label():
    with pytest.raises(ValueError, match="3 points and 2 labels"):
        Labelled("some", "short", np.zeros((3, 2)), (np.array([1, 2]),))


def test_sets_of_sklearn_are_scaled():
    for one in sklearn_sets():
        assert one.X.std(axis=0).max() == pytest.approx(1.0)
        assert one.references[0].min() == 1


def test_labels_of_a_sample_go_to_the_nearest_points():
    X = np.r_[np.random.default_rng(0).normal(size=(50, 2)), 20 + np.random.default_rng(1).normal(size=(50, 2))]
    found = by_sample(lambda points, k: (points[:, 0] > 10).astype(int), 10, X, 2)
    np.testing.assert_array_equal(found, np.repeat([0, 1], 50))
