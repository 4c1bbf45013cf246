"""The command line as a whole: what it imports, what terminals it can speak to, how it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from wasserstein_transform.cli.app import app

HEAVY = {"numpy", "scipy", "sklearn", "numba", "matplotlib", "rich.progress", "asyncio"}
ROOMS = (
    "graphs",
    "tables",
    "image",
    "plotting",
    "estimators",
    "engine",
    "compute",
    "cuda",
    "kernels",
)


def wt_command(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own; its last line of errors lists the modules it imported."""
    script = (
        "import sys, atexit; from wasserstein_transform.cli import main;"
        "atexit.register(lambda: sys.stderr.write('\\n' + ' '.join(sys.modules))); main()"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.repeated(1)
@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["segment", "--help"],
        ["communities", "--help"],
        ["cluster", "--help"],
        ["skeleton", "--help"],
    ],
)
def test_help_imports_neither_experiments_nor_array_libraries(words: list[str]) -> None:
    done = wt_command(*words)
    assert done.returncode == 0
    imported = set(done.stderr.splitlines()[-1].split())
    assert not imported & HEAVY
    assert not imported & {f"wasserstein_transform.{room}" for room in ROOMS}


@pytest.mark.slow
def test_commands_import_no_more_than_they_need(tmp_path: Path) -> None:
    done = wt_command("communities", str(tmp_path / "no.txt"), "-o", str(tmp_path))
    assert "no.txt does not exist" in done.stderr
    imported = set(done.stderr.splitlines()[-1].split())
    assert "wasserstein_transform.graphs" in imported
    others = ("image", "estimators")
    assert not imported & {"sklearn", "matplotlib", "wt_paper", *(f"wasserstein_transform.{room}" for room in others)}


def test_the_command_has_the_name_that_it_was_called_by() -> None:
    for name in ("wt", "wasserstein-transform"):
        script = f"import sys; sys.argv[0] = '/bin/{name}'; from wasserstein_transform.cli import main; main()"
        shown, refused = (
            subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)
            for words in (["cluster", "--help"], ["cluster", "--xyzzy"])
        )
        assert shown.stdout.startswith(f"Usage: {name} cluster [OPTIONS] FILE\n")
        assert refused.stderr.startswith(f"{name} cluster: no such option")
        assert "--xyzzy" in refused.stderr
        assert refused.stderr.endswith(f" (see {name} cluster --help)\n")


def test_help_needs_no_more_than_ascii() -> None:
    """What click prints itself goes out as UTF-8 even where ASCII is asked for."""
    for words in [[], *([name] for name in app.commands)]:
        assert CliRunner().invoke(app, [*words, "--help"]).output.isascii(), words


@pytest.mark.slow
def test_terminals_without_greek_letters_are_no_error(tmp_path: Path) -> None:
    done = wt_command("segment", str(tmp_path / "Maß.png"), "-o", str(tmp_path), PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert "Ma?.png does not exist" in done.stderr
