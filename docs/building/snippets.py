"""Run the code of pages: `PYTHONPATH=docs python -m building.snippets [PAGE…]`, all pages and the README by default.

The blocks of a page run in order, in one namespace, in a folder with small files of every kind that the pages name.
`python` blocks are executed, `pycon` blocks are doctests, `wt` commands of `sh` blocks are parsed (see `commands`), and
those of `console` blocks run: what stands below them is what they print.

- A `text` block right below a `python` block is all that it prints.
- `print(…)  # text`: if one line is printed, the comment must begin with it. `# [3 2]: two clusters` may explain it.
- A block that cannot run everywhere begins with `# not run: needs …`, with one of the reasons in `REASONS`.
- A block that begins with the path of a file, as `# src/…`, is a file: the tests of docs/extend.md run it.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import difflib
import doctest
import io
import os
import re
import shutil
import sys
import tempfile
import textwrap
import time
import tokenize
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from . import commands
from .samples import make_files

ROOT = Path(__file__).parents[2]
PACKAGES = ("BERTopic", "Toponymy")
"""Large packages that pages for users have recipes for; whoever changes one tries it by hand."""
REASONS = ("a GPU", "a cluster", "a file of yours", *PACKAGES)
EXACT = (
    "README.md", "index.md", "start.md", "tables.md", "tracks.md", "scans.md", "images.md", "graphs.md", "distances.md",
    "embeddings.md", "command-line.md", "faq.md",
)  # fmt: skip
"""Pages for users: everything that their code prints is on the page."""
_BLOCK = re.compile(
    r"^~~~.*?^~~~|^( *)```(python|pycon|sh|console)\n(.*?)^\1```(?:\n+\1```text\n(.*?)^\1```)?",
    re.DOTALL | re.MULTILINE,
)  # ~~~: a page
_SECONDS = re.compile(r"\b[\d.]+ s\b")
_NOT_RUN = re.compile(r"# not run: needs (.*)")
_FILE = re.compile(r"# (?:src|paper|tests|docs|examples|benchmarks)/\S+$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A block of code on a page: its language, the line of the page it begins at, its text, and all that it prints."""

    kind: str
    line: int
    code: str
    prints: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is the text of a file, named in its first line."""
        return _FILE.match(self.code) is not None

    @property
    def reason(self) -> str | None:
        """What it needs that not every machine has, or None."""
        found = _NOT_RUN.match(self.code)
        return found and found.group(1)


@dataclass(frozen=True)
class Checked:
    """What came of the code of a page: how many blocks ran, which did not and why, and what is wrong."""

    page: str
    n_run: int
    left: tuple[str, ...]
    faults: tuple[str, ...]
    seconds: float


def pages() -> list[Path]:
    """All pages that people write, and the README."""
    return [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]


def blocks(page: str) -> list[Block]:
    """The blocks of code on a page."""
    return [
        Block(
            found.group(2),
            page[: found.start()].count("\n") + 2,
            textwrap.dedent(found.group(3)),
            None if found.group(4) is None else textwrap.dedent(found.group(4)),
        )
        for found in _BLOCK.finditer(page)
        if found.group(2)
    ]


def check(file: Path) -> Checked:
    """Run the code of a page in the current folder."""
    names: dict[str, Any] = {"__name__": "__snippet__"}
    start, n_run, left, faults = time.perf_counter(), 0, [], []
    for block in blocks(file.read_text("utf-8")):
        where = f"{file.name}:{block.line}"
        if block.reason is not None:
            left.append(f"{where}: needs {block.reason}")
            faults += [f"{where}: no reason to leave code out: {block.reason}"] if block.reason not in REASONS else []
        elif not block.is_file:
            n_run += 1
            wrong = run(block, where, names, exact=file.name in EXACT)
            faults += [f"{where}: {wrong}"] if wrong else []
    faults += [f"{file.name}: {wrong}" for wrong in commands.wrong_inline(file.read_text("utf-8"))]
    return Checked(file.name, n_run, tuple(left), tuple(faults), time.perf_counter() - start)


def run(block: Block, where: str, names: dict[str, Any], exact: bool = False) -> str | None:
    """What is wrong with a block, or None. Names that it sets stay in `names`."""
    if block.kind == "sh":
        return "; ".join(commands.wrong(block.code)) or None
    if block.kind == "console":
        return _unlike(block.code, commands.session(block.code))
    return _run_doctest(block, where, names) if block.kind == "pycon" else _run_python(block, where, names, exact)


def _run_doctest(block: Block, where: str, names: dict[str, Any]) -> str | None:
    test = doctest.DocTestParser().get_doctest(block.code, {}, where, where, 0)
    test.globs = names  # the parser would copy them
    said = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    return said.getvalue() if runner.run(test, out=said.write, clear_globs=False).failed else None


def _run_python(block: Block, where: str, names: dict[str, Any], exact: bool) -> str | None:
    printed: dict[int, str] = {}
    said = io.StringIO()

    def recorded(*values: Any, **options: Any) -> None:
        text = io.StringIO()
        builtins.print(*values, **{"file": text} | options)
        frame = sys._getframe(1)
        if frame.f_code.co_filename == where:
            printed[frame.f_lineno] = printed.get(frame.f_lineno, "") + text.getvalue()
        said.write(text.getvalue())

    names["print"] = recorded
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # pages show calls that warn, and say so
            exec(compile(block.code, where, "exec"), names)
    except Exception:
        return traceback.format_exc(limit=-1)
    promised = list(_promises(block.code))
    if block.prints is not None:
        return _unlike(block.prints, said.getvalue())
    if exact:
        shown, lines = [text for _, _, text in promised], said.getvalue().splitlines()
        return None if shown == lines else f"the page says {shown}, but it prints {lines}"
    return "; ".join(_broken(promised, printed)) or None


def _unlike(page: str, said: str) -> str | None:
    """What a page says is printed, and what is; seconds, and blanks at the end of a line, may differ."""
    shown, lines = (
        [_SECONDS.sub("… s", line.rstrip()) for line in text.rstrip().splitlines()] for text in (page, said)
    )
    changes = difflib.unified_diff(shown, lines, "page", "run", lineterm="")
    return "\n".join(["not what it prints:", *changes]) if shown != lines else None


def _promises(code: str) -> Iterator[tuple[int, int, str]]:
    """Statements `print(…)  # text`: first line, last line, text."""
    said = {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT
    }
    for node in ast.parse(code).body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "print" and node.end_lineno in said:
            yield node.lineno, node.end_lineno, said[node.end_lineno]


def _broken(promised: list[tuple[int, int, str]], printed: dict[int, str]) -> Iterator[str]:
    """Comments that say something else than what was printed, where that is a single line."""
    for first, last, text in promised:
        lines = "".join(said for line, said in printed.items() if first <= line <= last).splitlines()
        if len(lines) == 1 and not re.match(rf"{re.escape(lines[0].strip())}(?!\w)", text):
            yield f"line {first} of the block: the page says {text!r}, but it prints {lines[0]!r}"


def _check_apart(file: Path, files: Path) -> Checked:
    """Check a page in a process and a folder of its own."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(files, folder, dirs_exist_ok=True)
        with contextlib.chdir(folder):
            return check(file)


def main(*names: str) -> int:
    """Check pages beside each other, say what is wrong, and return how many faults there are."""
    start, chosen = time.perf_counter(), [Path(name).resolve() for name in names] or pages()
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.chdir(folder):
            make_files()
        with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
            found = list(pool.map(_check_apart, chosen, [Path(folder)] * len(chosen)))
    faults, left = [fault for one in found for fault in one.faults], [text for one in found for text in one.left]
    for fault in faults:
        print(fault, file=sys.stderr)
    for text in left:
        print(f"not run: {text}")
    n_run = sum(one.n_run for one in found)
    print(f"{n_run} blocks of {len(found)} pages run, {len(left)} left out: {len(faults)} faults, ", end="")
    print(f"{time.perf_counter() - start:.0f} s")
    return len(faults) if n_run else 1


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
