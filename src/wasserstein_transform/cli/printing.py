"""Lines for terminals and files, also for those that know ASCII, or a code page, only."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata
from typing import Any

_NAME = "wasserstein_transform.spelled"
_SPELLED = {
    "Σ": "S", "ε": "eps", "×": "x", "−": "-", "–": "-", "…": "...", "“": '"', "”": '"', "’": "'", "≥": ">=", "≤": "<=",
    "→": "->", "√": "sqrt", "²": "^2", "³": "^3", "∝": "~", "≈": "~", "·": "*", "‖": "|", "∞": "inf", "∈": "in",
    "½": "1/2", "λ": "lambda",
}  # fmt: skip


def say(line: object = "", *, err: bool = False) -> None:
    """Print a line. `typer.echo` would send UTF-8 to streams that asked for ASCII."""
    print(line, file=sys.stderr if err else sys.stdout)


def spell_out(*streams: Any) -> None:
    """From now on what a stream cannot encode is written in letters it has, and never stops a command."""
    codecs.register_error(_NAME, _spelled)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_letters, error.object[error.start : error.end])), error.end


def _letters(sign: str) -> str:
    """Its name, the letter below its accents, or a question mark."""
    *_, name = unicodedata.name(sign, "").split(" LETTER ")
    greek = name.lower() if "GREEK" in unicodedata.name(sign, "") else ""
    plain = _SPELLED.get(sign) or greek or unicodedata.normalize("NFKD", sign)
    return "".join(letter for letter in plain if letter.isascii()) or "?"
