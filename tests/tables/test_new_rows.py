"""New rows are read by what their cells mean, and what cannot be read is missing; also dates, names, units, degrees."""

from __future__ import annotations

import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import wasserstein_transform as wt
from wasserstein_transform.tables import features
from wasserstein_transform.tables.roles import unit_in_name

N = 60
GROUPS = np.repeat([0.0, 8.0, 16.0], 20) + np.random.default_rng(0).normal(size=N)
TRUTH = np.resize([True, False, False], N)


def with_flag(flag: object) -> pd.DataFrame:
    return pd.DataFrame({"flag": flag, "v": GROUPS})


def words(yes: object, no: object) -> list[object]:
    return [yes if one else no for one in TRUTH]


@pytest.mark.parametrize("fitted", [(True, False), (1, 0), ("yes", "no"), ("True", "False"), ("on", "off"), (1.0, 0.0)])
@pytest.mark.parametrize(
    "new", [(True, False), (1, 0), ("Yes", "No"), ("t", "f"), ("1", "0"), (1.0, 0.0), ("ja", "nein")]
)
def test_truth_is_read_however_it_is_spelled(fitted: tuple[object, object], new: tuple[object, object]) -> None:
    found = features(with_flag(words(*fitted)))
    read = found.transform(with_flag(words(*new)))
    np.testing.assert_array_equal(read, found.matrix())


def test_what_is_neither_true_nor_false_is_missing() -> None:
    found = wt.cluster(with_flag(words(1, 0)), 3)
    new = with_flag(words(1.0, 0.0))
    new.loc[4, "flag"] = 0.5  # the others remain what they are
    with pytest.warns(UserWarning, match=r"^1 cell of X cannot be read .* count as missing: '0.5' in column flag$"):
        labels = found.predict(new)
    assert labels[4] == -1
    np.testing.assert_array_equal(np.delete(labels, 4), np.delete(found.labels, 4))
    with pytest.warns(UserWarning, match="'maybe' in column flag"):
        assert found.predict(with_flag(["maybe", *words(1, 0)[1:]]))[0] == -1


def test_women_are_not_untrue() -> None:
    found = features(with_flag(words("female", "male")))
    with pytest.warns(UserWarning, match="60 cells of X cannot be read"):
        assert np.isnan(found.transform(with_flag(words("yes", "no")))[:, 0]).all()
    np.testing.assert_array_equal(found.transform(with_flag(words("f", "m"))), found.matrix())


@pytest.mark.parametrize(
    ("fitted", "new", "read"),
    [
        ("{:.1f} kg", ["20000 g", "20 lb", "20 kg", "20"], [np.nan, np.nan, 20, 20]),
        ("{:.1f} kg", ["20,5 kg", "21 kg"], [20.5, 21]),
        ("{:.1f}", ["20,5", "1e1"], [20.5, 10]),
        ("{:.1f}", ["20,5", "7,25"], [20.5, 7.25]),
        ("{:.1f}", ["1,234.5", "7"], [1234.5, 7]),
        ("{:.1f} %", ["20 %", "7,5%", "20 kg"], [20, 7.5, np.nan]),
    ],
)
def test_numbers_are_read_with_their_units(fitted: str, new: list[str], read: list[float]) -> None:
    found = features(pd.DataFrame({"m": [fitted.format(v) for v in GROUPS], "v": GROUPS}), scale=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if np.isnan(read).any() else "error")
        out = found.transform(pd.DataFrame({"m": new, "v": 0.0}))
    np.testing.assert_array_equal(out[:, 0], read)


def test_alternatives_give_rows_with_gaps_no_cluster() -> None:
    X = np.random.default_rng(1).normal(size=(120, 2)) + 4 * np.random.default_rng(2).integers(0, 3, (120, 2))
    X[::10, 0] = np.nan
    found = wt.cluster(X)
    assert found.alternatives
    for one in (found, *found.alternatives):
        assert (one.labels[::10] == -1).all()
        assert not one.probabilities[::10].any()


def days(cells: list[str]) -> list[float]:
    found = features(pd.DataFrame({"d": cells * 5}), columns=["d"])
    return (found.values[: len(cells), 0] - found.values[0, 0]).tolist()


