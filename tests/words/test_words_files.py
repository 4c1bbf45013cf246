"""Vectors from files: every format, and what can be wrong with them."""

from __future__ import annotations

import gzip
import lzma
import zlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.words import reading

NAMES = ["cat", "dog", "Ärger", "new york"]
MATRIX = np.array([[1, 0.5, -2], [0.25, 3, 1e-3], [4, 5, 6], [-1, -1, 0.125]], np.float32)


def text(names: list[str] = NAMES, header: bool = False) -> bytes:
    lines = [f"{name} {' '.join(map(repr, row.tolist()))}" for name, row in zip(names, MATRIX, strict=True)]
    return "\n".join([f"{len(names)} 3"] * header + lines + [""]).encode()


def binary(end: bytes = b"\n") -> bytes:
    return b"4 3\n" + b"".join(
        name.encode() + b" " + row.astype("<f4").tobytes() + end
        for name, row in zip([*NAMES[:3], "yak"], MATRIX, strict=True)
    )


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gz", "xz"])
@pytest.mark.parametrize(
    "content", [text(), text(header=True), text().replace(b"\n", b" \r\n")], ids=["bare", "header", "spaces"]
)
def test_texts_are_read_whatever_they_are_packed_in(tmp_path: Path, content: bytes, pack) -> None:
    (tmp_path / "vectors").write_bytes(pack(content))
    found = wt.words.read_vectors(tmp_path / "vectors")
    assert found.words == tuple(NAMES)
    assert np.array_equal(found.matrix, MATRIX)
    assert not found.skipped


@pytest.mark.parametrize("end", [b"\n", b""])
def test_binary_vectors_are_read(tmp_path: Path, end: bytes, monkeypatch) -> None:
    (tmp_path / "vectors.bin").write_bytes(binary(end))
    found = wt.words.read_vectors(tmp_path / "vectors.bin")
    assert found.words == ("cat", "dog", "Ärger", "yak")
    assert np.array_equal(found.matrix, MATRIX)


def test_long_files_are_read_in_blocks(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(reading, "_LINES", 3)
    (tmp_path / "vectors.txt").write_bytes(text())
    assert np.array_equal(wt.words.read_vectors(tmp_path / "vectors.txt").matrix, MATRIX)


def test_vectors_of_gensim_are_taken() -> None:
    keyed = SimpleNamespace(key_to_index={"b": 1, "a": 0}, vectors=MATRIX[:2])
    for source in (keyed, SimpleNamespace(wv=keyed)):
        found = reading.as_vectors(source)
        assert found.words == ("b", "a")
        assert np.array_equal(found["a"], MATRIX[0])


def test_the_first_of_equal_words_counts_and_zeros_are_left_out() -> None:
    found = wt.words.WordVectors.of(["a", "b", "a", "z"], [[1.0, 0], [0, 1], [5, 5], [0, 0]])
    assert found.words == ("a", "b")
    assert found["a"].tolist() == [1, 0]
    assert found.skipped == {"came again": 1, "vectors of zeros": 1}


# named, for bytes make no names for tests: those of gzip hold the time
WRONG_FILES = {
    "empty": (b"", "its first line is empty"),
    "short": (b"cat 1 2\ndog 1\n", "line 2 holds 1 numbers, and the first 2"),
    "no number": (b"cat 1 2\ndog 1 x\n", r"line 2 must hold 2 finite numbers after its word, got 'dog 1 x"),
    "not finite": (b"cat 1 2\ndog 1 nan\n", "line 2 must hold 2 finite numbers"),
    "gap": (b"cat 1 2\n\nyak 1 2\n", "line 2 must hold a word and 2 numbers"),
    "short and long": (b"cat 1 2\ndog 1\nyak 1 2 3\n", "line 2 holds 1 numbers"),
    "word alone": (b"cat\n", "line 1 must hold a word and its numbers"),
    "latin": ("cat 1 2\nÄrger 1 2\n".encode("latin-1"), r"line 2: b'\\xc4rger' is not UTF-8; convert"),
    "fewer words": (b"3 2\ncat 1 2\ndog 1 2\n", "announces 3 words and holds 2; it is cut off"),
    "no words": (b"0 2\n", "announces 0 words in 2 dimensions"),
    "binary cut off": (binary()[:-6], "ends within word 4; it is cut off"),
    "binary with more": (binary() + b"rest", "holds more; correct its first line"),
    "xz cut off": (lzma.compress(text())[:-30], "cut off or damaged"),
    "gz damaged": (gzip.compress(text())[:15] + bytes([255] * 9) + gzip.compress(text())[24:], "cut off or damaged"),
    "long": (b"cat 1.0 2.0\ndog 1.0 2.0 3.0\n", "line 2 holds 3 numbers, and the first 2"),
    "false count": (b"99999999999999 300\ncat \x00\x01", "ends within word 1; it is cut off"),
    "false size": (
        b"3 99999999999999999999\ncat \x00\x01",
        "line 1 announces 3 words in 99999999999999999999 dimensions",
    ),
}


@pytest.mark.parametrize(("content", "error"), WRONG_FILES.values(), ids=WRONG_FILES)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: bytes, error: str) -> None:
    (tmp_path / "vectors").write_bytes(content)
    with pytest.raises(ValueError, match=error):
        wt.words.read_vectors(tmp_path / "vectors")


