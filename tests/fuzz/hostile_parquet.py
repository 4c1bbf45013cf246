"""Parquet files that stand for more than they have bytes."""

from __future__ import annotations

import io
import struct

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from fuzz import hostile


def repeated_rows(megabytes: int) -> bytes:
    """Parquet of one number, repeated: some kilobytes for each gigabyte."""
    held = io.BytesIO()
    some = pa.table({"x": np.zeros(1 << 20)})
    with parquet.ParquetWriter(held, some.schema) as writer:
        for _ in range(megabytes // 8):
            writer.write_table(some)
    return held.getvalue()


def repeated_words(n: int = 20_000) -> bytes:
    """Parquet of one long word, repeated."""
    held = io.BytesIO()
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array(["a" * 500_000]))
    parquet.write_table(pa.table({"x": np.arange(n), "s": column}), held, store_schema=False)
    return held.getvalue()


def packed_page(megabytes: int = 2000) -> bytes:
    """Parquet with a page that unpacks to gigabytes, where its directory says that there are a few bytes."""
    held = io.BytesIO()
    parquet.write_table(
        pa.table({"x": np.zeros(100)}), held, compression="gzip", use_dictionary=False, write_statistics=False
    )
    content = held.getvalue()
    column = parquet.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0)
    start, length = column.data_page_offset, column.total_compressed_size
    page, size = hostile.gz_bomb(megabytes, hostile.ZEROS), megabytes << 20
    # a page header of Thrift: kind 0, both sizes, then what was there of the data page header
    old = content[start : start + length]
    tail = old[old.index(b"\x2c") :][: old[old.index(b"\x2c") :].index(b"\x1f\x8b")]
    head = b"\x15\x00\x15" + _zigzag(size) + b"\x15" + _zigzag(len(page)) + tail
    footer = content[start + length :]
    sizes = b"\x16" + _zigzag(column.total_uncompressed_size) + b"\x16" + _zigzag(length)
    if footer.count(sizes) != 1:
        pytest.skip("this pyarrow writes another directory")
    lying = b"\x16" + _zigzag(column.total_uncompressed_size) + b"\x16" + _zigzag(len(head) + len(page))
    footer = footer[:-8].replace(sizes, lying)
    return content[:start] + head + page + footer + struct.pack("<I", len(footer)) + b"PAR1"


def _zigzag(number: int) -> bytes:
    number, out = 2 * number, b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])
