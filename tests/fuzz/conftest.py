"""One process reads for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fuzz.reader import Reader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    found = Reader(tmp_path_factory.mktemp("fuzz"))
    yield found
    found.close()
