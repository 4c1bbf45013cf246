"""Check XML files: entity definitions are rejected, since they can expand without bound or include other files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn
from xml.parsers.expat import ParserCreate

_DEEPEST = 200  # levels of nested elements
_PIECE = 1 << 20


def check_xml(path: Path) -> None:
    """Reject XML files that have a DOCTYPE, are nested too deep, or have syntax errors."""
    parser = ParserCreate()
    depth = 0

    def refuse(*_: Any) -> NoReturn:
        raise ValueError("it defines entities of its own (DOCTYPE); remove the DOCTYPE")

    def begin(*_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ValueError(f"its elements are nested deeper than {_DEEPEST} levels")

    def end(_: Any) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
