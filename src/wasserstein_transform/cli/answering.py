"""What a command found, as lines, as a table and as a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

_DPI = 200
_DATELESS = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # the same figure is the same file


@dataclass(frozen=True)
class Answer:
    """What a command found.

    Attributes
    ----------
    words : list of str
        For people: lines.
    result, parameters : dict
        For the summary: what came out; what it was computed with, and what of it was chosen.
    encode : callable
        The table as a file of a kind.
    draw : callable, optional
        The figure.
    more, elsewhere : dict
        Other files: of the folder by name, and where options name them.
    """

    words: list[str]
    result: dict[str, Any]
    parameters: dict[str, Any]
    encode: Callable[[str], bytes]
    draw: Callable[[], Any] | None = None
    more: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    elsewhere: dict[str, Callable[[Path], bytes]] = field(default_factory=dict)


def drawn(figure: Any, kind: str) -> bytes:
    """A figure as a file; of Axes, the figure they are in."""
    figure = getattr(figure, "figure", figure)
    raw = BytesIO()
    figure.savefig(raw, format=kind, dpi=_DPI, metadata=_DATELESS.get(kind))
    return raw.getvalue()
