"""The Report class."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .part import Part
from .record import Change


@dataclass(frozen=True)
class Report:
    """The result of a reproduction.

    Attributes
    ----------
    parts : tuple of Part
        The requested experiments, and others whose results were in the folder.
    changes : tuple of Change
        Differences from the record.
    quick : bool
    page, text : Path
        The files of the report, as HTML and as Markdown.
    """

    parts: tuple[Part, ...]
    changes: tuple[Change, ...]
    quick: bool
    page: Path
    text: Path

    @property
    def failed(self) -> tuple[Change, ...]:
        """Claims that lost a case that held on record, except those that depend on running times."""
        return tuple(change for change in self.changes if change.is_failure)
