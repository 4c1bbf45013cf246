"""The notebook that shows the library: its cells run from top to bottom, and its text tells what comes out."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "quickstart.ipynb"


@pytest.fixture(scope="module")
def cells() -> list[dict[str, Any]]:
    return json.loads(NOTEBOOK.read_text("utf-8"))["cells"]


def test_the_notebook_is_stored_without_outputs(cells: list[dict[str, Any]]) -> None:
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in cells}) == len(cells)


def test_the_notebook_runs_and_finds_what_is_known(
    cells: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = [run("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]
    assert sum(hasattr(value, "savefig") for value in shown) == 5
    before, after = map(float, re.findall(r"path (.*) m", capsys.readouterr().out))
    assert after < before / 2
    for truth, labels in ((names["kind"], names["found"].labels[:600]), (names["family"], names["groups"].labels)):
        assert len(set(zip(truth[labels >= 0], labels[labels >= 0], strict=True))) == 3  # no cluster mixes two kinds
        assert np.mean(labels >= 0) > 0.95
    assert names["regions"].n_segments == 3
    assert list(tmp_path.iterdir()) == []


def run(code: str, names: dict[str, Any]) -> Any:
    """Run a cell and return the value of its last line, which a notebook shows."""
    *body, last = ast.parse(code).body
    exec(compile(ast.Module(body, []), NOTEBOOK.name, "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
    exec(compile(ast.Module([last], []), NOTEBOOK.name, "exec"), names)
    return None
