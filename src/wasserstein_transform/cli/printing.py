"""Print lines, also to terminals and files that can encode only ASCII or a code page."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from typing import Any

_NAME = "wasserstein_transform.spelled"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SPELLED = {
    "Σ": "S", "ε": "eps", "×": "x", "−": "-", "–": "-", "…": "...", "“": '"', "”": '"', "’": "'", "≥": ">=", "≤": "<=",
    "→": "->", "√": "sqrt", "²": "^2", "³": "^3", "∝": "~", "≈": "~", "·": "*", "‖": "|", "∞": "inf", "∈": "in",
    "½": "1/2", "λ": "lambda",
}  # fmt: skip


def say(line: object = "", *, err: bool = False) -> None:
    """Print a line, with control characters escaped: names in files could otherwise command the terminal."""
    put(escaped(str(line)), err=err)


def escaped(text: str) -> str:
    """Text with control characters, but for line breaks and tabs, written as in JSON."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def put(line: str, *, err: bool = False) -> None:
    """Print a line as it is. `typer.echo` would send UTF-8 to streams with ASCII encoding."""
    if progress := sys.modules.get("wasserstein_transform.engine.progress"):  # imported by what takes long
        progress.clear_line()
    print(line, file=sys.stderr if err else sys.stdout)


def tell(text: str, *, err: bool = False) -> None:
    """Print text, wrapped to the width of a terminal; in one line elsewhere."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        text = textwrap.fill(
            escaped(text),
            max(shutil.get_terminal_size().columns - 1, 20),
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )
    say(text, err=err)


def wants_color(stream: Any) -> bool:
    """Whether a stream is a terminal that shows colors, and NO_COLOR is not set (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def spell_out(*streams: Any) -> None:
    """Make streams replace characters that they cannot encode instead of raising an error."""
    codecs.register_error(_NAME, _spelled)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_letters, error.object[error.start : error.end])), error.end


def _letters(sign: str) -> str:
    """A replacement of a character in ASCII: a name, the letter without accents, or a question mark."""
    *_, name = unicodedata.name(sign, "").split(" LETTER ")
    greek = name.lower() if "GREEK" in unicodedata.name(sign, "") else ""
    plain = _SPELLED.get(sign) or greek or unicodedata.normalize("NFKD", sign)
    return "".join(letter for letter in plain if letter.isascii()) or "?"
