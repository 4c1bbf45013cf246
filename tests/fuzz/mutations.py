"""Damaged files: bytes cut off, changed, repeated, or replaced by numbers and signs that readers stumble over."""

from __future__ import annotations

import random
import re

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WRITTEN = (
    b"0", b"-1", b"2147483648", b"9223372036854775808", b"1e400", b"nan", b"-inf", b"1_0", b"9" * 5000, b"", b"null",
)  # fmt: skip
_SIZES = (0, -1, 2**15 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
_SIGNS = (
    b"\0", b"\r", b'"', b"\\", b",", b";", b"\t", b"#", b"{", b"]", b"<", b"&", b"\xff\xfe", b"\xed\xa0\x80", b"NaN",
    b"a" * 300, b" " * 3000, b"[" * 1200, b'{"a":' * 400, b",," * 500, b"\n" * 700, b"<!DOCTYPE a>",
)  # fmt: skip


def damaged(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """Return a file after one to three changes; `other` is another file of its kind."""
    for _ in range(rng.randint(1, 3)):
        content = _changed(rng, content, other)
    return content


def _changed(rng: random.Random, content: bytes, other: bytes) -> bytes:
    start, length = rng.randrange(len(content) + 1), rng.randint(1, 200)
    head, part, tail = content[:start], content[start : start + length], content[start + length :]
    numbers = list(_NUMBER.finditer(content))
    match rng.randrange(8):
        case 0:
            return head + bytes(byte ^ rng.randint(1, 255) for byte in part[:1]) + part[1:] + tail
        case 1:
            return head
        case 2:
            return head + tail
        case 3:
            return head + part * rng.choice([2, 3, 40]) + tail
        case 4:
            return head + other[rng.randrange(len(other) + 1) :]
        case 5:
            size, order = rng.choice([2, 4, 8]), rng.choice(["little", "big"])
            value = (rng.choice(_SIZES) % 2 ** (8 * size)).to_bytes(size, order)  # type: ignore[arg-type]
            return head + value + content[start + size :]
        case 6 if numbers:
            number = rng.choice(numbers)
            return content[: number.start()] + rng.choice(_WRITTEN) + content[number.end() :]
        case _:
            return head + rng.choice(_SIGNS) * rng.choice([1, 2, 9]) + part + tail
