"""A table: columns by name, as numbers, labels and weights; new columns beside; rows by position."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from encoding import encode
from pandas import DataFrame

from wasserstein_transform.io import read, write
from wasserstein_transform.io.formats import MAPS, WRITTEN
from wasserstein_transform.tables import coordinates
from wasserstein_transform.tables.columns import chosen, labels, numeric, times, weights, where, with_columns


@pytest.fixture
def table() -> DataFrame:
    return read(b"x,y,kind,w\n1,0.5,a,1\n2,1.5,b,0\n3,2.5,a,2\n", name="points.csv")


def test_columns_are_found_by_name(table: DataFrame) -> None:
    assert tuple(table) == ("x", "y", "kind", "w")
    assert len(table) == 3
    assert table["y"].tolist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        ("x y w", "x y"), ("id X Y Z w", "X Y Z"), ("y w x", "x y"), ("lat speed lon", "lon lat"), ("a b c", "a b c"),
        ("x z w", "x z w"), ("Easting Northing t", "Easting Northing"),
    ],
)  # fmt: skip
def test_columns_that_say_where_points_are_come_first(names: str, taken: str) -> None:
    table = DataFrame({name: np.arange(3.0) for name in names.split()})
    assert chosen(table) == tuple(taken.split())
    assert chosen(table, leave_out=taken.split()[:1]) == tuple(
        name for name in names.split() if name != taken.split(maxsplit=1)[0]
    )


def test_numbers_are_those_asked_for_or_where_points_are(table: DataFrame) -> None:
    assert coordinates(table).tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert coordinates(table, ["y", "x"]).tolist() == [[0.5, 1], [1.5, 2], [2.5, 3]]
    assert coordinates(table, "y").tolist() == [[0.5], [1.5], [2.5]]
    assert chosen(table, leave_out=["w"]) == ("x", "y")
    assert coordinates(table).flags.c_contiguous


def test_a_column_mostly_of_numbers_is_not_left_out_in_silence() -> None:
    table = read(b"x,y,tag\n1,1,a1\n2,oops,2\n3,3,b\n", name="points.csv")
    assert numeric(table) == ("x", "y")
    with pytest.raises(ValueError, match="oops"):
        coordinates(table)


def test_truth_values_are_numbers_only_if_asked_for() -> None:
    table = DataFrame({"x": [1.0, 2.0], "yes": [True, False], "day": np.array(["2020-01-01", "NaT"], "M8[D]")})
    assert numeric(table) == ("x",)
    assert coordinates(table, ["yes"]).tolist() == [[1], [0]]


def test_any_column_makes_labels(table: DataFrame) -> None:
    codes, names = labels(table, "kind")
    assert (codes.tolist(), names) == ([0, 1, 0], ("a", "b"))
    codes, names = labels(DataFrame({"k": [10, 9, 10, -1]}), "k")
    assert (codes.tolist(), names) == ([2, 1, 2, 0], ("-1", "9", "10"))
    codes, names = labels(read(b"k,x\n1,1\nNA,2\n2,3\n"), "k")
    assert (codes.tolist(), names) == ([0, -1, 1], ("1", "2"))
    codes, names = labels(DataFrame({"k": np.array(["b", None, "a"], object)}), "k")
    assert (codes.tolist(), names) == ([1, -1, 0], ("a", "b"))


def test_weights_are_a_column(table: DataFrame) -> None:
    assert weights(table, "w").tolist() == [1, 0, 2]


def test_new_columns_stand_beside_and_take_no_name_twice(table: DataFrame) -> None:
    more = with_columns(table, {"label": [0, 1, 0], "kind": ["p", "q", "r"], "kind_2": [1, 2, 3]})
    assert tuple(more) == (*tuple(table), "label", "kind_2", "kind_2_2")
    assert more.attrs["notes"] == [
        "points.csv has a column kind; the new one is kind_2",
        "points.csv has a column kind_2; the new one is kind_2_2",
    ]
    assert tuple(table) == ("x", "y", "kind", "w")


def test_rows_keep_their_numbers_and_their_text() -> None:
    table = read(b"zip,x\n007,1\n# no row\n08,?\n9,3\n", name="points.csv")
    some = table.take([2, 1])
    assert encode(some, "csv") == b"zip,x\n9,3.0\n08,\n"
    with pytest.raises(ValueError, match="row 2, column x"):
        coordinates(some)
    assert coordinates(table[[True, False, True]]).tolist() == [[7, 1], [9, 3]]
    assert where(DataFrame({"x": [1, 2, 3]}).take([2, 0]), 0, "x") == "the table, row 3, column x"


def test_frames_of_any_types_have_coordinates() -> None:
    frame = pd.DataFrame(
        {"x": [1.5, 2.5], "n": pd.array([1, None], "Int64"), "s": ["a", None], "c": pd.Categorical(["3", "4"])}
    )
    assert numeric(frame) == ("x", "n")
    with pytest.raises(ValueError, match="row 2, column n"):
        coordinates(frame)
    assert coordinates(frame, ["x", "c"]).tolist() == [[1.5, 3], [2.5, 4]]
    assert labels(frame, "c")[1] == ("3", "4")
    mixed = pd.DataFrame({"x": np.array([2**70, 1], object), "y": np.array(["7", 8.5], object)})
    assert coordinates(mixed).tolist() == [[2.0**70, 7], [1, 8.5]]


def test_times_are_seconds() -> None:
    table = read(
        b"t,when,day\n0,2020-01-01T00:00:10Z,2020-01-01\n5,2020-01-01T01:00:12+01:00,2020-01-02\n", name="t.csv"
    )
    assert times(table, "t").tolist() == [0, 5]
    assert np.diff(times(table, "when")).tolist() == [2]
    assert np.diff(times(table, "day")).tolist() == [86400]
    gap = DataFrame({"when": pd.to_datetime(["2020-01-01", None])})
    with pytest.raises(ValueError, match="row 2, column when: 'NaT' is not a time"):
        times(gap, "when")
    with pytest.raises(ValueError, match=r"t\.csv, row 2, column w: 'noon' is not a time"):
        times(read(b"w,x\n2020-01-01,1\nnoon,2\n", name="t.csv"), "w")


def test_files_are_written_whole_by_their_names(table: DataFrame, tmp_path) -> None:
    for name in ("a.csv", "a.tsv.gz", "a.txt.xz", "a.npz"):
        write(table, tmp_path / name)
        again = read(tmp_path / name)
        assert again.to_dict("list") == table.to_dict("list")
    write(table, tmp_path / "b", kind="csv")
    assert (tmp_path / "b").read_bytes() == encode(table, "csv")
    with pytest.raises(ValueError, match="PLY"):
        write(table, tmp_path / "c.ply")
    assert not (tmp_path / "c.ply").exists()


def test_the_same_bytes_whenever_it_is_written(table: DataFrame, tmp_path) -> None:
    for kind in set(WRITTEN) - {"las", "laz", "ply", *MAPS}:
        assert encode(table, kind) == encode(table, kind)
    write(table, tmp_path / "a.csv.gz")
    write(table, tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_integers_beside_gaps_stay_integers(tmp_path) -> None:
    pytest.importorskip("pyarrow")
    frame = DataFrame({"x": [1.0, 2.0], "i": pd.array([9007199254740993, None], "Int64")}, index=["a", "b"])
    frame.to_parquet(tmp_path / "b.parquet")
    table = read(tmp_path / "b.parquet")
    assert table["i"].tolist()[0] == 9007199254740993
    assert chosen(table) == ("x", "i")
    assert read(encode(table.iloc[:1], "npy"))["i"].tolist() == [9007199254740993]
