"""The record of the last run of these tests on a GPU: what passed, where, and of which code.

`make gpu` writes it, and its line in docs/large.md. `python tests/gpu/record.py` says whether the code has changed
since, aloud if so, and changes no file; with --check it fails then, for releases; with --write it renews the page.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORD = Path(__file__).with_name("record.json")
PAGE = ROOT / "docs" / "large.md"
_SOURCES = ROOT / "src" / "wasserstein_transform" / "cuda"
_LINE = re.compile(r"(?<=<!-- record -->\n).*(?=\n<!-- end -->)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def code_hash(folder: Path = _SOURCES) -> str:
    """A digest of the CUDA sources and of what calls them, without comments, docstrings and spaces."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        text = path.read_text(encoding="utf-8") if path.suffix in (".py", ".cu", ".h") else ""
        if path.suffix == ".py":
            text = _written(_without_docstrings(ast.parse(text)))
        digest.update(f"{path.relative_to(folder).as_posix()}\0{_without_comments(text)}\0".encode() if text else b"")
    return digest.hexdigest()[:16]


def _written(node: Any) -> str:
    """A syntax tree as text. Unlike that of `ast.dump`, it is the same for all versions of Python: empty fields are
    left out, as a newer version may have more of them."""
    if isinstance(node, list):
        return f"[{', '.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    filled = ((name, value) for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"{type(node).__name__}({', '.join(f'{name}={_written(value)}' for name, value in filled)})"


def _without_comments(text: str) -> str:
    return " ".join(_COMMENT.sub(" ", text).split())


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            del body[0]
    return tree


def write(results: dict[str, str], machine: dict[str, str], path: Path = RECORD) -> None:
    """Keep the results of a run."""
    record = {"code": code_hash(), **machine, "tests": dict(sorted(results.items()))}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def standing(path: Path = RECORD) -> tuple[bool, str]:
    """Whether the record is of this code and all is well in it, and that in a line."""
    if not path.is_file():
        return False, "**THE GPU TESTS HAVE NO RECORD: nothing of this code was tried on a GPU. `make gpu` does.**"
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    results = list(record["tests"].values())
    where = f"{record['device']}, driver {record['driver']}, CuPy {record['cupy']}, {record['date']}"
    said = f"{results.count('passed')} of {len(results)} tests passed on {where}"
    if record["code"] != code_hash():
        return (
            False,
            f"**THE RECORD OF THE GPU TESTS IS STALE: the code has changed since {said}. `make gpu` renews it.**",
        )
    if "failed" in results:
        return False, f"**GPU TESTS FAILED: {said}.**"
    return True, f"Record of the GPU tests: {said}, with this code."


def main() -> int:
    """Say how the record stands; with --write in the documentation as well."""
    good, line = standing()
    print(line if good else f"\n{'!' * len(line)}\n{line}\n{'!' * len(line)}")
    page = PAGE.read_text(encoding="utf-8")
    renewed = _LINE.sub(lambda _: line, page)
    if "--write" in sys.argv:
        PAGE.write_text(renewed, encoding="utf-8")
        page = renewed
    return int("--check" in sys.argv and not (good and renewed == page))


if __name__ == "__main__":
    sys.exit(main())