@pytest.mark.parametrize("header", [False, True])
def test_byte_order_marks_are_no_part_of_words(tmp_path: Path, header: bool) -> None:
    (tmp_path / "vectors").write_bytes(b"\xef\xbb\xbf" + text(header=header))
    assert wt.words.read_vectors(tmp_path / "vectors").words == tuple(NAMES)


BOMBS = {
    "one long line": (
        b"a " + b"0 " * (1 << 23),
        "line 1 has more than 16.0 MiB and begins with 'a 0 0 .* is it text?",
    ),
    "a long second line": (b"a 1 2\nb " + b"1 " * (1 << 23), "line 2 has more than 16.0 MiB"),
    "too many numbers": (b"a" + b" 0" * ((1 << 20) + 1), "line 1 holds more than 1048576 numbers"),
    "a word without an end": (
        b"2 3\n\x00\xff" + b"\x01" * (1 << 21),
        "no blank in a million bytes, where word 1 should",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_does_not_unpack_to_more_than_lines_can_be(name: str, tmp_path: Path) -> None:
    content, message = BOMBS[name]
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(content, 1))
    assert (tmp_path / "bomb.gz").stat().st_size < 10**6
    with pytest.raises(ValueError, match=message):
        wt.words.read_vectors(tmp_path / "bomb.gz")


@pytest.mark.parametrize("content", [text(), binary()], ids=["text", "binary"])
def test_reading_takes_no_more_memory_than_there_is(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(content)
    message = r"vectors takes more than 100 bytes of memory to read; .* raise the limit with wt.using\(memory=…\)"
    with wt.using(memory=100), pytest.raises(MemoryError, match=message):
        wt.words.read_vectors(tmp_path / "vectors")


def test_xz_that_wants_all_memory_is_refused(tmp_path: Path) -> None:
    head = bytearray(lzma.compress(text(), check=lzma.CHECK_NONE))
    assert head[12:17] == bytes([2, 0, 0x21, 1, head[16]])  # a block of one filter, LZMA2, with the size of its window
    head[16] = 40  # 4 GiB
    head[20:24] = zlib.crc32(bytes(head[12:20])).to_bytes(4, "little")
    (tmp_path / "vectors.xz").write_bytes(head)
    with pytest.raises(
        ValueError, match=r"takes more than 256.0 MiB to decompress; compress it again with xz -9 or less"
    ):
        wt.words.read_vectors(tmp_path / "vectors.xz")
