"""A table: columns by name, as numbers, labels and weights; new columns beside; rows by position."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from encoding import encode

from wasserstein_transform.tables import Table, as_table, read, write
from wasserstein_transform.tables.kinds import KINDS


@pytest.fixture
def table() -> Table:
    return read(b"x,y,kind,w\n1,0.5,a,1\n2,1.5,b,0\n3,2.5,a,2\n", name="points.csv")


def test_columns_are_found_by_name(table: Table) -> None:
    assert table.names == ("x", "y", "kind", "w")
    assert len(table) == 3
    assert table.column("y").tolist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        ("x y w", "x y"), ("id X Y Z w", "X Y Z"), ("y w x", "x y"), ("lat speed lon", "lon lat"), ("a b c", "a b c"),
        ("x z w", "x z w"), ("Easting Northing t", "Easting Northing"),
    ],
)  # fmt: skip
def test_columns_that_say_where_points_are_come_first(names: str, taken: str) -> None:
    table = Table({name: np.arange(3.0) for name in names.split()})
    assert table.chosen() == tuple(taken.split())
    assert table.chosen(leave_out=taken.split()[:1]) == tuple(
        name for name in names.split() if name != taken.split(maxsplit=1)[0]
    )


def test_numbers_are_those_asked_for_or_where_points_are(table: Table) -> None:
    assert table.numbers().tolist() == [[1, 0.5], [2, 1.5], [3, 2.5]]
    assert table.numbers(["y", "x"]).tolist() == [[0.5, 1], [1.5, 2], [2.5, 3]]
    assert table.numbers("y").tolist() == [[0.5], [1.5], [2.5]]
    assert table.chosen(leave_out=["w"]) == ("x", "y")
    assert table.numbers().flags.c_contiguous


def test_a_column_mostly_of_numbers_is_not_left_out_in_silence() -> None:
    table = read(b"x,y,tag\n1,1,a1\n2,oops,2\n3,3,b\n", name="points.csv")
    assert table.numeric == ("x", "y")
    with pytest.raises(ValueError, match="oops"):
        table.numbers()


def test_truth_values_are_numbers_only_if_asked_for() -> None:
    table = Table({"x": [1.0, 2.0], "yes": [True, False], "day": np.array(["2020-01-01", "NaT"], "M8[D]")})
    assert table.numeric == ("x",)
    assert table.numbers(["yes"]).tolist() == [[1], [0]]


def test_any_column_makes_labels(table: Table) -> None:
    codes, names = table.labels("kind")
    assert (codes.tolist(), names) == ([0, 1, 0], ("a", "b"))
    codes, names = Table({"k": [10, 9, 10, -1]}).labels("k")
    assert (codes.tolist(), names) == ([2, 1, 2, 0], ("-1", "9", "10"))
    codes, names = read(b"k,x\n1,1\nNA,2\n2,3\n").labels("k")
    assert (codes.tolist(), names) == ([0, -1, 1], ("1", "2"))
    codes, names = Table({"k": np.array(["b", None, "a"], object)}).labels("k")
    assert (codes.tolist(), names) == ([1, -1, 0], ("a", "b"))


def test_weights_are_a_column(table: Table) -> None:
    assert table.weights("w").tolist() == [1, 0, 2]


def test_new_columns_stand_beside_and_take_no_name_twice(table: Table) -> None:
    more = table.with_columns({"label": [0, 1, 0], "kind": ["p", "q", "r"], "kind_2": [1, 2, 3]})
    assert more.names == (*table.names, "label", "kind_2", "kind_2_2")
    assert more.notes == (
        "points.csv has a column kind; the new one is kind_2",
        "points.csv has a column kind_2; the new one is kind_2_2",
    )
    assert table.names == ("x", "y", "kind", "w")


def test_rows_keep_their_lines_and_their_text() -> None:
    table = read(b"zip,x\n007,1\n# no row\n08,?\n9,3\n", name="points.csv")
    some = table.take([2, 1])
    assert encode(some, "csv") == b"zip,x\n9,3\n08,?\n"
    with pytest.raises(ValueError, match="line 4, column x"):
        some.numbers()
    assert table.take([True, False, True]).numbers().tolist() == [[7, 1], [9, 3]]
    assert len(table.take([])) == 0
    assert Table({"x": [1, 2, 3]}).take([2, 0]).where(0, "x") == "the table, row 3, column x"
    with pytest.raises(IndexError):
        table.take([7])


def test_objects_become_what_they_are() -> None:
    def kinds(*cells: object) -> str:
        return Table({"x": np.array([*cells, None][:-1], object)}).columns["x"].dtype.kind

    assert kinds(1, 2) == "i"
    assert kinds(1, None, 2.5) == "f"
    assert kinds(2**70, 1) == "f"
    assert kinds(10**400, 1) == "f"
    assert kinds(True, False) == "b"
    assert kinds("a", "b") == "U"
    assert kinds("a", None) == "O"
    assert kinds("a" * 100, "b") == "O"
    assert Table({"x": [b"caf\xc3\xa9"]}).columns["x"].tolist() == ["café"]
    assert Table({"x": np.array([2**64 - 1], np.uint64)}).columns["x"].tolist() == [2**64 - 1]


def test_columns_are_not_changed() -> None:
    with pytest.raises(TypeError):
        Table({"x": [1]}).columns["x"] = 2


def test_frames_mappings_and_arrays_are_tables() -> None:
    frame = pd.DataFrame(
        {"x": [1.5, 2.5], "n": pd.array([1, None], "Int64"), "s": ["a", None], "c": pd.Categorical(["u", "v"])}
    )
    table = as_table(frame)
    assert table.names == ("x", "n", "s", "c")
    assert table.columns["n"].tolist()[0] == 1.0
    assert np.isnan(table.columns["n"][1])
    assert table.columns["s"].tolist() == ["a", None]
    assert table.columns["c"].tolist() == ["u", "v"]
    with pytest.raises(ValueError, match="row 2, column n"):
        table.numbers()
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"])
    assert as_table(twice).names == ("x", "x_2")
    assert as_table(pd.DataFrame([[1, 2]])).names == ("0", "1")
    assert as_table({"a": [1, 2]}).columns["a"].tolist() == [1, 2]
    assert as_table(np.ones((2, 4))).names == ("x1", "x2", "x3", "x4")
    assert as_table([1.0, 2.0]).names == ("x",)
    assert as_table(table) is table
    assert as_table(table.to_pandas()[["x", "c"]]).names == ("x", "c")


def test_a_table_shows_itself(table: Table) -> None:
    assert repr(table) == "<Table points.csv: 3 rows, columns x, y, kind, w>"
    assert "<th>kind</th>" in table._repr_html_()
    assert "<td>2.5</td>" in table._repr_html_()


def test_files_are_written_whole_by_their_names(table: Table, tmp_path) -> None:
    for name in ("a.csv", "a.tsv.gz", "a.txt.xz", "a.npz", "a.arff.bz2"):
        write(table, tmp_path / name)
        again = read(tmp_path / name)
        assert {k: v.tolist() for k, v in again.columns.items()} == {k: v.tolist() for k, v in table.columns.items()}
    write(table, tmp_path / "b", kind="csv")
    assert (tmp_path / "b").read_bytes() == encode(table, "csv")
    with pytest.raises(ValueError, match="PLY"):
        write(table, tmp_path / "c.ply")
    assert not (tmp_path / "c.ply").exists()


def test_the_same_bytes_whenever_it_is_written(table: Table, tmp_path) -> None:
    for kind in set(KINDS) - {"las", "laz", "ply", "geojson"}:
        assert encode(table, kind) == encode(table, kind)
    write(table, tmp_path / "a.csv.gz")
    write(table, tmp_path / "b.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
