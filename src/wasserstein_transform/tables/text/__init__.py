"""Tables as text, delimited by commas, semicolons, tabs, bars or blanks."""

from .reading import read_text
from .writing import encode_text

__all__ = ["encode_text", "read_text"]
