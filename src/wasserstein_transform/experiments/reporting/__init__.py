"""Reports of experiments: cached parts, recorded verdicts, Markdown and HTML."""

from .part import Figure, Part
from .record import Change, listing, open_record, read_record, summary, write_record
from .report import Report
from .runner import make_room, reproduce

__all__ = [
    "Change",
    "Figure",
    "Part",
    "Report",
    "listing",
    "make_room",
    "open_record",
    "read_record",
    "reproduce",
    "summary",
    "write_record",
]
