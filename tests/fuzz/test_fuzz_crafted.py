"""Files made to do harm: all are refused by one clear error, in little time and memory; none of them runs code."""

from __future__ import annotations

import pytest

from fuzz.crafted import CRAFTED, SLOW
from fuzz.doors import DOORS
from fuzz.reader import Reader

pytestmark = pytest.mark.slow

_NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CRAFTED]


@pytest.mark.parametrize("name", _NAMES)
def test_a_crafted_file_is_refused_in_a_line(name: str, reader: Reader) -> None:
    door, make = CRAFTED[name]
    content = make()
    answer = reader.ask(door, DOORS[door].file, content, DOORS[door].seeds())
    assert answer.fault(DOORS[door].file, len(content)) is None
