"""Parquet files, and what is said where the extra is not installed."""

from __future__ import annotations

import datetime as dt
import io

import pytest
from encoding import encode

import wasserstein_transform as wt
from wasserstein_transform.tables import Table, read


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
    assert table.numeric == ("x", "n", "id", "price")
    assert table.columns["id"].tolist() == [2**63 + 1, 2]
    assert table.columns["kind"].tolist() == ["u", "v"]
    assert table.columns["word"].tolist() == ["a", None]
    assert table.columns["maybe"].tolist() == ["True", None]
    assert table.columns["when"].dtype.kind == table.columns["day"].dtype.kind == "M"
    assert table.notes == ("points.parquet: nested columns are left out: many",)
    with pytest.raises(ValueError, match=r"points\.parquet, column many holds list<.*>, more than one value per row"):
        table.numbers(["many"])
    with pytest.raises(ValueError, match="row 2, column n"):
        table.numbers()
    again = pq.read_table(io.BytesIO(encode(table.with_columns({"label": [0, 1]}).take([1, 0]), "parquet")))
    del columns["many"]
    assert again.drop_columns(["label"]).equals(pa.table(columns).take([1, 0]))
    assert again["label"].to_pylist() == [1, 0]
    assert encode(table.select(["when", "word", "maybe"]), "csv").decode().splitlines()[1:] == [
        "2020-01-01T12:00:00.000,a,True",
        ",,",
    ]


def test_parquet_that_is_cut_off_or_empty_is_refused() -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    good = encode(Table({"x": [1, 2]}), "parquet")
    with pytest.raises(ValueError, match="damaged"):
        read(good[:-20], name="points.parquet")
    held = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), held)
    with pytest.raises(ValueError, match=r"has columns \(x\) and no rows"):
        read(held.getvalue(), name="points.parquet")
    held = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array([[1]])}), held)
    with pytest.raises(ValueError, match=r"has only nested columns \(x\)"):
        read(held.getvalue(), name="points.parquet")


def test_arrow_tables_are_tables() -> None:
    pa = pytest.importorskip("pyarrow")
    assert wt.tables.as_table(pa.table({"x": [1.5, 2.5]})).numbers().tolist() == [[1.5], [2.5]]


@pytest.mark.slow
def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, kind, content in (
        ("pyarrow", "parquet", b"PAR1...."),
        ("laspy", "las", b"LASF" + bytes(400)),
    ):
        monkeypatch.setitem(__import__("sys").modules, module, None)
        with pytest.raises(
            ImportError, match=rf"(Parquet|LAS) files need {module}, which is not installed; pip install"
        ):
            read(content, name=f"points.{kind}")
    assert read(b"x,y\n" + b"1,2\n" * 300_000).numbers().shape == (300_000, 2)  # without Arrow, too
