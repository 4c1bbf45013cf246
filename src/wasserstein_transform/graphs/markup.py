"""XML without definitions of its own: those can stand for more than all memory, or for other files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn
from xml.parsers.expat import ParserCreate

_DEEPEST = 200  # elements in elements
_PIECE = 1 << 20


def check_xml(path: Path) -> None:
    """Refuse a file with a DOCTYPE, in whatever encoding, and one that is nested deep; faults of syntax, too."""
    parser = ParserCreate()
    depth = 0

    def refuse(*_: Any) -> NoReturn:
        raise ValueError("it defines entities of its own (DOCTYPE); take that line out")

    def begin(*_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ValueError("its elements are nested too deep")

    def end(_: Any) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            parser.Parse(piece, False)
        parser.Parse(b"", True)
