"""Every entry point, with changed files: a value, or one clear error; never a hang, never too much memory.

`WT_FUZZ_SECONDS=600 pytest tests/fuzz` goes on for so long, with other changes every time; `make fuzz` does that.
"""

from __future__ import annotations

import os
import random
import time
from itertools import count

import pytest

from fuzz.entry_points import ENTRY_POINTS
from fuzz.mutations import damaged
from fuzz.reader import Reader

pytestmark = pytest.mark.slow

_CASES = 25  # of each entry point, at least
_SECONDS = float(os.environ.get("WT_FUZZ_SECONDS", "0"))
_FIRST_SEED = 0 if _SECONDS == 0 else time.time_ns()


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_valid_files_are_read(name: str, reader: Reader) -> None:
    for content in ENTRY_POINTS[name].seeds():
        answer = reader.ask(name, ENTRY_POINTS[name].file, content)
        assert answer.error is None, answer


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_whatever_becomes_of_a_file_it_is_a_value_or_one_clear_error(name: str, reader: Reader) -> None:
    entry_point, end = ENTRY_POINTS[name], time.monotonic() + _SECONDS / len(ENTRY_POINTS)
    made = entry_point.seeds()
    for case in count():
        if case >= _CASES and time.monotonic() > end:
            break
        rng = random.Random(_FIRST_SEED + case)
        layer, whole, other = rng.choice(entry_point.layers), rng.choice(made), rng.choice(made)
        content = layer(whole, lambda inside, rng=rng, other=other: damaged(rng, inside, other), rng.randrange(40))
        fault = reader.ask(name, entry_point.file, content, made).fault(entry_point.file, len(content))
        assert fault is None, f"{name}, seed {_FIRST_SEED + case}: {fault}; {content[:2000]!r}"
