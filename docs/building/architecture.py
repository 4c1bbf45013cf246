"""The picture of the architecture: rooms and what they import, read from the source."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as MplPath
from scipy.interpolate import PchipInterpolator

from .layered import arrange

_INKS = {"light": ("#1f2937", "#e8eef7", "#5b7fb5"), "dark": ("#e5e7eb", "#26344a", "#7ea6e0")}  # text, box, line
_WIDTH, _HEIGHT = 0.92, 0.5


def draw(package: Path, folder: Path) -> None:
    """Write rooms-light.svg and rooms-dark.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    rooms = rooms_of(package)
    layers = _layers(package.parents[1] / "pyproject.toml", set(rooms))
    for name, inks in _INKS.items():
        figure = _picture(nx.transitive_reduction(rooms), layers, inks)
        FigureCanvasSVG(figure).print_svg(folder / f"rooms-{name}.svg", metadata={"Date": None})


def rooms_of(package: Path) -> nx.DiGraph:
    """The graph of the rooms: an edge from each room to those that a file of it imports."""
    graph = nx.DiGraph()
    rooms = {folder.parent.name for folder in package.glob("*/__init__.py")}
    graph.add_nodes_from(sorted(rooms))
    for room in rooms:
        for file in sorted((package / room).rglob("*.py")):
            graph.add_edges_from((room, other) for other in _imported(file, package) if other in rooms - {room})
    return graph


def _imported(file: Path, package: Path) -> Iterator[str]:
    """Rooms that a file imports, wherever in it that stands, apart from what only type checkers see."""
    depth = len(file.relative_to(package).parts)
    for node in ast.walk(_without_typing(ast.parse(file.read_text("utf-8")))):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from [node.module.split(".")[0]] if node.module else (alias.name for alias in node.names)


def _without_typing(tree: ast.Module) -> ast.Module:
    tree.body = [
        node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    ]
    return tree


def _layers(pyproject: Path, rooms: set[str]) -> list[list[str]]:
    """The layers that the import contract declares, top first."""
    contracts = tomllib.loads(pyproject.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    declared = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    layers = [[room for room in layer.split(" | ") if room in rooms] for layer in declared]
    return [layer for layer in layers if layer]


def _picture(graph: nx.DiGraph, layers: list[list[str]], inks: tuple[str, str, str]) -> Figure:
    ink, box, line = inks
    places, ways = arrange(graph, layers)
    across = max(abs(x) for way in ways for x, _ in way) + _WIDTH / 2 + 0.15
    figure = Figure(figsize=(1.12 * across * 2, 0.62 * len(layers)))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(-across, across), ylim=(0.5 - len(layers), 0.5))
    ax.set_axis_off()
    for way in ways:
        ax.add_patch(_arrow(way, line))
    for room, (x, y) in places.items():
        corner = (x - _WIDTH / 2, y - _HEIGHT / 2)
        ax.add_patch(FancyBboxPatch(corner, _WIDTH, _HEIGHT, "round,pad=0.04", fc=box, ec=line, lw=1.0, zorder=3))
        ax.text(x, y, room, ha="center", va="center", color=ink, fontsize=10, zorder=4)
    figure.patch.set_alpha(0)
    return figure


def _arrow(way: list[tuple[float, float]], color: str) -> FancyArrowPatch:
    """A smooth line from the foot of a box through the joints to the head of another."""
    x, y = np.array(way).T
    y[0], y[-1] = y[0] - _HEIGHT / 2 - 0.04, y[-1] + _HEIGHT / 2 + 0.04
    down = np.linspace(y[0], y[-1], 24 * len(way))
    path = MplPath(np.column_stack([PchipInterpolator(-y, x)(-down), down]))
    return FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=9, color=color, lw=1.1, capstyle="round")
