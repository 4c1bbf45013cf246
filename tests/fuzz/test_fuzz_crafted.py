"""Files made to do harm: all are refused by one clear error, in little time and memory; none of them runs code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fuzz.crafted import CRAFTED
from fuzz.doors import DOORS
from fuzz.reader import Reader


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    found = Reader(tmp_path_factory.mktemp("crafted"))
    yield found
    found.close()


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_file_is_refused_in_a_line(name: str, reader: Reader) -> None:
    door, make = CRAFTED[name]
    content = make()
    answer = reader.ask(door, DOORS[door].file, content, DOORS[door].seeds())
    assert answer.fault(DOORS[door].file, len(content)) is None
