"""Reports of experiments: cached parts, recorded verdicts, Markdown and HTML."""

from .part import Figure, Part
from .record import Change, Report, open_record, read_record, summary, write_record
from .runner import make_folders, reproduce

__all__ = [
    "Change",
    "Figure",
    "Part",
    "Report",
    "make_folders",
    "open_record",
    "read_record",
    "reproduce",
    "summary",
    "write_record",
]
