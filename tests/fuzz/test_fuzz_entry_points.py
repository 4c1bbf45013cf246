"""Every entry point, with changed files: a value, or one clear error; never a hang, never too much memory.

`WT_FUZZ_SECONDS=600 pytest tests/fuzz` goes on for so long, with other changes every time; `make fuzz` does that. A
failure says which `WT_FUZZ_SEED` repeats it.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings, strategies as st

from fuzz.entry_points import ENTRY_POINTS
from fuzz.mutations import apply, mutations
from fuzz.reader import Reader

pytestmark = pytest.mark.slow

_CASES = 25  # of each entry point in the suite
_LONGER = float(os.environ.get("WT_FUZZ_SECONDS", "0"))
_SEED = os.environ.get("WT_FUZZ_SEED")


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_valid_files_are_read(name: str, reader: Reader) -> None:
    for content in ENTRY_POINTS[name].seeds():
        answer = reader.ask(name, ENTRY_POINTS[name].file, content)
        assert answer.error is None, answer


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_whatever_becomes_of_a_file_it_is_a_value_or_one_clear_error(name: str, reader: Reader) -> None:
    for number, n_cases in _rounds():
        try:
            _checked(name, reader, number, n_cases)()
        except BaseException as error:
            if number is not None:
                error.add_note(f"WT_FUZZ_SEED={number} pytest tests/fuzz -k 'clear_error and {name}' repeats it")
            raise


def _checked(name: str, reader: Reader, number: int | None, n_cases: int) -> Callable[[], None]:
    """Some changed files of an entry point, as a test: drawn by a number, or always the same ones."""
    entry_point = ENTRY_POINTS[name]
    made = entry_point.seeds()

    def check(which, layer, part, changes, other) -> None:
        content = layer(made[which], lambda inside: apply(changes, inside, made[other]), part)
        fault = reader.ask(name, entry_point.file, content, made).fault(entry_point.file, len(content))
        if fault is not None:
            note(f"{entry_point.file}: {content[:2000]!r}")
        assert fault is None, f"{name}: {fault}"

    drawn = given(
        which=st.integers(0, len(made) - 1),
        layer=st.sampled_from(entry_point.layers),
        part=st.integers(0, 40),
        changes=mutations,
        other=st.integers(0, len(made) - 1),
    )(check)
    run = settings(
        derandomize=number is None,
        database=None,
        deadline=None,
        max_examples=n_cases,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )(drawn)
    return run if number is None else seed(number)(run)


def _rounds() -> Iterator[tuple[int | None, int]]:
    """A fixed one; the one that is asked for; or as many as there is time for."""
    if _SEED:
        yield int(_SEED), 16 * _CASES
        return
    yield None, _CASES
    end = time.monotonic() + _LONGER / len(ENTRY_POINTS)
    while time.monotonic() < end:
        yield secrets.randbits(32), 16 * _CASES
