"""What docs/extend.md says is all that is needed to add something: its code, run in a copy of the repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from extending import Block, blocks, changed, extend

SECTIONS = sorted({block.section for block in blocks()})
TESTS = sorted(block.path for block in blocks() if Path(block.path).name.startswith("test_"))
OVER_ALL_PROFILES = [
    "tests/localize/test_localize.py", "tests/gpu/test_gpu_moments.py::test_supports_of_profiles_at_the_rim",
]  # fmt: skip


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("extended")
    extend(root)
    return root


def run(root: Path, *arguments: str) -> str:
    path = os.pathsep.join(str(root / name) for name in ("src", "paper", "tests", "docs", "."))
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"},
        capture_output=True, text=True, encoding="utf-8", check=False, cwd=root,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pytest_said(root: Path, *arguments: str) -> str:
    return run(root, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:benchmark", *arguments)


def test_the_code_of_the_page_works(extended: Path) -> None:
    """Its tests, the examples of its new files, and what must hold of its parts, in one process and one test."""
    written = [
        block.path
        for block in blocks()
        if block.language == "python" and block.path.startswith(("src/", "paper/wt_paper/"))
    ]
    said = pytest_said(extended, *TESTS, *OVER_ALL_PROFILES, *written, "docs/tests/in_the_copy.py")
    for block in blocks():
        for name in re.findall(r"^def (test_\w+)", block.text, re.MULTILINE):
            assert f"{block.path}::{name} PASSED" in said
    assert re.search(r"test_localize\.py::\w+\[biweight\] PASSED", said)
    assert "test_supports_of_profiles_at_the_rim[emulated" in said
    for name in ("Vicinity", "Cubic", "Hellinger"):
        assert re.search(rf"::wasserstein_transform[\w.]*\.{name} PASSED", said), name
    assert len(re.findall(r"in_the_copy\.py::test_laws_hold\[.*\] PASSED", said)) == 3
    assert len(re.findall(r"in_the_copy\.py::test_\S+ PASSED", said)) == 1


def test_every_way_to_extend_has_a_test() -> None:
    tested = {block.section for block in blocks() if block.path in TESTS and "\ndef test_" in block.text}
    assert tested == set(SECTIONS) == {"A kernel profile", "A localization", "A transport", "A metric", "A file format"}


def test_a_change_whose_lines_are_not_there_is_found() -> None:
    block = Block("A section", "diff", "file.py", " b\n-c\n+d\n+\n e\n")
    assert changed("a\nb\nc\ne\n", block) == "a\nb\nd\n\ne\n"
    with pytest.raises(AssertionError, match="has these lines 0 times"):
        changed("a\nb\ne\n", block)
    with pytest.raises(AssertionError, match="has these lines 2 times"):
        changed("a\nb\nc\ne\nb\nc\ne\n", block)


@pytest.mark.slow
def test_the_laws_run_over_a_new_part(extended: Path) -> None:
    shown = pytest_said(extended, "-k", "Vicinity and Cubic", "tests/test_laws.py")
    for law in ("pseudometric", "number_of_threads", "weight_k_is_k_copies", "takes_new_points", "on_a_line_too"):
        assert law in shown
    assert "passed" in shown


@pytest.mark.slow
def test_new_code_passes_the_linters(extended: Path) -> None:
    files = sorted({block.path for block in blocks() if re.match(r"(src|paper/wt_paper)/.*\.py$", block.path)})
    run(extended, "-m", "ruff", "check", "--no-cache", *files)
    run(extended, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache")
    run(extended, "-m", "mypy", "--cache-dir", os.devnull)
