"""The diagram of the architecture: packages and what they import, read from the source.

Building the site draws it for light and dark pages. `PYTHONPATH=docs python -m building.architecture` draws the one
that ARCHITECTURE.md shows elsewhere, docs/images/architecture.svg. A test says when that is due.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import networkx as nx
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as MplPath
from scipy.interpolate import PchipInterpolator

from .layered import arrange

_INKS = {"light": ("#1f2937", "#5b7fb5"), "dark": ("#e5e7eb", "#7ea6e0")}  # text, line
_FILLS = {  # of the groups below, in their order
    "light": ("#fdf0dc", "#e8eef7", "#dff0e3", "#f1e6f5"),
    "dark": ("#4a3b22", "#26344a", "#23402c", "#402c49"),
}
_GROUPS = {
    "interfaces": {"cli", "explorer", "plotting"},
    "applications": set[str](),  # all others
    "the transform": {"transforms", "transport", "localize", "measures", "spaces"},
    "computation and data": {"compute", "cuda", "engine", "kernels", "datasets"},
}
_WIDTH, _HEIGHT = 0.92, 0.5
_ROOT = Path(__file__).parents[2]
SOURCE = _ROOT / "src" / "wasserstein_transform"
IMAGE = _ROOT / "docs" / "images" / "architecture.svg"


def draw(source: Path, folder: Path) -> None:
    """Write packages-light.svg and packages-dark.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in _INKS:
        _save(source, name, folder / f"packages-{name}.svg")


def draw_for_the_root(file: Path = IMAGE) -> None:
    """Write the light one on white, with its arrows as a description."""
    _save(SOURCE, "light", file, ground="white")


def arrows(source: Path = SOURCE) -> str:
    """What is drawn, in words: every arrow, sorted."""
    return " ".join(sorted(f"{start}→{end}" for start, end in _drawn(source).edges))


def _drawn(source: Path) -> nx.DiGraph:
    return nx.transitive_reduction(packages_of(source))


def _save(source: Path, theme: str, file: Path, ground: str = "none") -> None:
    graph = _drawn(source)
    figure = _picture(graph, _layers(source.parents[1] / "pyproject.toml", set(graph)), theme)
    figure.set_facecolor(ground)
    with mpl.rc_context({"svg.hashsalt": "packages"}):  # the same file at every build
        about = {"Date": None, "Description": arrows(source)}
        FigureCanvasSVG(figure).print_svg(file, metadata=about)


def packages_of(source: Path) -> nx.DiGraph:
    """The graph of the packages: an edge from each package to those that one of its files imports."""
    graph = nx.DiGraph()
    packages = {folder.parent.name for folder in source.glob("*/__init__.py")}
    packages |= {file.stem for file in source.glob("[a-z]*.py")}
    graph.add_nodes_from(sorted(packages))
    for package in packages:
        for file in sorted((source / package).rglob("*.py")) or [source / f"{package}.py"]:
            others = packages.intersection(_imported(file, source)) - {package}
            graph.add_edges_from((package, other) for other in others)
    return graph


def _imported(file: Path, source: Path) -> Iterator[str]:
    """Packages that a file imports, at the top or in a function, apart from imports for type checkers."""
    depth = len(file.relative_to(source).parts)
    for node in ast.walk(_without_typing(ast.parse(file.read_text("utf-8")))):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from [node.module.split(".")[0]] if node.module else (alias.name for alias in node.names)


def _without_typing(tree: ast.Module) -> ast.Module:
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    ]
    return tree


def _layers(pyproject: Path, packages: set[str]) -> list[list[str]]:
    """The layers that the import contract declares, top first."""
    contracts = tomllib.loads(pyproject.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    declared = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    layers = [[package for package in layer.split(" | ") if package in packages] for layer in declared]
    return [layer for layer in layers if layer]


def _picture(graph: nx.DiGraph, layers: list[list[str]], theme: str) -> Figure:
    ink, line = _INKS[theme]
    places, ways = arrange(graph, layers)
    across = max(abs(x) for way in ways for x, _ in way) + _WIDTH / 2 + 0.15
    figure = Figure(figsize=(1.05 * across * 2, 0.5 * len(layers)))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(-across, across), ylim=(0.5 - len(layers), 0.5))
    ax.set_axis_off()
    for way in ways:
        ax.add_patch(_arrow(way, line))
    for package, place in places.items():
        ax.add_patch(_box(place, _WIDTH, _HEIGHT, _FILLS[theme][_group(package)], line))
        ax.text(*place, package, ha="center", va="center", color=ink, fontsize=10, zorder=4)
    for k, group in enumerate(_GROUPS):  # the upper layers are one package each: there is room beside them
        place = (0.35 - across, 0.2 - 0.42 * k)
        ax.add_patch(_box(place, 0.26, 0.2, _FILLS[theme][k], line))
        ax.text(place[0] + 0.28, place[1], group, ha="left", va="center", color=ink, fontsize=9)
    return figure


def _group(package: str) -> int:
    """Which group a package is of; applications are those that no other group names."""
    named = [k for k, names in enumerate(_GROUPS.values()) if package in names]
    return named[0] if named else list(_GROUPS).index("applications")


def _box(place: tuple[float, float], width: float, height: float, fill: str, line: str) -> FancyBboxPatch:
    corner = (place[0] - width / 2, place[1] - height / 2)
    return FancyBboxPatch(corner, width, height, "round,pad=0.04", fc=fill, ec=line, lw=1.0, zorder=3)


def _arrow(way: list[tuple[float, float]], color: str) -> FancyArrowPatch:
    """A smooth line from the foot of a box through the joints to the head of another."""
    x, y = np.array(way).T
    y[0], y[-1] = y[0] - _HEIGHT / 2 - 0.04, y[-1] + _HEIGHT / 2 + 0.04
    down = np.linspace(y[0], y[-1], 24 * len(way))
    path = MplPath(np.column_stack([PchipInterpolator(-y, x)(-down), down]))
    return FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=9, color=color, lw=1.1, capstyle="round")


if __name__ == "__main__":
    draw_for_the_root()
