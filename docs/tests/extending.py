"""The files and changes of docs/extend.md, made in a copy of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extend.md"
_SECTION = re.compile(r"^## (.*?)\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^(```|~~~)(\w+)\n# ((?:\w+/)*\w+\.\w+)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_LINKED = (
    "src", "paper", "tests", "docs", "examples", "benchmarks", "conftest.py", "pyproject.toml", "Makefile", "README.md",
    "CONTRIBUTING.md",
)  # fmt: skip


@dataclass(frozen=True)
class Block:
    """A block of the page that is a file, or changes one."""

    section: str
    language: str
    path: str
    text: str


def blocks() -> list[Block]:
    """All of them, in the order of the page."""
    return [
        Block(title, language, path, text)
        for title, body in _SECTION.findall(PAGE.read_text("utf-8"))
        for _, language, path, text in _BLOCK.findall(body)
    ]


def extend(root: Path) -> None:
    """Make the repository with all additions of the page; what is not touched is linked to."""
    for name in _LINKED:
        (root / name).symlink_to(ROOT / name)
    for block in blocks():
        file = _own(root, Path(block.path))
        if block.language == "diff":
            file.write_text(changed(file.read_text("utf-8"), block), "utf-8")
        else:
            assert not file.exists(), f"{block.path} is no new file"
            file.write_text(block.text, "utf-8")


def changed(text: str, block: Block) -> str:
    """The text after a change whose context must be there exactly once."""
    before, after = ("".join(lines) for lines in zip(*_sides(block.text), strict=True))
    found = [one.start() for one in re.finditer(rf"^{re.escape(before)}", text, re.MULTILINE)]
    assert len(found) == 1, f"{block.path} has these lines {len(found)} times, once is needed:\n{before}"
    return text[: found[0]] + after + text[found[0] + len(before) :]


def _sides(diff: str) -> Iterator[tuple[str, str]]:
    for line in diff.splitlines(keepends=True):
        sign, rest = line[0], line[1:]
        assert sign in " +-\n", f"no line of a change: {line!r}"
        yield ("", rest) if sign == "+" else (rest, "") if sign == "-" else (rest or line, rest or line)


def _own(root: Path, path: Path) -> Path:
    """A path whose folders, and the file itself, are copies: changing them changes nothing elsewhere."""
    for folder in [root / parent for parent in reversed(path.parents[:-1])]:
        if folder.is_symlink():
            there = folder.resolve()
            folder.unlink()
            folder.mkdir()
            for one in there.iterdir():
                (folder / one.name).symlink_to(one)
        folder.mkdir(exist_ok=True)
    file = root / path
    if file.is_symlink():
        text = file.read_text("utf-8")
        file.unlink()
        file.write_text(text, "utf-8")
    return file
