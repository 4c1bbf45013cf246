"""The page that a researcher reads first: short, and its answers are the library's."""

from __future__ import annotations

from reference.transforms import BLOCKS, NAMES, PAGE


def test_the_transform_fits_in_a_hundred_lines_and_the_library_agrees() -> None:
    code, comparison = BLOCKS
    assert len(code.splitlines()) <= 100
    said: list[object] = []
    exec(compile(comparison, PAGE.name, "exec"), {**NAMES, "print": said.append})
    assert said == [True] * 4
