"""Tables as people have them: how each column is read, what is left out, what is scaled; gaps, new rows, files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.tables import features
from wasserstein_transform.tables.cells import is_date, read_numbers

Cell = Callable[[int, float], object]
"""A cell by the number of the row and a number that has two groups, around 0 and 10."""

N = 60
BOTH = ("scaled", "as they are")
SCALED = ("scaled",)
AS_THEY_ARE = ("as they are",)


class Table(NamedTuple):
    """Cells by column; how each column is read, ~ if it is left out; the readings; the delimiter."""

    columns: dict[str, tuple[str, Cell]]
    readings: tuple[str, ...]
    delimiter: str = ","


def german(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


TABLES = {
    "birds": Table({
        "rowid": ("~id", lambda i, v: i + 1),
        "island": ("~category", lambda i, v: ("Dream", "Biscoe", "Torgersen")[i % 7 % 3]),
        "bill_mm": ("number", lambda i, v: f"{40 + v:.1f}"),
        "mass_g": ("number", lambda i, v: round(4000 + 15 * v * v)),
        "sex": ("~boolean", lambda i, v: ("male", "female")[i % 5 % 2]),
        "date": ("~date", lambda i, v: f"2007-11-{1 + i % 28:02}"),
    }, SCALED),
    "money": Table({
        "id": ("~id", lambda i, v: i),
        "customer": ("~id", lambda i, v: f"C{997 * i + 50000}"),
        "amount": ("number", lambda i, v: f'"{1000 * (v + 5):,.2f}"'),
        "share": ("percent", lambda i, v: f"{40 + v * v / 9:.1f}%"),
        "when": ("~date", lambda i, v: f"{1 + i % 12:02}/{1 + i % 28:02}/2024"),
    }, SCALED),
    "a device with decimal commas": Table({
        "Zeit": ("~date", lambda i, v: f"01.05.2024 06:{i % 60:02}:30"),
        "Kanal": ("~id", lambda i, v: i % 4),
        "Temperatur °C": ("number", lambda i, v: german(20 + v)),
        "Druck hPa": ("number", lambda i, v: german(1000 + v * v, 1)),
    }, SCALED, ";"),
    "customers": Table({
        "user_id": ("~id", lambda i, v: 1000000 + 7 * i * i),
        "age": ("number", lambda i, v: round(40 + v)),
        "income": ("number", lambda i, v: 30000 + 997 * i + round(1000 * v)),
        "newsletter": ("~boolean", lambda i, v: i % 3 == 0),
    }, SCALED),
    "European thousands": Table({
        "Umsatz": ("number", lambda i, v: german(1000 * (5 + v))),
        "Kosten": ("number", lambda i, v: german(1e5 * (5 + v * v))),
    }, SCALED, ";"),
    "currencies": Table({
        "price": ("money", lambda i, v: f"€ {12 + v:.2f}"),
        "cost": ("money", lambda i, v: f'"${1200 + 100 * v * v:,.0f}"'),
    }, SCALED),
    "one currency": Table({
        "rent": ("money", lambda i, v: f'"$ {1200 + 10 * v:,.2f}"'),
        "food": ("money", lambda i, v: f'"${400 - v * v:,.2f}"'),
    }, AS_THEY_ARE),
    "accounting": Table({
        "profit": ("number", lambda i, v: f'"({100 * abs(v) + 1000:,.0f})"' if i % 2 else f'"{1000 + v * v:,.0f}"'),
        "Swiss": ("number", lambda i, v: f"{12000 + round(v * 100)}"[:-3] + "'" + f"{12000 + round(v * 100)}"[-3:]),
        "French": ("number", lambda i, v: f'"{1 + i % 9} {round(500 + 20 * v):03},5"'),
    }, BOTH),
    "units in cells": Table({
        "weight": ("number", lambda i, v: f"{70 + v:.1f} kg"),
        "height": ("number", lambda i, v: f"{170 + v * v:.0f}cm"),
        "dose": ("~text", lambda i, v: f"{1 + i % 13} {('g', 'mg')[i % 2]}"),
    }, SCALED),
    "one unit by name": Table({
        "length_mm": ("number", lambda i, v: f"{40 + v:.2f}"),
        "width (mm)": ("number", lambda i, v: f"{20 + v * v / 9:.2f}"),
        "depth [mm]": ("number", lambda i, v: f"{20 - abs(v):.2f}"),
    }, AS_THEY_ARE),
    "one unit, other spreads": Table({
        "length_mm": ("number", lambda i, v: f"{400 + 100 * v:.2f}"),
        "wall_mm": ("number", lambda i, v: f"{2 + v * v / 99:.3f}"),
    }, BOTH),
    "coordinates of a map": Table({
        "lat": ("number", lambda i, v: f"{45 + v / 99:.5f}"),
        "lon": ("number", lambda i, v: f"{7 + v * v:.5f}"),
        "height": ("~number", lambda i, v: round(v * 100)),
        "name": ("~other", lambda i, v: f"well {i}"),
    }, AS_THEY_ARE),
    "coordinates with prefixes": Table({
        "pos_x": ("number", lambda i, v: f"{1000 * v:.3f}"),
        "pos_y": ("number", lambda i, v: f"{v * v:.3f}"),
    }, AS_THEY_ARE),
    "names that say nothing": Table({
        "alpha": ("number", lambda i, v: f"{v:.3f}"),
        "beta": ("number", lambda i, v: f"{v * v / 9:.3f}"),
        "gamma": ("number", lambda i, v: f"{abs(v) + i % 3:.3f}"),
        "delta": ("number", lambda i, v: f"{np.sin(v) * 5:.3f}"),
    }, BOTH),
    "copies and constants": Table({
        "celsius": ("number", lambda i, v: f"{20 + v:.1f}"),
        "fahrenheit": ("~copy", lambda i, v: f"{32 + 1.8 * float(f'{20 + v:.1f}'):.1f}"),
        "again": ("~copy", lambda i, v: f"{20 + v:.1f}"),
        "humidity": ("number", lambda i, v: f"{50 + 3000 * np.sin(i):.1f}"),
        "station": ("~constant", lambda i, v: 7),
    }, SCALED),
    "codes": Table({
        "zip": ("~id", lambda i, v: 10115 + i % 20),
        "plz": ("~id", lambda i, v: f"0{1067 + i % 25}"),
        "uuid": ("~id", lambda i, v: f"{i:08x}-ab12-4c00-9a3f-{i * 7919:012x}"),
        "phone": ("~id", lambda i, v: 5550000 + 13 * (i % 30)),
        "a_mm": ("number", lambda i, v: f"{v:.2f}"),
        "b_kg": ("number", lambda i, v: f"{v * v:.2f}"),
    }, SCALED),
    "times of all sorts": Table({
        "year": ("~date", lambda i, v: 2000 + i % 20),
        "timestamp": ("~date", lambda i, v: 1700000000 + 3600 * i * i),
        "month": ("~date", lambda i, v: 1 + i * i % 12),
        "day": ("~date", lambda i, v: f'"Jan {1 + i % 30}, 2024"'),
        "clock": ("~time", lambda i, v: f"{i % 12}:{i % 60:02} pm"),
        "a": ("number", lambda i, v: f"{v:.2f}"),
        "b": ("number", lambda i, v: f"{1000 * v * v:.2f}"),
    }, SCALED),
    "free text and gaps": Table({
        "remark": ("~text", lambda i, v: f"seen by {i % 25}"),
        "mostly": ("~empty", lambda i, v: f"{v:.2f}" if i % 3 == 0 else ""),
        "a": ("number", lambda i, v: "NA" if i == 4 else f"{v:.2f}"),
        "b": ("number", lambda i, v: "broken" if i == 5 else f"{1000 + 900 * v * v:.2f}"),
        "mixed": ("~text", lambda i, v: f"{i % 9}" if i % 4 else f"S{i % 9}"),
    }, SCALED),
    "only categories": Table({
        "color": ("category", lambda i, v: ("red", "green", "blue")[i % 3]),
        "smoker": ("boolean", lambda i, v: ("yes", "no")[i % 5 % 2]),
        "answer": ("boolean", lambda i, v: i % 7 % 2),
    }, SCALED),
    "one number and a category": Table({
        "id": ("~id", lambda i, v: i),
        "amount": ("number", lambda i, v: f"{v:.3f}"),
        "plan": ("category", lambda i, v: ("basic", "pro", "none at all")[i % 3]),
    }, SCALED),
    "an absurd value": Table({
        "age": ("number", lambda i, v: 999999 if i == 7 else round(40 + 3 * v)),
        "income": ("number", lambda i, v: 30000 + 31 * i * i + round(1000 * v)),
    }, SCALED),
    "unique whole numbers that are measured": Table({
        "income": ("number", lambda i, v: 30000 + 997 * (i % 31) + i + round(1000 * v)),
        "body_mass": ("number", lambda i, v: 3000 + round(100 * v) * 2 + i),
    }, SCALED),
}  # fmt: skip


def values(n: int = N) -> NDArray[np.float64]:
    """Two groups, around 0 and 10."""
    return np.random.default_rng(5).normal(size=n) + 10.0 * (np.arange(n) % 2)


def written(table: Table) -> bytes:
    lines = [table.delimiter.join(table.columns)]
    for i, v in enumerate(values()):
        lines.append(table.delimiter.join(str(cell(i, v)) for _, cell in table.columns.values()))
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_read_as_a_person_would(name: str) -> None:
    table = TABLES[name]
    found = features(wt.read(written(table), name=name))
    read = {one.name: ("~" if one.why_not else "") + one.kind for one in found.columns}
    assert read == {column: kind for column, (kind, _) in table.columns.items()}
    assert found.readings == table.readings


@pytest.mark.parametrize(
    ("cells", "decimal", "unit", "numbers"),
    [
        (["3,682.50", "12", "-7.5"], ".", "", [3682.5, 12, -7.5]),
        (["1.234,56", "0,5", "-1.000.000"], ",", "", [1234.56, 0.5, -1e6]),
        (["84.7%", "9 %"], ".", "%", [84.7, 9]),
        (["€ 12", "-€ 3.50", "€-4"], ".", "€", [12, -3.5, -4]),
        (["12 €", "1.200,50 €"], ",", "€", [12, 1200.5]),
        (["$1,200", "($30)"], ".", "$", [1200, -30]),
        (["12 kg", "3.5kg"], ".", "kg", [12, 3.5]),
        (["(1,200)", "30"], ".", "", [-1200, 30]),
        (["1 234,5", "1 000 000,25"], ",", "", [1234.5, 1000000.25]),
        (["1'234", "999"], ".", "", [1234, 999]),
        (["1,234", "2,345"], ".", "", [1234, 2345]),
        (["1e-3", "2.5E+4"], ".", "", [1e-3, 2.5e4]),
        (["−5", "+5"], ".", "", [-5, 5]),
        (["20,5 °C", "3 °C"], ",", "°C", [20.5, 3]),
    ],
)
def test_numbers_are_read_as_people_write_them(cells: list[str], decimal: str, unit: str, numbers: list[float]) -> None:
    read = read_numbers(cells)
    assert (read.decimal, read.units) == (decimal, [unit] * len(cells))
    assert read.values.tolist() == numbers


@pytest.mark.parametrize(
    "cell", ["1,23,4", "12-13", "A12", "007", "1.2.3", "(5", "5)", "", "-", "1 2", "x", "5 kg 3", "."]
)
def test_other_cells_are_no_numbers(cell: str) -> None:
    assert np.isnan(read_numbers([cell]).values[0])


@pytest.mark.parametrize(
    "cell",
    ["2024-01-10", "2024-01-10T12:30:00Z", "2024-01-10 12:30:00.5+02:00", "01.05.2024 06:00", "1/5/24", "12:30",
     "5 Jan 2024", "January 5, 2024", "2024/01/10", "3. Mai 2024"],
)  # fmt: skip
def test_dates_of_usual_forms_are_dates(cell: str) -> None:
    assert is_date(cell)
    assert not is_date(cell + " kg")


def two_groups(n: int = N) -> pd.DataFrame:
    v = values(n)
    rng = np.random.default_rng(6)
    return pd.DataFrame({
        "size_mm": v + 50, "mass_g": 1000 * (v + rng.normal(size=n)),
        "share": [f"{x:.2f}%" for x in rng.normal(size=n)], "kind": rng.choice(["a", "b"], n),
    })  # fmt: skip


TRUTH = np.arange(N) % 2


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame[frame.columns[::-1]],
        lambda frame: frame.rename(columns={"size_mm": "first_mm", "mass_g": "second_g"}),
        lambda frame: frame.assign(row=range(N), note=[f"text {i}" for i in range(N)]),
        lambda frame: frame.assign(size_mm=frame.size_mm / 25.4).rename(columns={"size_mm": "size_in"}),
        lambda frame: frame.set_index(np.arange(N) + 100),
    ],
    ids=["order of columns", "names", "columns that are no data", "units", "index"],
)
def test_clusters_do_not_depend_on_how_a_table_is_written(change: Any) -> None:
    plain = wt.cluster(two_groups(), 2)
    assert adjusted_rand_score(TRUTH, plain.labels) == 1
    np.testing.assert_array_equal(wt.cluster(change(two_groups()), 2).labels, plain.labels)


def test_clusters_do_not_depend_on_the_order_of_rows() -> None:
    order = np.random.default_rng(0).permutation(N)
    frame = two_groups().assign(id=range(N))
    np.testing.assert_array_equal(wt.cluster(frame.iloc[order], 2).labels, wt.cluster(frame, 2).labels[order])


def test_rows_with_gaps_have_no_cluster_and_no_influence() -> None:
    frame = two_groups()
    frame.loc[3, "size_mm"] = np.nan
    frame.loc[8, "share"] = "n/a"
    found, without = wt.cluster(frame, 2), wt.cluster(frame.drop(index=[3, 8]), 2)
    assert found.labels[[3, 8]].tolist() == [-1, -1]
    assert found.probabilities[[3, 8]].tolist() == [0, 0]
    np.testing.assert_array_equal(np.delete(found.labels, [3, 8]), without.labels)
    assert "2 of 60 rows have missing cells and get no cluster" in " ".join(found.notes)
    filled = wt.cluster(frame, 2, missing="fill")
    np.testing.assert_array_equal(filled.labels, TRUTH if filled.labels[0] == 0 else 1 - TRUTH)
    with pytest.raises(ValueError, match="2 cells have no value: 1 in column size_mm, 1 in column share"):
        wt.cluster(frame, 2, missing="error")


def test_gaps_in_arrays_are_those_of_tables() -> None:
    X = np.column_stack([values(), values()[::-1]])
    X[4, 0] = np.nan
    assert wt.cluster(X, 2).labels[4] == -1
    assert wt.cluster(X, 2, missing="fill").labels[4] >= 0
    wide = np.column_stack([X, np.full(N, np.nan)])
    found = wt.cluster(wide, 2)
    assert "2 (is mostly empty)" in found.notes[0]
    assert found.predict(wide).shape == (N,)
    np.testing.assert_array_equal(found.labels, wt.cluster(X, 2).labels)


def test_losing_more_than_half_of_the_rows_is_warned_of() -> None:
    frame = two_groups()
    frame.loc[:25, "size_mm"], frame.loc[30:, "mass_g"] = np.nan, np.nan
    frame.loc[30:34, "mass_g"] = 5.0
    with pytest.warns(UserWarning, match="51 of 60 rows have missing cells"):
        features(frame)


def test_new_rows_are_read_like_the_old_ones() -> None:
    frame = two_groups()
    found = wt.cluster(frame, 2)
    np.testing.assert_array_equal(found.predict(frame), found.labels)
    new = frame.iloc[:4, ::-1].astype(object)
    new.loc[1, "mass_g"], new.loc[2, "share"] = None, "unknown"
    with pytest.warns(UserWarning, match="1 cell of X cannot be read .*: 'unknown' in column share"):
        assert found.predict(new).tolist() == [found.labels[0], -1, -1, found.labels[3]]
    with pytest.raises(ValueError, match="has no column share"):
        found.predict(frame.drop(columns="share"))
    filled = wt.cluster(frame, 2, missing="fill")
    with pytest.warns(UserWarning, match="count as missing"):
        assert filled.predict(new).tolist() == filled.labels[:4].tolist()


def test_categories_of_new_rows_are_known_or_nothing() -> None:
    frame = pd.DataFrame({"color": ["red", "green", "blue"] * 20, "size": values()})
    found = wt.cluster(frame, 3)
    assert found.features is not None
    assert found.features.names == ("color=blue", "color=green", "color=red", "size")
    assert found.predict(frame.iloc[:3]).tolist() == found.labels[:3].tolist()
    with pytest.warns(UserWarning, match="'pink' in column color"):
        assert found.predict(pd.DataFrame({"color": ["pink", "red"], "size": [0.0, 0.0]}))[0] == -1


def test_clusterings_of_tables_are_kept_in_files(tmp_path: Path) -> None:
    frame = two_groups()
    frame.loc[3, "size_mm"] = np.nan
    estimator = wt.AutoCluster(2).fit(frame)
    again = wt.AutoCluster.load(estimator.save(tmp_path / "clusters.npz"))
    assert again.clustering_.notes == estimator.notes_ == estimator.clustering_.notes
    assert again.clustering_.features.columns == estimator.clustering_.features.columns
    np.testing.assert_array_equal(again.predict(frame), estimator.labels_)


def test_one_kind_of_coordinates_is_not_scaled() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 3.5]
    for given in (X, pd.DataFrame(X), pd.DataFrame(X, columns=["x", "y"])):
        found = features(given)
        assert found.readings == AS_THEY_ARE
        np.testing.assert_array_equal(found.matrix(), X)
    assert features(X * [1.0, 10.0]).readings == BOTH[::-1]  # as they are first: it is preferred if both are as good
    assert features(pd.DataFrame(X * [1.0, 10.0], columns=["x", "y"])).readings == AS_THEY_ARE
    assert features(np.column_stack([X, X[:, ::-1]])).readings == BOTH
    pixels = np.random.default_rng(1).normal(size=(50, 64))
    assert features(pixels).readings == AS_THEY_ARE
    assert features(pixels * np.linspace(0.001, 1, 64)).readings == BOTH[::-1]


def test_the_better_of_two_readings_is_taken_and_said() -> None:
    v, noise = values(), np.random.default_rng(1).normal(size=(N, 3)) * [30.0, 30.0, 30.0]
    X = np.column_stack([v, noise])  # scaling brings the groups out
    found = wt.cluster(X, 2)
    assert found.features is not None
    assert found.features.reading in BOTH
    assert "expected quality" in found.notes[-1]
    np.testing.assert_array_equal(found.predict(X), found.labels)


def test_an_absurd_value_does_not_flatten_a_column() -> None:
    frame = two_groups().assign(mass_g=lambda one: one.mass_g.where(one.index != 7, 1e9))
    found = wt.cluster(frame)
    others = np.arange(N) != 7
    assert adjusted_rand_score(TRUTH[others], wt.cluster(frame, 2).labels[others]) == 1
    assert any("1e+09 is far beyond" in note for note in found.notes)
    np.testing.assert_allclose(features(frame, scale="standard").scaling.length[1], frame.mass_g.std(ddof=0))


def test_given_columns_are_used_whatever_they_hold() -> None:
    frame = two_groups().assign(id=range(N), when=pd.date_range("2024-01-01", periods=N), day=["2024-03-01"] * N)
    found = features(frame, ["id", "kind", "when", "day"])
    assert found.names == ("id", "kind=a", "kind=b", "when", "day")
    assert found.values[1].tolist()[-2:] == [19724.0, 19783.0]
    assert not any("left out" in note for note in found.notes)


def test_cosine_distances_are_those_of_directions() -> None:
    rng = np.random.default_rng(0)
    centers = np.repeat(rng.normal(size=(3, 40)), 30, axis=0)
    X = (centers + 0.1 * rng.normal(size=centers.shape)) * rng.uniform(0.01, 100, (90, 1))
    found = wt.cluster(X, metric="cosine")
    assert adjusted_rand_score(np.arange(90) // 30, found.labels) > 0.95
    np.testing.assert_array_equal(found.predict(X * 3), found.labels)


def test_small_sparse_matrices_are_stored() -> None:
    X = np.where(np.random.default_rng(0).random((40, 5)) < 0.7, 0.0, 1.0 + np.arange(5))
    found = wt.cluster(csr_array(X), 2)
    np.testing.assert_array_equal(found.labels, wt.cluster(X, 2).labels)
    assert "the sparse matrix was stored as 40 × 5 numbers" in found.notes


def test_arrays_do_not_need_pandas() -> None:
    code = (
        "import sys, wasserstein_transform as wt; wt.cluster([[0.0, 1.0], [2.0, 3.0]]); print('pandas' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


def test_columns_of_an_array_with_0_and_1_are_left_out_as_those_of_a_frame() -> None:
    rng = np.random.default_rng(0)
    X, flags = rng.normal(size=(60, 3)), rng.integers(0, 2, (60, 2)).astype(float)
    found = features(np.c_[flags[:, 0], X[:, :2], flags[:, 1]])
    assert found.names == ("1", "2")
    assert found.notes[0] == "left out: 0 (holds 0 and 1), 3 (holds 0 and 1); columns=[...] names those to use"
    assert features(pd.DataFrame(np.c_[flags, X], columns=list("abcde"))).names == ("c", "d", "e")
    assert features(np.c_[X[:, :1], flags]).names == ("0", "1", "2")  # one column of numbers
    assert features(np.c_[flags, X], columns=[0, 2]).names == ("0", "2")
    assert wt.cluster(np.c_[X, flags], 3).labels.tolist() == wt.cluster(X, 3).labels.tolist()


def test_of_two_readings_of_a_plane_the_better_one_is_taken() -> None:
    X, y = make_blobs(200, centers=[[0, 0], [0, 8], [6, 0], [6, 8]], cluster_std=0.6, random_state=0)
    assert adjusted_rand_score(y, wt.cluster(X * [1.0, 30.0], 4).labels) == 1  # units differ
    line = X + np.c_[150.0 * (y > 1), np.zeros(200)]
    assert adjusted_rand_score(y, wt.cluster(line, 4).labels) == 1  # one unit, two pairs far apart
