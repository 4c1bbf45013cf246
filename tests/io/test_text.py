"""Tables as text: what parts cells, headers, missing values, and errors that name the place."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from encoding import encode
from pandas import DataFrame

from wasserstein_transform.io import read
from wasserstein_transform.tables import coordinates
from wasserstein_transform.tables.columns import default_names, labels, where


def columns(content: bytes | str, name: str = "points.csv") -> dict[str, list]:
    """What a text is read as."""
    table = read(content.encode() if isinstance(content, str) else content, name=name)
    return {name: array.tolist() for name, array in table.items()}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("name", ["points.csv", "points.tsv", "points.txt", "points"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_parts_cells_is_found_whatever_the_name_says(delimiter: str, name: str, end: str) -> None:
    rows = [["east", "north", "city"], ["1.5", "2", "Turin"], ["-3e2", "4", "Delft"]]
    text = end.join(delimiter.join(row) for row in rows)
    expected = {"east": [1.5, -300.0], "north": [2, 4], "city": ["Turin", "Delft"]}
    assert columns(text, name) == expected
    assert columns(text + end, name) == expected


def test_a_row_of_numbers_is_data() -> None:
    assert columns("1,2\n3,4\n") == {"x": [1, 3], "y": [2, 4]}
    assert columns("1\n3\n") == {"x": [1, 3]}
    assert columns("5,6,7") == {"x": [5], "y": [6], "z": [7]}
    assert list(columns("1 2 3 4\n5 6 7 8\n")) == ["x1", "x2", "x3", "x4"]
    assert columns("1,NA\n3,4\n")["x"] == [1, 3]


def test_a_row_with_words_is_a_header_unless_everything_is_words() -> None:
    assert columns("a,b\n1,2\n") == {"a": [1], "b": [2]}
    assert columns("name,b\nbob,2\n") == {"name": ["bob"], "b": [2]}
    assert columns("bob,1\nann,2\n") == {"x": ["bob", "ann"], "y": [1, 2]}
    assert columns("red,blue\ngreen,white\n") == {"x": ["red", "green"], "y": ["blue", "white"]}


def test_names_are_unique_and_never_empty() -> None:
    assert list(columns("x,x,,x_2,x\n1,2,3,4,5\n")) == ["x", "x_3", "column_3", "x_2", "x_4"]
    assert list(columns("  x , y\n1,2\n")) == ["x", "y"]


def test_numbers_of_rows_as_r_and_pandas_write_them_are_not_computed_with() -> None:
    for text in ('"x" "y"\n"1" 0.5 2\n"2" 3 4\n', ",x,y\n1,0.5,2\n2,3,4\n"):
        table = read(text.encode(), name="points.csv")
        assert tuple(table) == ("row", "x", "y")
        np.testing.assert_array_equal(coordinates(table), [[0.5, 2], [3, 4]])
        np.testing.assert_array_equal(coordinates(table, ["row"]), [[1], [2]])


def test_decimal_commas_go_with_other_delimiters() -> None:
    assert columns("x;y\n1,5;2\n-0,25;3,5e1\n") == {"x": [1.5, -0.25], "y": [2.0, 35.0]}
    assert columns("1,5\t2,5\n3,5\t4,5\n") == {"x": [1.5, 3.5], "y": [2.5, 4.5]}
    assert columns("1,5\n2,5\n") == {"x": [1, 2], "y": [5, 5]}
    table = read(b"x;y\n1,5;2,5\n2,5;zwei\n", name="points.csv")
    with pytest.raises(ValueError, match="row 2, column y"):
        coordinates(table)
    assert encode(table, "csv") == b"x;y\n1,5;2,5\n2,5;zwei\n"


def test_comments_blank_lines_and_marks_are_left_out() -> None:
    text = "\ufeff# a comment\n\nx,y\n  \n1,2\n# another, with a comma\n3,4\n\n"
    table = read(text.encode(), name="points.csv")
    assert {name: array.tolist() for name, array in table.items()} == {"x": [1, 3], "y": [2, 4]}
    assert [where(table, k, "x") for k in range(2)] == [f"points.csv, row {k}, column x" for k in (1, 2)]
    assert columns("sep=;\nx;y\n1;2\n") == {"x": [1], "y": [2]}
    assert columns(text.removeprefix("\ufeff").encode("utf-16")) == {"x": [1, 3], "y": [2, 4]}


def test_a_delimiter_at_the_end_of_lines_makes_no_column() -> None:
    assert columns("x,y,\n1,2,\n3,4,\n") == {"x": [1, 3], "y": [2, 4]}
    assert columns("x,y\n1,2,\n3,4,\n") == {"x": [1, 3], "y": [2, 4]}
    assert columns("1,2,\n3,4,\n") == {"x": [1, 3], "y": [2, 4]}


def test_quotes_hold_delimiters_quotes_and_ends_of_lines() -> None:
    text = 'x,note\n1,"a, ""b""\n# no comment\n\nlast"\n2,plain\n3,"x"\nfour,y\n'
    table = read(text.encode(), name="points.csv")
    assert table["note"].tolist() == ['a, "b"\n# no comment\n\nlast', "plain", "x", "y"]
    with pytest.raises(ValueError, match="row 4, column x"):
        coordinates(table)
    assert encode(table, "csv") == text.replace('"x"', "x").encode()
    assert columns('"x", "y"\n"1", "2"\n') == {"x": [1], "y": [2]}
    assert columns("x y\n'1 2\n") == {"x": ["'1"], "y": [2]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,y\n1,2\n3\n", r"points\.csv, line 3: got 1 cell, expected 2"),
        ("x,y\n1,2\n\n3,4,5\n", r"points\.csv, line 4: got 3 cells, expected 2"),
        ('x,y\n1,"2\n3,4\n', r"points\.csv, line 2: a quote is not closed or does not fit"),
        ('x,y\n1,"2"3\n3,4\n', r"points\.csv, line 2: a quote is not closed or does not fit"),
        ("", r"points\.csv is empty"),
        (" \n\n", r"points\.csv is empty"),
        ("# only\n", r"points\.csv holds no rows, only comments"),
        ("x,y\n", r"points\.csv has a header \(x, y\) and no rows"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text.encode(), name="points.csv")


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            "abc",
            r"points\.csv, row 2, column y: 'abc' is not a number; correct it, or leave the column out \(columns=",
        ),
        ("", r"row 2, column y: the cell holds no value and a number is needed; fill it in"),
        ("NA", r"row 2, column y: the cell holds no value and a number is needed; fill it in"),
        ("nan", r"row 2, column y: the cell holds no value and a number is needed"),
        ("?", r"row 2, column y: the cell holds no value and a number is needed"),
        ("null", r"row 2, column y: the cell holds no value and a number is needed"),
        ("inf", r"row 2, column y: 'inf' is not finite"),
        ("-1e999", r"row 2, column y: '-inf' is not finite"),
        ("1_000", r"row 2, column y: '1_000' is not a number"),
        ("١", r"row 2, column y: '١' is not a number"),
        ("2020-01-01", r"row 2, column y: '2020-01-01' is not a number"),
    ],
)
def test_a_cell_that_is_no_number_is_named_where_numbers_are_asked_for(cell: str, said: str) -> None:
    text = f"x,y,z\n1,2,3\n# between\n4,{cell},6\n7,8,9\n".encode()
    table = read(text, name="points.csv")
    for names in (None, ["y"], ["x", "y"]):
        with pytest.raises(ValueError, match=said):
            coordinates(table, names)
    np.testing.assert_array_equal(coordinates(table, ["x", "z"]), [[1, 3], [4, 6], [7, 9]])
    np.testing.assert_array_equal(coordinates(table, leave_out=["y"]), [[1, 3], [4, 6], [7, 9]])
    again = read(encode(table, "csv"), name="points.csv")
    assert [again[name].tolist() for name in "xz"] == [[1, 4, 7], [3, 6, 9]]


@pytest.mark.slow
def test_faults_are_found_far_down() -> None:
    """Beyond the rows that are looked at first, and beyond the first piece."""
    good = [f"{k},{k / 2}" for k in range(9000)]
    for fault in ("1,", "1,zwei"):
        table = read("\n".join(["x,y", *good, fault]).encode(), name="points.csv")
        with pytest.raises(ValueError, match="row 9001, column y"):
            coordinates(table)
    with pytest.raises(ValueError, match="line 9002"):
        read("\n".join(["x,y", *good, "1,2,3"]).encode(), name="points.csv")


def test_cells_that_numbers_do_not_say_are_written_back_as_they_were() -> None:
    text = "id,zip,x,mixed,huge\n9007199254740993,01234,0.1,9007199254740993,12345678901234567890123\n"
    text += "-9223372036854775808,99999,1e-300,0.5,1\n"
    table = read(text.encode(), name="points.csv")
    assert encode(table, "csv").decode() == text
    assert table["id"].dtype == np.int64
    assert coordinates(table, ["zip"]).tolist() == [[1234], [99999]]
    assert labels(table, "zip")[1] == ("01234", "99999")
    assert coordinates(table, ["huge"]).tolist() == [[float("12345678901234567890123")], [1.0]]


def test_late_words_keep_the_text_of_all_rows() -> None:
    early = ["1.50", "007", "-0", "2e3"] * 2000
    text = "\n".join(["x,y", *(f"1,{cell}" for cell in [*early, "word"])]) + "\n"
    assert encode(read(text.encode()), "csv").decode() == text


def test_latin_1_is_said() -> None:
    table = read("città,x\nForlì,1\n".encode("latin-1"), name="points.csv")
    assert tuple(table) == ("città", "x")
    assert table.attrs["notes"] == ["points.csv is not UTF-8 (line 1); its letters were read as Windows-1252"]
    assert encode(table, "csv").decode() == "città,x\nForlì,1\n"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_packed_files_are_unpacked(pack, tmp_path: Path) -> None:
    packed = pack(b"x,y\n1,2\n3,4\n")
    assert columns(packed, "points.csv.gz") == columns(packed, "points") == {"x": [1, 3], "y": [2, 4]}
    with pytest.raises(ValueError, match="damaged"):
        read(packed[:-9], name="points.csv.gz")
    with pytest.raises(ValueError, match="holds binary content"):
        read(pack(packed), name="points.csv.gz")


def test_paths_streams_and_bytes_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"x,y\n1,2\n3,4\n"
    file = tmp_path / "points.csv"
    file.write_bytes(content)
    with file.open("rb") as stream:
        assert read(stream).attrs["source"] == str(file)
    assert read(io.StringIO(content.decode())).attrs["source"] == "the pipe"
    assert read(bytearray(content)).attrs["source"] == "the table"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert coordinates(read("-")).tolist() == coordinates(read(str(file))).tolist() == [[1, 2], [3, 4]]


def test_pandas_reads_the_same(rng: np.random.Generator) -> None:
    frame = pd.DataFrame(rng.normal(size=(500, 3)) * 10.0 ** rng.integers(-200, 200, (500, 3)), columns=list("abc"))
    frame["id"] = rng.integers(-(2**63), 2**63 - 1, 500)
    frame["word"] = rng.choice(["a", 'with "quotes"', "with, comma", "two\nlines", "ünïcödé"], 500)
    text = frame.to_csv(index=False)
    table = read(text.encode(), name="points.csv")
    kinds = dict.fromkeys("abc", float) | {"id": int, "word": str}
    for written in (text, encode(table, "csv").decode()):
        twin = pd.read_csv(io.StringIO(written), dtype=str)  # its own numbers may be off by a bit
        for name, kind in kinds.items():
            assert table[name].tolist() == list(map(kind, twin[name])) == frame[name].tolist()
    pd.testing.assert_frame_equal(table.astype({"word": object}), frame.astype({"word": object}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag;x;y\n24.12;1,5;2,5\n25.12;3,5;4,5\n", [[1.5, 2.5], [3.5, 4.5]]),
        ("x;y\n" + "1;2\n" * 250 + "7,5;8\n" * 300, [[1, 2]] * 250 + [[7.5, 8]] * 300),
        ("a,b\n#N/A,2\n3,4\n", None),
        ("c,x,y\n#ff0000,1,2\n#00ff00,3,4\n", [[1, 2], [3, 4]]),
        ("0,1\n1.5,3.0\n2.0,4.0\n", [[1.5, 3], [2, 4]]),
        (",0,1,2\n0,0,1,2\n1,3,4,5\n", [[0, 1, 2], [3, 4, 5]]),
    ],
)
def test_what_people_have_is_understood(text: str, expected: list[list[float]] | None) -> None:
    table = read(text.encode(), name="points.csv")
    if expected is None:
        assert len(table) == 2
    else:
        assert coordinates(table).tolist() == expected


@pytest.mark.parametrize("text", ["x,y\n1.5,2.5,7.5\n3.5,4.5,8.5\n", "x\n2,5\n1,5\n3,25\n"])
def test_a_cell_too_many_is_no_name_of_a_row(text: str) -> None:
    with pytest.raises(ValueError, match=r"points\.csv, line 2: got \d cells, expected \d"):
        read(text.encode(), name="points.csv")


def test_zeros_in_front_stay_beside_missing_cells_and_signs() -> None:
    for text in ("id,x\n007,1\n,2\n", "id,x\n007,1\n1.5,2\n", "id,x\n+0049,1\n-007,2\n", "007,1.5\n8,3.5\n"):
        table = read(text.encode(), name="points.csv")
        assert encode(table, "csv").decode().splitlines()[-2:] == text.splitlines()[-2:]


def test_delimiters_and_decimal_signs_come_back() -> None:
    assert encode(read(b"x;y\r\n1,5;2\r\n3;4\r\n", name="a.csv"), "csv") == b"x;y\n1,5;2\n3,0;4\n"
    assert encode(read(b"x y\n1.5 2\n3 4.5\n", name="a.txt"), "txt") == b'"x" "y"\n1.5 2.0\n3.0 4.5\n'
    assert read("a,b\n5 €,1\n".encode("cp1252"))["a"].tolist() == ["5 €"]
    table = read(encode(DataFrame([[1.5, 3.0], [2.0, 4.0]]), "csv"))
    assert coordinates(table).tolist() == [[1.5, 3], [2, 4]]


def test_one_column_of_words_may_hold_empty_cells() -> None:
    table = DataFrame({"x": [1, 2, 3], "word": ["", "# no comment", " "]})
    again = read(encode(table[["x", "word"]], "csv"))
    assert again["word"].tolist() == ["", "# no comment", " "]


@pytest.mark.repeated(1)
@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("n_rows", [1, 10])
def test_lines_may_be_longer_than_the_sample(n_rows: int, names: bool, end: str) -> None:
    m = 12_000
    header = "# genes\n," + ",".join(f"gene{k}" for k in range(1, m)) + "\n" if names else ""
    content = header + "\n".join([",".join(["12.25"] * m)] * n_rows) + end
    table = read(content.encode(), name="a.csv")
    assert (len(table), len(tuple(table))) == (n_rows, m)
    assert tuple(table)[:2] == (("row", "gene1") if names else default_names(m)[:2])
