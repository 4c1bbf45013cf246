"""What a reproduction came to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .part import Part
from .record import Change


@dataclass(frozen=True)
class Report:
    """What a reproduction came to.

    Attributes
    ----------
    parts : tuple of Part
        Those asked for, and what the folder had of others.
    changes : tuple of Change
        What differs from the record.
    quick : bool
    page, text : Path
        Where it is written, as HTML and as Markdown.
    """

    parts: tuple[Part, ...]
    changes: tuple[Change, ...]
    quick: bool
    page: Path
    text: Path

    @property
    def failed(self) -> tuple[Change, ...]:
        """Claims of which less came out than on record. Those that seconds decide do not count."""
        return tuple(change for change in self.changes if change.is_failure)
