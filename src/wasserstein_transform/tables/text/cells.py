"""Convert cells to columns: integers, floats or strings, depending on all rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import EXACT, Kept, is_missing, number_of, words

_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")
_NOT_AS_WRITTEN = re.compile(r"^[^\S\n]*(?:[+-]?0[0-9]|-0\s*$)", re.MULTILINE)  # 007 would be written as 7


class Column:
    """A column that is being read in chunks of rows.

    Text is kept only if the numbers do not represent it fully. If this is found out after some rows were read,
    `lacks_text` is True and the text is gathered in a second pass.
    """

    def __init__(self, decimal_comma: bool = False) -> None:
        self._decimal_comma = decimal_comma
        self._whole, self._is_words, self._any_number = True, False, False
        self._parts: list[NDArray[Any]] = []
        self._texts: list[Sequence[str]] = []
        self._keeps, self._n_parts = False, 0

    @property
    def lacks_text(self) -> bool:
        """Whether the text of earlier rows is needed but was not kept."""
        return self._keeps and len(self._texts) < self._n_parts

    def add(self, cells: Sequence[str]) -> None:
        """Add cells of the next rows."""
        self._n_parts += 1
        if not self._is_words:
            self._convert([_with_point(cell) for cell in cells] if self._decimal_comma else cells)
        if self._keeps:
            self._texts.append(cells)

    def gather(self, cells: Sequence[str]) -> None:
        """Add the text of cells, in the second pass."""
        self._texts.append(cells)

    def forget_texts(self) -> None:
        """Discard the texts, before the second pass."""
        self._texts = []

    def finish(self) -> tuple[NDArray[Any], Kept | None]:
        """The values, and the original cells if the values do not represent them fully."""
        texts = words(list(chain.from_iterable(self._texts))) if self._keeps else None
        if self._is_words or not self._any_number:
            if texts is None:  # all cells are nan
                texts = words([repr(value) for part in self._parts for value in part.tolist()])
            if not self._decimal_comma:
                return texts, None
            return words([_with_point(cell) for cell in texts.tolist()]), Kept("text", texts)
        values = np.concatenate(self._parts)
        return values, None if texts is None else Kept("text", texts)

    def _convert(self, cells: Sequence[str]) -> None:
        values = self._integers(cells) if self._whole else None
        if values is None:
            self._leave_integers()
            values = self._floats(cells)
        if values is None:
            self._is_words, self._keeps, self._parts = True, True, []
            return
        self._parts.append(values)

    def _integers(self, cells: Sequence[str]) -> NDArray[Any] | None:
        try:
            values = np.array(list(map(int, cells)), np.int64)
        except (ValueError, OverflowError):
            return None
        joined = "\n".join(cells)
        if not joined.isascii() or "_" in joined:
            return None
        self._any_number = True
        self._keeps = self._keeps or _NOT_AS_WRITTEN.search(joined) is not None
        return values

    def _leave_integers(self) -> None:
        """Convert the integers read so far to floats."""
        if self._whole:
            self._keeps = self._keeps or any(np.abs(part).max(initial=0) > EXACT for part in self._parts)
            self._parts = [part.astype(np.float64) for part in self._parts]
            self._whole = False

    def _floats(self, cells: Sequence[str]) -> NDArray[Any] | None:
        values = _all_floats(cells)
        if values is None:
            numbers = [np.nan if is_missing(cell) else number_of(cell) for cell in cells]
            if any(number is None for number in numbers):
                return None
            values = np.array(numbers, np.float64)
        self._any_number = self._any_number or not np.isnan(values).all()
        if not np.isfinite(values).all() or any(
            _is_rounded(cells[k]) for k in np.flatnonzero(np.abs(values) >= EXACT).tolist()
        ):
            self._keeps = True
        return values


def _all_floats(cells: Sequence[str]) -> NDArray[Any] | None:
    try:
        values = np.array(list(map(float, cells)), np.float64)
    except ValueError:
        return None
    joined = "".join(cells)
    return None if "_" in joined or not joined.isascii() else values


def _is_rounded(cell: str) -> bool:
    """Whether an integer has more digits than a float can hold."""
    try:
        return int(cell) != float(cell)
    except (ValueError, OverflowError):
        return False


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell


def has_decimal_comma(cell: str) -> bool:
    """Whether a cell is a number with a decimal comma, such as 1,5."""
    return _DECIMAL_COMMA.fullmatch(cell) is not None
