"""Runs of `benchmarks/quality`: kept, cross-fitted, tabled."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.quality import command, grids, runs, tables
from benchmarks.quality.lines import choose, lines_of
from benchmarks.quality.methods import METHODS, Method
from benchmarks.quality.runs import Kept, Run, asked, key_of, run, run_all
from benchmarks.quality.sets import Labelled

CALLS = []


def _first_column(X, k, shift=0.0):
    """Two clusters at the sign of the first column, moved: some settings suit some sets."""
    CALLS.append((len(X), k, shift))
    return (X[:, 0] > shift).astype(int)


def _failing(X, k):
    raise RuntimeError("no luck")


@pytest.fixture
def method(monkeypatch):
    one = Method("toy", _first_column, without_k=True)
    monkeypatch.setattr(runs, "METHODS", (one,))
    monkeypatch.setitem(grids.WITH_K, "toy", ({}, {"shift": 5.0}))
    CALLS.clear()
    return one


def _set(name, border):
    """Two clusters left and right of a border; noise at its side that does not count."""
    X = np.c_[border + np.r_[-2.0, -1.0, 1.0, 2.0, 0.5], np.zeros(5)]
    return Labelled("some", name, X, (np.array([1, 1, 2, 2, 0]),))


@pytest.fixture
def sets():
    """`a` is of half B, `s` of half A."""
    return [_set("a1", 0.0), _set("a2", 0.0), _set("s1", 5.0)]


@pytest.fixture
def many():
    """Twelve sets of half B, ten of half A."""
    return [*(_set(f"a{k}", 0.0) for k in range(12)), *(_set(f"s{k}", 5.0) for k in range(10))]


def test_what_is_kept_is_not_run_again(method, sets, tmp_path):
    kept = Kept(tmp_path)
    assert len(list(run_all(sets, [method], kept, 1))) == 3
    n_calls = len(CALLS)
    assert list(run_all(sets, [method], kept, 1)) == []
    assert len(CALLS) == n_calls
    moved = replace(sets[0], X=sets[0].X + 1)
    (line,) = run_all([moved, *sets[1:]], [method], kept, 1)
    assert line.startswith("a1: toy, 3 runs")


def test_a_new_setting_is_all_that_is_run(method, sets, tmp_path, monkeypatch):
    kept = Kept(tmp_path)
    list(run_all(sets, [method], kept, 1))
    CALLS.clear()
    monkeypatch.setitem(grids.WITH_K, "toy", ({}, {"shift": 5.0}, {"shift": 7.0}))
    list(run_all(sets, [method], kept, 1))
    assert [shift for _, _, shift in CALLS] == [7.0, 7.0, 7.0]


def test_another_version_is_run_anew(method, sets, tmp_path):
    kept = Kept(tmp_path)
    list(run_all(sets, [method], kept, 1))
    other = replace(method, needs="numpy")
    assert kept.read(method, sets[0])
    assert not kept.read(other, sets[0])


def test_a_failure_scores_zero_and_says_why(sets):
    got = run(Method("bad", _failing), sets[0], {}, True)
    assert (got.filled, got.own, got.error) == (0.0, 0.0, "RuntimeError: no luck")


def test_each_reference_gives_its_own_number_of_clusters(method, sets):
    two = replace(sets[0], references=(*sets[0].references, np.array([1, 2, 3, 3, 3])))
    run(method, two, {}, True)
    assert [k for _, k, _ in CALLS] == [2, 3]
    CALLS.clear()
    run(method, two, {}, False)
    assert [k for _, k, _ in CALLS] == [None]


def test_one_cluster_is_a_question_only_if_the_number_is_not_given(method):
    one = Labelled("some", "one", np.zeros((4, 2)), (np.ones(4, int),))
    assert asked(method, one, True) == ()
    assert asked(method, one, False) == ({},)


def test_a_setting_is_chosen_on_the_other_half(method, many, tmp_path):
    """On a* the first setting is right, on s* the second: each half gets the wrong one."""
    kept = Kept(tmp_path)
    list(run_all(many, [method], kept, 1))
    plain, crossed = lines_of(method, many, kept, True)
    np.testing.assert_array_equal(plain.filled, np.repeat([1.0, 0.0], [12, 10]))
    np.testing.assert_array_equal(crossed.filled, np.zeros(22))
    assert crossed.setting == "best of 2 on the other half (A: defaults; B: shift=5.0)"
    assert plain.setting == "defaults; best of 2, in sample (defaults)"
    assert plain.half("B").mean() == 1.0
    assert [line.setting for line in lines_of(method, many, kept, False)] == ["defaults"]


def test_nothing_is_chosen_on_few_sets(method, sets, tmp_path):
    kept = Kept(tmp_path)
    list(run_all(sets, [method], kept, 1))
    assert [line.setting for line in lines_of(method, sets, kept, True)] == ["defaults"]


def test_of_equal_settings_the_first_is_chosen():
    assert choose(np.array([[0.5, 0.5], [0.0, 1.0]])) == 0
    assert choose(np.empty((2, 0))) == 0


def test_a_method_that_was_not_run_on_all_sets_has_no_line(method, sets, tmp_path):
    kept = Kept(tmp_path)
    list(run_all(sets[:2], [method], kept, 1))
    assert lines_of(method, sets, kept, True) == []
    assert tables.table("some", sets, [method], kept, True) is None


def test_the_table_counts_and_compares(sets, tmp_path):
    kept = Kept(tmp_path)
    ours, reference = (Method(name, _first_column) for name in (tables.OURS, tables.REFERENCE))
    for method, scores in ((ours, (1.0, 0.9, 0.7)), (reference, (0.5, 0.4, 0.2))):
        for one, value in zip(sets, scores, strict=True):
            settings = grids.WITH_K.get(method.name, ({},))
            kept.write(method, one, {key_of(s, True): Run(value, value, 0.1, (2,), 0.0) for s in settings})
    found = tables.table("some", sets, [reference, ours], kept, True)
    assert found is not None
    text = tables.markdown(found)
    assert "some: 3 sets, number of clusters given" in text
    assert "| ours | defaults | 0.867 | 0.700 | 0.950 | 0.900 | 1 | – | 0.1, at most 0.1 | +0.500 [" in text
    assert "| raw tree | defaults | 0.367 | 0.200 | 0.450 | 0.400 | 3 |" in text


def test_methods_that_are_not_installed_are_named():
    gone = Method("gone", _first_column, "gone-away", "gone_away_nowhere")
    assert gone.missing
    assert "it is not installed: gone (gone-away)" in tables.notes([], [gone], {})


def test_every_grid_begins_with_a_method_as_it_comes_and_repeats_nothing():
    names = {method.name for method in METHODS}
    for grid in (grids.WITH_K, grids.WITHOUT_K):
        assert grid.keys() <= names
        for settings in grid.values():
            assert settings[0] == {}
            assert len({key_of(setting, True) for setting in settings}) == len(settings)


def test_the_command_runs_what_is_installed(tmp_path, capsys):
    command.main(
        [
            "--methods",
            "Ward",
            "raw tree",
            "--cache",
            str(tmp_path),
            "--scores",
            str(tmp_path / "a.csv"),
            "--record",
            str(tmp_path / "clustering.json"),
            "--seeds",
        ]
    )
    told = capsys.readouterr()
    assert "scikit-learn: 4 sets, number of clusters given" in told.out
    assert "iris: Ward, 1 runs" in told.err
    record = json.loads((tmp_path / "clustering.json").read_text("utf-8"))
    assert [table["title"] for table in record["tables"]] == ["scikit-learn: 4 sets, number of clusters given"]
    assert [row[0] for row in record["tables"][0]["rows"]] == ["Ward", "raw tree"]
    with (tmp_path / "a.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4 * (1 + len(grids.WITH_K["raw tree"]))
    assert {row["method"] for row in rows if row["set"] == "iris"} == {"Ward", "raw tree"}
    with pytest.raises(SystemExit, match="no method Wart; there are"):
        command.main(["--methods", "Wart"])
