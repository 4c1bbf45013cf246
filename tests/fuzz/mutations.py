"""Changes of bytes, as values: what Hypothesis draws, makes smaller and prints."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Protocol

from hypothesis import strategies as st

_NUMBERS = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FORMATS = ("<b", "<h", "<i", "<q", ">h", ">i", ">q", "<f", "<d", ">f", ">d")
_WHOLE = (0, -1, 1, 2**7, 2**15 - 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 10**6, 10**9)
_FLOATS = (float("nan"), float("inf"), -float("inf"), -0.0, 1e-320, 1e38, 1e300)
_WRITTEN = (
    b"0", b"-1", b"00", b"2147483648", b"4294967296", b"9223372036854775807", b"9223372036854775808", b"1e400", b"nan",
    b"-inf", b"0x10", b"1_0", b"1000000000", b"9" * 5000, b"0." + b"3" * 5000, b"", b"null", b"true", b"\xb2",
)  # fmt: skip
_TOKENS = (
    b"\0", b"\n", b"\r", b"\r\n", b'"', b"'", b"\\", b",", b";", b"\t", b"|", b" ", b"#", b"%", b"@", b"{", b"}", b"[",
    b"]", b"<", b">", b"&", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x80", b"?", b"NaN", b"Infinity", b"e",
    b"..", b"/", b"sep=;\n", b"@data\n", b"end_header\n", b'"a', b"a" * 300, b" " * 3000, b"[" * 1200, b'{"a":' * 400,
    b",," * 500, b"\n" * 700, b"element vertex 9\n", b"<!DOCTYPE a>", b"&lt;", b"property list uchar int x\n",
)  # fmt: skip


class Mutation(Protocol):
    """A change."""

    def __call__(self, content: bytes, other: bytes) -> bytes: ...


@dataclass(frozen=True)
class Flip:
    """Another byte."""

    at: int
    by: int

    def __call__(self, content: bytes, other: bytes) -> bytes:
        at = self.at % (len(content) or 1)
        return content[:at] + bytes(byte ^ self.by for byte in content[at : at + 1]) + content[at + 1 :]


@dataclass(frozen=True)
class Cut:
    """Nothing after some byte."""

    at: int

    def __call__(self, content: bytes, other: bytes) -> bytes:
        return content[: self.at % (len(content) + 1)]


@dataclass(frozen=True)
class Drop:
    """Some bytes less."""

    at: int
    length: int

    def __call__(self, content: bytes, other: bytes) -> bytes:
        at = self.at % (len(content) + 1)
        return content[:at] + content[at + self.length :]


@dataclass(frozen=True)
class Repeat:
    """Some bytes several times."""

    at: int
    length: int
    times: int

    def __call__(self, content: bytes, other: bytes) -> bytes:
        at = self.at % (len(content) + 1)
        return content[:at] + content[at : at + self.length] * self.times + content[at + self.length :]


@dataclass(frozen=True)
class Splice:
    """The beginning of a file, and the end of another."""

    at: int
    there: int

    def __call__(self, content: bytes, other: bytes) -> bytes:
        return content[: self.at % (len(content) + 1)] + other[self.there % (len(other) + 1) :]


@dataclass(frozen=True)
class Put:
    """A number in bytes over what was there."""

    at: int
    format: str
    value: float

    def __call__(self, content: bytes, other: bytes) -> bytes:
        size = struct.calcsize(self.format)
        if self.format[1] in "fd":
            with_value = struct.pack(
                self.format, self.value if abs(self.value) < 1e38 or self.value != self.value else 0
            )
        else:
            order = "little" if self.format[0] == "<" else "big"
            whole = int(self.value) if abs(self.value) < 2**70 else 0
            with_value = (whole % 2 ** (8 * size)).to_bytes(size, order)
        at = self.at % (len(content) + 1)
        return content[:at] + with_value + content[at + size :]


@dataclass(frozen=True)
class Insert:
    """A sign, or many, between others."""

    at: int
    token: bytes
    times: int

    def __call__(self, content: bytes, other: bytes) -> bytes:
        at = self.at % (len(content) + 1)
        return content[:at] + self.token * self.times + content[at:]


@dataclass(frozen=True)
class Rewrite:
    """Another number where one is written."""

    which: int
    written: bytes

    def __call__(self, content: bytes, other: bytes) -> bytes:
        found = list(_NUMBERS.finditer(content))
        if not found:
            return content
        chosen = found[self.which % len(found)]
        return content[: chosen.start()] + self.written + content[chosen.end() :]


_places = st.integers(0, 1 << 16)
_lengths = st.integers(1, 200)
_wild = st.one_of(st.sampled_from(_WHOLE), st.sampled_from(_FLOATS))
_changes = st.one_of(
    st.builds(Flip, _places, st.integers(1, 255)),
    st.builds(Cut, _places),
    st.builds(Drop, _places, _lengths),
    st.builds(Repeat, _places, _lengths, st.sampled_from([2, 3, 40])),
    st.builds(Splice, _places, _places),
    st.builds(Put, _places, st.sampled_from(_FORMATS), _wild),
    st.builds(Insert, _places, st.sampled_from(_TOKENS), st.sampled_from([1, 2, 9])),
    st.builds(Rewrite, _places, st.sampled_from(_WRITTEN)),
)

mutations = st.lists(_changes, min_size=1, max_size=3)
"""One change, or a few."""


def apply(changes: list[Mutation], content: bytes, other: bytes) -> bytes:
    """All changes, one after another."""
    for change in changes:
        content = change(content, other)
    return content
