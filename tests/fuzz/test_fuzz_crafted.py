"""Files made to do harm: all are refused by one clear error, in little time and memory; none of them runs code."""

from __future__ import annotations

import pytest

from fuzz.crafted import CRAFTED
from fuzz.entry_points import ENTRY_POINTS
from fuzz.reader import Reader

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_file_is_refused_in_a_line(name: str, reader: Reader) -> None:
    entry_point, make = CRAFTED[name]
    content = make()
    answer = reader.ask(entry_point, ENTRY_POINTS[entry_point].file, content, ENTRY_POINTS[entry_point].seeds())
    assert answer.fault(ENTRY_POINTS[entry_point].file, len(content)) is None
