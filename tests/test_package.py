"""The package as a whole: names, laziness, data."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest

import wasserstein_transform as wt


def test_all_names_are_there_and_documented() -> None:
    for name in wt.__all__:
        assert getattr(wt, name).__doc__, name
        assert name in dir(wt)
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        _ = wt.nothing


def test_type_checkers_see_the_names_of_the_table() -> None:
    tree = ast.parse(Path(wt.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {name.name for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert set(wt.__all__) == set(wt._HOME)
    assert seen == set(wt.__all__) | set(wt._PACKAGES)


def test_every_package_lists_its_names_and_they_are_there() -> None:
    for package in wt._PACKAGES:
        module = importlib.import_module(f"wasserstein_transform.{package}")
        assert module.__all__, package
        assert all(hasattr(module, name) for name in module.__all__)
    assert len(wt.__all__) <= 51


def test_import_is_lazy() -> None:
    heavy = "{'sklearn', 'scipy', 'numba', 'matplotlib', 'numpy'}"
    script = f"import sys, wasserstein_transform; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"


def test_t_junction_is_the_papers() -> None:
    X, labels = wt.datasets.t_junction()
    assert np.bincount(labels).tolist() == [200, 201]
    assert X[0].tolist() == [0, 1]
    assert X[199].tolist() == [0, 200]
    assert X[200].tolist() == [-100, 0]
    assert X[-1].tolist() == [100, 0]


def test_dumbbell_is_the_papers() -> None:
    X, labels = wt.datasets.dumbbell()
    assert np.bincount(labels).tolist() == [300, 300, 200]
    for disc, center in ((0, [-2, 0]), (1, [2, 0])):
        radius = np.linalg.norm(X[labels == disc] - center, axis=1)
        assert radius.max() == pytest.approx(1)
        np.testing.assert_allclose(X[labels == disc].mean(axis=0), center, atol=1e-12)
    chain = X[labels == 2]
    assert np.ptp(chain, axis=0).tolist() == [2, 0]
    assert np.ptp(wt.datasets.dumbbell(5.0).points[:, 0]) == pytest.approx(np.ptp(X[:, 0]) / 5)
    assert np.ptp(wt.datasets.dumbbell(0.2).points[:, 1]) == pytest.approx(np.ptp(X[:, 1]) / 5)


def _imported(file: Path, name: str, known: set[str]) -> set[str]:
    """The modules of the package that one imports when it runs, wherever in it that stands."""
    found = set()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    base = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            room = ".".join([*base[: len(base) - node.level + 1], *([node.module] if node.module else [])])
            names = {f"{room}.{alias.name}" for alias in node.names}
            found |= {one if one in known else room for one in names}
    return found & known - {name}


def test_no_two_modules_import_each_other() -> None:
    root = Path(wt.__file__).parent
    files = {".".join(["wt", *file.relative_to(root).with_suffix("").parts]): file for file in root.rglob("*.py")}
    files = {name.removesuffix(".__init__"): file for name, file in files.items()}
    imports = {name: _imported(file, name, set(files)) for name, file in files.items()}
    assert {"wt._check", "wt.localize.localization"} < imports["wt.localize.kernel"]
    imports["wt._display"] -= {"wt.plotting", "wt.explorer.report"}  # plot() and report() of results, when called
    TopologicalSorter(imports).prepare()
