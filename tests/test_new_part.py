"""A new localization, or a new transport, is one file and one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import wasserstein_transform as wt

SOURCE = Path(wt.__file__).parent

VICINITY = '''
"""Neighbors, and theirs."""

from __future__ import annotations

from dataclasses import dataclass

from .._types import Floats
from ..engine import Engine
from ..measures import Discrete
from ..spaces import Space
from .base import Inductive
from .kernel import Truncation


@dataclass(frozen=True)
class Vicinity(Inductive):
    """m(x) = α on the ball of twice the radius."""

    eps: float

    @property
    def scale(self) -> float:
        return self.eps

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        return Truncation(2 * self.eps)(space, engine)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        return Truncation(2 * self.eps).cross(distances, space)
'''

CUBIC = '''
"""Another order."""

from __future__ import annotations

from dataclasses import dataclass

from .._types import Floats
from ..engine import Engine
from ..measures import Discrete, Measures
from ..spaces import Metric
from .base import Coupling, Transport
from .exact import Exact


@dataclass(frozen=True)
class Cubic(Transport):
    """W3 of discrete measures."""

    accepts = Discrete
    p = 3.0

    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Metric:
        return Exact(3).metric(measures, ground, engine)

    def cross(self, new: Measures, measures: Measures, ground: Metric, engine: Engine | None = None) -> Floats:
        return Exact(3).cross(new, measures, ground, engine)

    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        return Exact(3).coupling(measures, ground, i, j)
'''

LOOK = """
import wasserstein_transform as wt
assert {"Vicinity", "Cubic"} <= set(wt.__all__) & set(dir(wt))
assert wt.localize.LOCALIZATIONS["vicinity"] is wt.Vicinity and wt.transport.TRANSPORTS["cubic"] is wt.Cubic
try:
    wt.Bures().check(wt.Vicinity(1.0)(wt.Space.from_points([[0.0], [1.0]])))
except TypeError as error:
    assert "Vicinity" in str(error)
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with two files and two lines more; all else is linked to."""
    root = tmp_path_factory.mktemp("src")
    package = root / SOURCE.name
    package.mkdir()
    for path in SOURCE.iterdir():
        if path.name not in ("localize", "transport", "__pycache__"):
            (package / path.name).symlink_to(path)
    for room, file, text, table, line in (
        ("localize", "vicinity", VICINITY, "LOCALIZATIONS:", "from .vicinity import Vicinity as Vicinity"),
        ("transport", "cubic", CUBIC, "TRANSPORTS:", "from .cubic import Cubic as Cubic"),
    ):
        (package / room).mkdir()
        for path in (SOURCE / room).glob("*.py"):
            (package / room / path.name).symlink_to(path)
        (package / room / f"{file}.py").write_text(text, "utf-8")
        names = package / room / "__init__.py"
        before, _, after = names.read_text("utf-8").partition(table)
        names.unlink()
        names.write_text(f"{before}{line}\n{table}{after}", "utf-8")
    return root


def run(root: Path, *arguments: str) -> str:
    path = os.pathsep.join([str(root), str(Path(__file__).parent)])
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"},
        capture_output=True, text=True, encoding="utf-8", check=False, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_exports_tables_and_messages_know_a_new_part(extended: Path) -> None:
    run(extended, "-c", LOOK)


@pytest.mark.slow
def test_the_command_line_describes_a_new_part(extended: Path) -> None:
    pytest.importorskip("typer")
    said = run(extended, "-c", "from wasserstein_transform.cli import main; main()", "parts")
    assert "Vicinity(eps): Discrete\n      m(x) = α on the ball of twice the radius." in said
    assert "Cubic(): Discrete\n      W3 of discrete measures." in said


@pytest.mark.slow
def test_the_laws_run_over_a_new_part(extended: Path) -> None:
    laws = str(Path(__file__).with_name("test_laws.py"))
    said = run(extended, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", "Vicinity and Cubic", laws)
    for law in ("pseudometric", "number_of_threads", "weight_k_is_k_copies", "takes_new_points", "on_a_line_too"):
        assert law in said
    assert "passed" in said
