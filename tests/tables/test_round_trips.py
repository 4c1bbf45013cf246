"""Every kind of file gives back the table that was written; Arrow's reader and the careful one agree."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from encoding import encode
from hypothesis import HealthCheck, given, settings, strategies as st

from wasserstein_transform.tables import Table, read
from wasserstein_transform.tables.kinds import KINDS
from wasserstein_transform.tables.text import quick

EXTRAS = {"parquet": "pyarrow", "las": "laspy", "laz": "lazrs"}
few = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

floats = st.floats(allow_nan=False, allow_infinity=False)
integers = st.integers(-(2**63), 2**63 - 1)
letters = st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\r\t")
sentences = st.text(letters, max_size=8)


def is_word(cell: str) -> bool:
    """Text cannot say whether 7 is a number or a word."""
    try:
        float(cell)
    except ValueError:
        return True
    return False


@st.composite
def tables(draw: Any, numbers_only: bool = False, largest: int = 2**63 - 1) -> Table:
    """Two columns of numbers at least, and words."""
    n = draw(st.integers(1, 6))
    columns: dict[str, Any] = {
        "x": draw(st.lists(floats, min_size=n, max_size=n)),
        "y": draw(st.lists(floats, min_size=n, max_size=n)),
        "whole number": draw(st.lists(st.integers(-largest - 1, largest), min_size=n, max_size=n)),
    }
    if not numbers_only:
        word = sentences.filter(is_word)
        columns["words"] = ["begin", *draw(st.lists(word, min_size=n, max_size=n))][:n]
        columns['a "name", odd'] = ["é\n", *draw(st.lists(word, min_size=n, max_size=n))][:n]
    return Table({name: np.array(cells, object) for name, cells in columns.items()})


def assert_same(again: Table, table: Table) -> None:
    assert again.names == table.names
    for name, array in table.columns.items():
        assert again.columns[name].dtype.kind == array.dtype.kind, name
        assert list(map(repr, again.columns[name].tolist())) == list(map(repr, array.tolist())), name


@pytest.mark.repeated(2)
@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "parquet", "npy", "npz", "arff"])
@few
@given(table=tables())
def test_what_was_written_is_read(kind: str, table: Table) -> None:
    pytest.importorskip(EXTRAS.get(kind, "numpy"))
    if kind in ("npy", "npz"):  # NumPy pads words with the same sign that they then may not end with
        table = Table(
            {name: array if array.dtype.kind != "O" else array.astype(str) for name, array in table.columns.items()}
        )
    content = encode(table, kind)
    again = read(content, name=f"points.{kind}")
    assert_same(again, table)
    assert encode(again, kind).splitlines()[1:] == content.splitlines()[1:]


@few
@given(table=tables(numbers_only=True, largest=2**53 - 1))
def test_vertices_are_read_as_they_were_written(table: Table) -> None:
    again = read(encode(table, "ply"), name="points.ply")
    assert again.names == ("x", "y", "whole_number")
    for name, array in zip(again.names, table.columns.values(), strict=True):
        assert again.columns[name].tolist() == array.tolist()
        assert math.copysign(1, again.columns[name][0]) == math.copysign(1, array[0]) or name == "whole_number"


@few
@given(table=tables())
def test_geojson_gives_back_points_and_properties(table: Table) -> None:
    again = read(encode(table.with_columns({"none": [math.nan] * len(table)}), "geojson"), name="points.geojson")
    assert again.names[:2] == ("longitude", "latitude")
    for name, twin in zip(again.names, [*table.names, "none"], strict=True):
        expected = table.columns[twin].tolist() if twin != "none" else [None] * len(table)
        assert again.columns[name].tolist() == expected


@pytest.mark.repeated(1)
@pytest.mark.parametrize("kind", ["las", "laz"])
@settings(few, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-3, 1.0, 1e7]), n=st.integers(1, 9))
def test_las_rounds_coordinates_to_its_scale_and_nothing_else(kind: str, seed: int, size: float, n: int) -> None:
    pytest.importorskip(EXTRAS[kind])
    rng = np.random.default_rng(seed)
    places = size * (rng.normal(size=(n, 3)) + 100)
    columns = dict(zip("xyz", places.T, strict=True)) | {
        "intensity": rng.integers(0, 2**16, n),
        "label": rng.integers(-(2**63), 2**63 - 1, n),
        "x moved": rng.normal(size=n),
    }
    again = read(encode(Table(columns), kind), name=f"points.{kind}")
    assert again.axes == ("x", "y", "z")
    np.testing.assert_allclose(again.numbers(), places, rtol=0, atol=1e-8 * max(size, 1e-1) * 10)
    for name in ("intensity", "label", "x moved"):
        assert again.columns[name].tolist() == columns[name].tolist()
    twice = read(encode(again, kind), name=f"points.{kind}")
    assert twice.numbers().tolist() == again.numbers().tolist()
    assert twice.names == again.names


def test_every_kind_is_tried() -> None:
    assert set(KINDS) == {"csv", "tsv", "txt", "parquet", "npy", "npz", "arff", "ply", "geojson", "las", "laz"}


cells = st.one_of(
    floats.map(repr),
    integers.map(str),
    st.sampled_from(
        ["1", "2.5", "007", "-0", "0", "00", "1e5", "1E-05", "+5", "nan", "", "NA", "inf", "-0.0", " 7", "8 ", "0x1"]
    ),
    st.sampled_from(["a", "b c", "d", "#no", "é", "9007199254740993.0", "9007199254740993", "1_0", "\t"]),
)


@pytest.mark.slow
@settings(few, max_examples=150)
@given(
    st.integers(1, 3).flatmap(lambda m: st.lists(st.lists(cells, min_size=m, max_size=m), min_size=1, max_size=8)),
    st.sampled_from([",", ";", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_arrow_and_the_careful_reader_agree(rows: list[list[str]], delimiter: str, end: str, header: bool) -> None:
    pytest.importorskip("pyarrow")
    rows = ([[f"name{k}" for k in range(len(rows[0]))]] if header else []) + 40 * [["3"] * len(rows[0])] + rows
    content = (end.join(map(delimiter.join, rows)) + end).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick, "_SMALL", 10**9)
        careful = read(content)
        patch.setattr(quick, "_SMALL", 0)
        quickly = read(content)
    assert_same(quickly, careful)
    assert encode(quickly, "csv") == encode(careful, "csv")
    assert list(quickly.rows.numbers) == list(careful.rows.numbers)


def test_arrow_reads_what_is_plain(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does take part: the statement above is not empty."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(
        "wasserstein_transform.tables.text.reading._read_carefully", lambda *_: pytest.fail("not plain")
    )
    monkeypatch.setattr(quick, "_SMALL", 0)
    held = io.StringIO()
    held.write("x,y,id,word\n")
    for k, (x, y) in enumerate(rng.normal(size=(300, 2)).tolist()):
        held.write(f"{x!r},{y / 1e9!r},{k},word {k % 7}\n")
    table = read(held.getvalue().encode())
    assert [array.dtype.kind for array in table.columns.values()] == ["f", "f", "i", "U"]
    assert table.where(299, "x") == "the table, line 301, column x"
