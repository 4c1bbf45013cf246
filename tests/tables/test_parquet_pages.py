"""Pages of Parquet files: what they announce is what Arrow wrote, and words come back as they were."""

from __future__ import annotations

import io

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.tables import read
from wasserstein_transform.tables.formats.pages import PageError, pages_of

pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")


def _written(table, **options) -> bytes:
    held = io.BytesIO()
    parquet.write_table(table, held, **options)
    return held.getvalue()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_pages_add_up_to_what_the_directory_says(version: str, compression: str, dictionary: bool) -> None:
    rng = np.random.default_rng(0)
    table = pa.table(
        {"x": rng.normal(size=5000), "s": [f"word {k % 300}" for k in range(5000)], "n": np.zeros(5000, int)}
    )
    content = _written(
        table, data_page_version=version, compression=compression, use_dictionary=dictionary, row_group_size=2000,
        data_page_size=3000,
    )  # fmt: skip
    about = parquet.ParquetFile(io.BytesIO(content)).metadata
    for k in range(about.num_row_groups):
        for j in range(about.num_columns):
            column = about.row_group(k).column(j)
            start = min(column.data_page_offset, column.dictionary_page_offset or column.data_page_offset)
            pages = list(pages_of(content, start, column.total_compressed_size))
            assert sum(page.n_values for page in pages) == column.num_values
            size = sum(page.n_bytes for page in pages)
            assert size < column.total_uncompressed_size < size + 100 * len(pages)  # headers of pages count there


def test_pages_that_are_none_are_refused() -> None:
    with pytest.raises(PageError, match="outside of the file"):
        list(pages_of(b"PAR1", 2, 9))
    for content in (b"\x00" * 9, b"\xff" * 9, b"\x1c" * 40, b"\x15\x00\x15\x01\x15\x01\x00"):
        with pytest.raises(PageError):
            list(pages_of(content, 0, len(content)))


def test_words_come_back_with_the_types_they_had() -> None:
    table = pa.table(
        {
            "s": pa.array(["a", None, "ü", "a"]),
            "l": pa.array(["a", "b", "c", "a"], pa.large_string()),
            "b": pa.array([b"a", b"\xff", None, b""]),
            "d": pa.array(["u", "v", "u", None]).dictionary_encode(),
            "nested": pa.array([[1], [], None, [2, 3]]),
        }
    )
    found = read(_written(table), name="x.parquet")
    assert found.columns["s"].tolist() == ["a", None, "ü", "a"]
    assert found.kept["l"].cells.type == pa.large_string()
    assert found.kept["b"].cells.type == pa.binary()
    assert found.kept["d"].cells.type == table.schema.field("d").type
    assert set(found.left_out) == {"nested"}


def test_words_that_repeat_are_counted_before_they_are_written_out() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(2000, np.int32)), pa.array(["a" * 50_000]))
    for stored in (True, False):  # as a dictionary, and as plain words
        content = _written(pa.table({"s": column}), store_schema=stored)
        with wt.using(memory=5e7), pytest.raises(MemoryError, match=r"reading x\.parquet needs 28\d\.\d MiB"):
            read(content, name="x.parquet")