def test_the_order_of_day_and_month_is_that_of_the_column() -> None:
    assert days(["03/04/2020", "13/04/2020", "23/04/2020", "05/04/2020"]) == [0, 10, 20, 2]
    assert days(["04/03/2020", "04/13/2020", "04/23/2020", "04/05/2020"]) == [0, 10, 20, 2]
    assert days(["3.4.2020", "5.4.2020"]) == [0, 2]
    assert days(["2020-04-03", "2020-04-05"]) == [0, 2]
    assert days(["03/04/20", "2020-04-03", "13/04/20"]) == [0, 0, 10]


def test_a_guessed_order_is_said_and_new_rows_have_the_same() -> None:
    table = pd.DataFrame({"d": ["03/04/2020", "05/06/2020"] * 9, "v": range(18)})
    assert any("is read as 4 March" in note for note in features(table, ["d", "v"]).notes)
    table.loc[0, "d"] = "13/04/2020"
    found = features(table, ["d", "v"])
    assert not any("4 March" in note for note in found.notes)
    read = found.values[1:3, 0]
    np.testing.assert_array_equal(found.scaling.back(found.transform(table.iloc[1:3]))[:, 0].round(6), read)
    with pytest.warns(UserWarning, match="'03/14/2020' in column d"):
        found.transform(pd.DataFrame({"d": ["03/14/2020"], "v": [0]}))


def test_times_of_the_day_are_hours() -> None:
    table = pd.DataFrame({"t": ["10:30", "11:30:30", "23:59", "1:15 pm", "00:06:00Z"] * 5, "v": GROUPS[:25]})
    found = features(table, columns=["t"])
    np.testing.assert_allclose(found.values[:5, 0], [10.5, 11.5 + 30 / 3600, 23 + 59 / 60, 13.25, 0.1])
    assert {one.name: (one.kind, one.why_not) for one in features(table).columns}["t"] == (
        "time", "holds times of the day",
    )  # fmt: skip


def test_columns_1_and_text_1_are_two(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({1: GROUPS, "1": rng.normal(size=N)})
    found = features(table)
    assert found.names == ("1", "1_2")
    np.testing.assert_array_equal(found.values, table.to_numpy())
    np.testing.assert_array_equal(found.transform(table), found.matrix())
    for name in ("both.npz", "both.npy", "both.parquet"):
        wt.write(table, tmp_path / name)
        np.testing.assert_allclose(wt.read(tmp_path / name).to_numpy(), table.to_numpy(), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("emb[0]", ""), ("emb[59]", ""), ("f(3)", ""), ("('a', 'x')", ""), ("score (left)", ""), ("f(x)", ""),
        ("length_mm", "mm"), ("weight (kg)", "kg"), ("T [°C]", "°c"), ("T (K)", "k"), ("flow (l/min)", "l/min"),
        ("price (EUR)", "eur"), ("rho [kg/m³]", "kg/m³"), ("area (m^2)", "m^2"), ("x", ""), ("time.s", "s"),
    ],
)  # fmt: skip
def test_brackets_hold_units_if_they_hold_units(name: str, unit: str) -> None:
    assert unit_in_name(name) == unit


def test_long_names_are_read_once() -> None:
    n = 300_000  # a quadratic search would take half an hour
    assert unit_in_name("(" * n + "x") == unit_in_name("a" * n + "[") == ""
    assert len(features(pd.DataFrame({"(" * n + "x": GROUPS, "a" * n + "[": GROUPS**2})).names) == 2


def test_copies_among_many_columns_are_found_in_little_memory() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3000))
    X[:, 7] = (X[:, 2900] * 1.8 + 32).round(2)
    X[:, 2000] = -X[:, 5]
    X[:, 2500] = X[:, 5]
    X[:, 40:50] = 0.0
    X[3:5, 40:50] = rng.normal(size=(2, 10))
    X[:, 50] = 2 * X[:, 40]
    tracemalloc.start()
    found = features(pd.DataFrame(X, columns=[f"g{k}" for k in range(3000)]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {one.name: one.why_not for one in found.columns if one.why_not} == {
        "g50": "is a copy of g40", "g2000": "is a copy of g5", "g2500": "is a copy of g5", "g2900": "is a copy of g7",
    }  # fmt: skip
    assert peak < 50e6  # all correlations would be 72 MB


def test_copies_are_those_of_all_pairs() -> None:
    rng = np.random.default_rng(3)
    base = rng.normal(size=(40, 12)) * rng.choice([1, 10, 100], 12)
    slopes = rng.choice([-2.54, -1, 0.5, 1, 1.8], 40)
    X = np.column_stack([base, slopes * base[:, rng.integers(0, 12, 40)] + rng.normal(size=40)])
    X += (
        rng.choice([0, 1e-6, 0.02, 0.2], X.shape[1])
        * rng.uniform(-1, 1, X.shape)
        * np.subtract(*np.quantile(X, [0.75, 0.25], axis=0))
    )
    X = X[:, rng.permutation(X.shape[1])]
    kept: list[int] = []
    for j, column in enumerate(X.T):
        if not any(is_copy(X[:, i], column) for i in kept):
            kept.append(j)
    found = features(pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])]))
    assert [int(one.name[1:]) for one in found.columns if not one.why_not] == kept
    assert 5 < len(kept) < X.shape[1] - 5


