"""Print text, with control characters escaped."""

from __future__ import annotations

import re
import sys

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def say(text: object = "", *, err: bool = False) -> None:
    """Print text, with control characters escaped: names in files could otherwise command the terminal."""
    if progress := sys.modules.get("wasserstein_transform.engine.progress"):  # imported by what takes long
        progress.clear_line()
    print(_escape(str(text)), file=sys.stderr if err else sys.stdout, flush=True)


def _escape(text: str) -> str:
    """Text with control characters, but for line breaks and tabs, written as in JSON."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
