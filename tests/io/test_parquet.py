"""Parquet files, and what is said where the extra is not installed."""

from __future__ import annotations

import datetime as dt
import io

import pytest
from encoding import encode
from pandas import DataFrame

from wasserstein_transform.io import read
from wasserstein_transform.tables import coordinates
from wasserstein_transform.tables.columns import numeric, with_columns


def test_parquet_keeps_the_types_of_what_is_not_changed() -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    noon = dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC)
    columns = {
        "x": pa.array([0.5, 1.5], pa.float32()),
        "n": pa.array([1, None], pa.int16()),
        "id": pa.array([2**63 + 1, 2], pa.uint64()),
        "when": pa.array([noon, None], pa.timestamp("ms", "UTC")),
        "day": pa.array([dt.date(2020, 1, 1), None]),
        "word": pa.array(["a", None]),
        "kind": pa.array(["u", "v"]).dictionary_encode(),
        "yes": pa.array([True, False]),
        "maybe": pa.array([True, None]),
        "price": pa.array([1, 2], pa.decimal128(9, 2)),
        "raw": pa.array([b"\x01", None]),
        "nothing": pa.nulls(2),
        "many": pa.array([[1, 2], [3]]),
    }
    held = io.BytesIO()
    pq.write_table(pa.table(columns), held)
    table = read(held.getvalue(), name="points.parquet")
    assert numeric(table) == ("x", "n", "id", "price")
    assert table["id"].tolist() == [2**63 + 1, 2]
    assert table["kind"].tolist() == ["u", "v"]
    assert table["word"].isna().tolist() == table["maybe"].isna().tolist() == [False, True]
    assert table["when"].dtype.kind == table["day"].dtype.kind == "M"
    assert table.attrs["notes"] == ["points.parquet: columns that are not numbers or words are left out: raw, many"]
    with pytest.raises(ValueError, match="row 2, column n"):
        coordinates(table)
    again = pq.read_table(io.BytesIO(encode(with_columns(table, {"label": [0, 1]}).take([1, 0]), "parquet")))
    del columns["many"], columns["raw"]
    assert again.drop_columns(["label"]).equals(pa.table(columns).take([1, 0]))
    assert again["label"].to_pylist() == [1, 0]
    assert encode(table[["when", "word", "maybe"]], "csv").decode().splitlines()[1:] == [
        "2020-01-01 12:00:00+00:00,a,True",
        ",,",
    ]


def test_parquet_that_is_cut_off_or_empty_is_refused() -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    good = encode(DataFrame({"x": [1, 2]}), "parquet")
    with pytest.raises(ValueError, match="damaged"):
        read(good[:-20], name="points.parquet")
    for values in (pa.array([], pa.float64()), pa.array([[1]])):
        held = io.BytesIO()
        pq.write_table(pa.table({"x": values}), held)
        with pytest.raises(ValueError, match="a table needs at least one of each"):
            read(held.getvalue(), name="points.parquet")


def test_the_index_of_a_frame_is_no_coordinate() -> None:
    pytest.importorskip("pyarrow")
    held = io.BytesIO()
    DataFrame({"x": [1.0, 2.0]}, index=[5, 7]).to_parquet(held)
    assert tuple(read(held.getvalue())) == ("x",)


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, kind, content in (
        ("pyarrow", "parquet", b"PAR1...."),
        ("laspy", "las", b"LASF" + bytes(400)),
        ("geopandas", "geojson", b"{}"),
        ("trimesh", "ply", b"ply\nend_header\n"),
    ):
        monkeypatch.setitem(__import__("sys").modules, module, None)
        with pytest.raises(
            ImportError, match=rf"(Parquet|LAS|GeoJSON|PLY) files need {module}, which is not installed; pip install"
        ):
            read(content, name=f"points.{kind}")