def is_copy(one: np.ndarray, other: np.ndarray) -> bool:
    """By the residual of the line through both, in units of the interquartile range."""
    slope, shift = np.polyfit(one, other, 1)
    low, high = np.quantile(other, [0.25, 0.75], method="averaged_inverted_cdf")
    return bool(np.abs(other - slope * one - shift).max() <= 0.03 * (high - low))


def test_longitude_and_latitude_are_meters_for_clusters() -> None:
    rng = np.random.default_rng(0)
    blobs = np.repeat([[0.0, 0.0], [0.06, 0.0]], 60, axis=0)  # at 80° N, 0.06° of longitude are 1.2 km
    degrees = blobs + rng.normal(size=(120, 2)) * [0.006, 0.001]
    for middle in (20.0, 180.0):
        lon = (degrees[:, 0] + middle + 180) % 360 - 180
        table = pd.DataFrame({"lon": lon, "lat": degrees[:, 1] + 80.0, "price": rng.normal(size=120)})
        found = wt.cluster(table)
        assert found.n_clusters == 2
        assert "projected to local meters" in found.notes[0] + found.notes[-1]
        np.testing.assert_array_equal(found.predict(table), np.maximum(found.labels, -1))
        np.testing.assert_array_equal(found.labels, wt.cluster(table.assign(lon=lon % 360)).labels)
        assert found.columns[0] == ("lon", "lat")
        np.testing.assert_array_equal(found.columns[1], table[["lon", "lat"]])


def test_kept_clusters_on_a_map_predict_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"lon": 11 + rng.normal(size=90) * 0.01, "lat": 50 + rng.normal(size=90) * 0.01})
    found = wt.AutoCluster(3).fit(table)
    again = wt.AutoCluster.load(found.save(tmp_path / "kept.npz"))
    np.testing.assert_array_equal(again.predict(table), found.predict(table))


def test_points_all_over_the_world_stay_in_degrees() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"lon": rng.uniform(-170, 170, 80), "lat": rng.uniform(-60, 60, 80)})
    found = features(table)
    assert found.earth is None
    assert "too far for one map in meters" in found.notes[-1]
    np.testing.assert_array_equal(found.matrix(), table)


def test_errors_in_degrees_become_meters() -> None:
    table = pd.DataFrame({"lon": [11.0, 11.1, 11.2], "lat": [60.0, 60.1, 60.2], "lon_err": 0.01, "lat_err": 0.01})
    found = features(table)
    np.testing.assert_allclose(found.scale_errors(found.errors)[0], [557, 1114], rtol=0.01)


def test_columns_of_arrays_are_named_by_a_number_or_a_list() -> None:
    X = np.column_stack([GROUPS, GROUPS**2, GROUPS**3])
    assert features(X, 1).names == ("1",)
    assert features(pd.DataFrame(X, columns=list("abc")), "b").names == ("b",)
    for wrong in (7, "a", 1.5, [0, 9], []):
        with pytest.raises(ValueError, match="columns of an array must be numbers from 0 to 2"):
            features(X, wrong)
    with pytest.raises(ValueError, match="has no column 1"):
        features(pd.DataFrame(X, columns=list("abc")), 1)


def test_other_tables_are_refused_in_a_line() -> None:
    frame = pd.DataFrame({"id": range(40), "v": GROUPS[:40]})
    table = pytest.importorskip("pyarrow").table(frame)
    for door in (wt.cluster, features, wt.denoise, lambda X: wt.score(X, [0] * 40), wt.AutoCluster().fit):
        with pytest.raises(ValueError, match=r"^X must be a pandas DataFrame or an array of points, got Table; use X"):
            door(table)
