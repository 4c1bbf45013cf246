"""The answer of a command: lines of text, a table, and a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

_DPI = 200
_DATELESS = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # so that the same figure gives the same file


@dataclass(frozen=True)
class Answer:
    """The answer of a command.

    Attributes
    ----------
    words : list of str
        Lines to print.
    result, parameters : dict
        Results and parameters for the summary.
    encode : callable
        Function from a file format to the encoded table.
    draw : callable, optional
        Function that draws the figure.
    more, elsewhere : dict
        Other files: by name in the output folder, and at paths given by options.
    """

    words: list[str]
    result: dict[str, Any]
    parameters: dict[str, Any]
    encode: Callable[[str], bytes]
    draw: Callable[[], Any] | None = None
    more: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    elsewhere: dict[str, Callable[[Path], bytes]] = field(default_factory=dict)


def drawn(figure: Any, kind: str) -> bytes:
    """Encode a figure, or the figure of Axes, as a file."""
    figure = getattr(figure, "figure", figure)
    raw = BytesIO()
    figure.savefig(raw, format=kind, dpi=_DPI, metadata=_DATELESS.get(kind))
    return raw.getvalue()
