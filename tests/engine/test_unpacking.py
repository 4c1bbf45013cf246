"""Files of xz, piece by piece and within memory: what lzma makes of them at once."""

from __future__ import annotations

import io
import lzma

import numpy as np
import pytest

from wasserstein_transform.engine.memory import WindowError, open_xz

TEXT = np.random.default_rng(0).integers(0, 9, 300_000).astype(np.uint8).tobytes()


@pytest.mark.parametrize(
    "packed",
    [
        lzma.compress(TEXT),
        lzma.compress(TEXT[:1000]) + lzma.compress(b"") + lzma.compress(TEXT[1000:]),
        lzma.compress(TEXT[:7]) + bytes(8) + lzma.compress(TEXT[7:]) + bytes(70_000),
    ],
    ids=["one part", "parts", "filled up with zeros"],
)
def test_all_parts_are_unpacked(packed: bytes) -> None:
    with open_xz(io.BytesIO(packed), "x.xz") as stream:
        assert stream.read(10) == TEXT[:10]
        assert stream.read() == TEXT[10:]
        assert stream.read() == b""


@pytest.mark.parametrize("packed", [lzma.compress(TEXT)[:-30], lzma.compress(TEXT) + lzma.compress(TEXT)[:20]])
def test_what_is_cut_off_is_no_end(packed: bytes) -> None:
    with open_xz(io.BytesIO(packed), "x.xz") as stream, pytest.raises(EOFError):
        stream.read()


def test_what_follows_must_be_xz() -> None:
    with open_xz(io.BytesIO(lzma.compress(TEXT) + b"words" * 9), "x.xz") as stream, pytest.raises(lzma.LZMAError):
        stream.read()


def test_a_later_part_takes_no_more_memory_than_the_first() -> None:
    from fuzz.hostile import xz_that_needs_memory  # noqa: PLC0415

    for whole in (True, False):
        stream = open_xz(io.BytesIO(xz_that_needs_memory(whole)), "x.xz")
        with stream, pytest.raises(WindowError, match=r"x\.xz takes more than 256\.0 MiB to decompress"):
            stream.read()
