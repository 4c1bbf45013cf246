"""Gaps of tables: typical values that fill them, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from .. import _check as check
from .._display import counted
from .._types import Bools, Floats
from .cells import Column, list_names
from .scaling import quantile

NEAREST_ROWS = 5  # complete rows whose median fills a gap


def blocks(used: Iterable[Column]) -> Iterator[tuple[Column, slice]]:
    """Columns, each with where its coordinates are."""
    end = 0
    for column in used:
        yield column, slice(end, end := end + len(column.names))


def typical(values: Floats, masses: Floats, used: tuple[Column, ...]) -> Floats:
    """The median of values, shape (..., n, m), with masses of shape (..., n); of categories, the most frequent one."""
    out = quantile(values, masses, 0.5)
    for column, block in blocks(used):
        if column.kind in ("category", "boolean"):
            share = (values[..., block] * masses[..., None]).sum(axis=-2)
            min_share = share.max(axis=-1) if column.kind == "category" else masses.sum(axis=-1) / 2
            best = share >= min_share[..., None]
            out[..., block] = best & (np.cumsum(best, axis=-1) == 1)
    return out


def fill_by_columns(values: Floats, masses: Floats, used: Sequence[Column]) -> Floats:
    """Fill gaps with the typical value of the column."""
    out = values.copy()
    for column, block in blocks(used):
        gaps = np.isnan(values[:, block]).any(axis=1)
        if gaps.any():
            is_complete = ~gaps & (masses > 0)
            out[gaps, block] = typical(values[is_complete, block], masses[is_complete], (column,))
    return out


def gaps_in_words(values: Floats, names: tuple[str, ...]) -> str:
    """The error for cells without values."""
    counts = np.isnan(values).sum(axis=0)
    where = list_names([f"{count} in column {name}" for name, count in zip(names, counts, strict=True) if count])
    said = f"{counted(int(counts.sum()), 'cell')} {'has' if counts.sum() == 1 else 'have'} no value: {where}"
    drop, fill = check.option_text("missing='drop'"), check.option_text("missing='fill'")
    return f"{said}; {drop} leaves their rows out, {fill} fills them"


def say_gaps(gaps: Bools, missing: str) -> list[str]:
    """Say how many cells are missing and what is done about it: at most one note; a warning if most rows have gaps."""
    n, cells = int(gaps.any(axis=1).sum()), int(gaps.sum())
    if not n:
        return []
    if missing == "fill":
        return [
            f"{cells} missing cells in {n} rows were filled with the median of the {NEAREST_ROWS} nearest complete rows"
        ]
    verbs = ("has", "gets") if n == 1 else ("have", "get")
    said = f"{n} of {len(gaps)} rows {verbs[0]} missing cells and {verbs[1]} no cluster (label -1)"
    said += "; " + check.option_text("missing='fill'") + " fills the cells"
    if 2 * n > len(gaps):
        check.warn(said)
    return [said]
