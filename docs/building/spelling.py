"""Check the spelling of pages, docstrings, comments and messages: `PYTHONPATH=docs python -m building.spelling`.

Words must be in the American English dictionary of pyspellchecker, or in docs/words.txt: names, terms of the field and
short words of this project, sorted, one a line. `--write` adds what is unknown to that file, to be read through.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from spellchecker import SpellChecker

ROOT = Path(__file__).parents[2]
WORDS = ROOT / "docs" / "words.txt"
_FOLDERS = ("src", "paper/wt_paper", "docs", "examples", "benchmarks")
_MADE = {
    "gallery",
    "project",
    "reference",
    "__pycache__",
    "tests",
}  # what the build writes, bytecode
_FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`+[^`]*`+|\]\([^)]*\)|<[^<>]*>|https?://\S+|\{[^{}\s]*\}|%\w")
_MARKUP = re.compile(r"</|/>|<\w+ \w+=|[;{]\s*$|=>|^def ", re.MULTILINE)
_LATIN = "A-Za-zÀ-ÖØ-öø-ÿ"
_WORD = re.compile(rf"(?<![\w@/.\\=-])[{_LATIN}](?:[{_LATIN}]|['’](?=[{_LATIN}]))*(?![\w(/=\\])")
_PLAIN = re.compile(rf"[A-ZÀ-Ö]?[{_LATIN}'’]*[a-zß-ÿ]")

Found = tuple[int, str]
"""A line of a file, and its text."""


def texts(file: Path) -> Iterator[Found]:
    """The text of a file that is written for people, line by line."""
    source = file.read_text("utf-8")
    if file.suffix == ".py":
        yield from _comments(source)
        yield from _strings(source)
    else:
        yield from enumerate(_FENCE.sub(lambda found: "\n" * found.group().count("\n"), source).splitlines(), 1)


def _comments(source: str) -> Iterator[Found]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _strings(source: str) -> Iterator[Found]:
    """Docstrings without their code, and strings that are sentences: they have a space and are no HTML or scripts."""
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if " " in text.strip() and not _MARKUP.search(text):
            lines = text.splitlines()
            code = [line.lstrip().startswith((">>>", "...")) for line in lines]
            for k, line in enumerate(lines):
                printed = any(code[:k]) and all(one.strip() for one in lines[_last(code, k) : k + 1])
                if not code[k] and not printed:
                    yield node.lineno + k, line


def _last(code: list[bool], k: int) -> int:
    """The last line of code before line k."""
    return max((j for j in range(k) if code[j]), default=0)


def words(text: str) -> Iterator[str]:
    """Words of a text that are neither code nor names written in capitals."""
    for found in _WORD.finditer(_CODE.sub(" ", text)):
        word = found.group().replace("’", "'").removesuffix("'s").strip("'")
        if len(word) > 2 and _PLAIN.fullmatch(word) and not re.search(r".[A-Z]", word):
            yield word


def files() -> list[Path]:
    """All files with text for people."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    for folder in _FOLDERS:
        found += [file for file in (ROOT / folder).rglob("*.py") if not _MADE & set(file.relative_to(ROOT).parts)]
    return sorted(found)


def unknown(chosen: list[Path]) -> dict[str, list[str]]:
    """Words that no dictionary has, and where they stand."""
    own = set(WORDS.read_text("utf-8").split()) if WORDS.exists() else set()
    places: dict[str, list[str]] = defaultdict(list)
    for file in chosen:
        for line, text in texts(file):
            for word in words(text):
                places[word.lower()].append(f"{file.relative_to(ROOT)}:{line}")
    dictionary = SpellChecker(language="en", distance=1)
    strange = dictionary.unknown(set(places) - own)
    return {word: places[word] for word in sorted(strange) if not _joined(word, dictionary)}


def _joined(word: str, dictionary: SpellChecker) -> bool:
    """Contractions: don't, it's."""
    return "'" in word and bool(dictionary.known([word.replace("'", "")]))


def main(*options: str) -> int:
    """Say which words are unknown, and return how many."""
    chosen = files()
    found = unknown(chosen)
    if "--write" in options:
        known = set(WORDS.read_text("utf-8").split()) if WORDS.exists() else set()
        WORDS.write_text("\n".join(sorted(known | set(found))) + "\n", "utf-8")
        return 0
    for word, places in found.items():
        print(f"{word}: {', '.join(places[:4])}{' …' if len(places) > 4 else ''}", file=sys.stderr)
    print(f"{len(chosen)} files: {len(found)} words that are in no dictionary and not in docs/words.txt")
    return len(found)


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
