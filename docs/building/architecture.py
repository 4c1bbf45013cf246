"""The picture of the architecture: rooms and what they import, read from the source."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

_INKS = {"light": ("#1f2937", "#e8eef7", "#5b7fb5"), "dark": ("#e5e7eb", "#26344a", "#7ea6e0")}  # text, box, line
_WIDTH, _HEIGHT = 0.92, 0.5


def draw(package: Path, folder: Path) -> None:
    """Write rooms-light.svg and rooms-dark.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    rooms = rooms_of(package)
    places = _places(_layers(package.parents[1] / "pyproject.toml", set(rooms)))
    for name, inks in _INKS.items():
        figure = _picture(nx.transitive_reduction(rooms), places, inks)
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


def _places(layers: list[list[str]]) -> dict[str, tuple[float, float]]:
    """Rows from top to bottom; single rooms swing around the middle, so that arrows do not lie on each other."""
    places = {}
    for row, layer in enumerate(layers):
        shift = (-0.9, 0.0, 0.9, 0.0)[row % 4] if len(layer) == 1 else 0.0
        for k, room in enumerate(layer):
            places[room] = ((k - (len(layer) - 1) / 2) * 1.35 + shift, -float(row))
    return places


def _picture(graph: nx.DiGraph, places: dict[str, tuple[float, float]], inks: tuple[str, str, str]) -> Figure:
    ink, box, line = inks
    depth = -min(y for _, y in places.values())
    figure = Figure(figsize=(6.4, 0.52 * depth + 0.8))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(-2.9, 2.9), ylim=(-depth - 0.5, 0.5))
    ax.set_axis_off()
    for start, end in graph.edges:
        ax.add_patch(_arrow(places[start], places[end], line))
    for room, (x, y) in places.items():
        corner = (x - _WIDTH / 2, y - _HEIGHT / 2)
        ax.add_patch(FancyBboxPatch(corner, _WIDTH, _HEIGHT, "round,pad=0.04", fc=box, ec=line, lw=1.0, zorder=3))
        ax.text(x, y, room, ha="center", va="center", color=ink, fontsize=10, zorder=4)
    figure.patch.set_alpha(0)
    return figure


def _arrow(start: tuple[float, float], end: tuple[float, float], color: str) -> FancyArrowPatch:
    """From the foot of a box to the head of another; long ones bend to the side."""
    far = start[1] - end[1] > 1.5
    bend = 0.0 if not far else (0.25 if start[0] + end[0] >= 0 else -0.25)
    foot, head = (start[0], start[1] - _HEIGHT / 2 - 0.05), (end[0], end[1] + _HEIGHT / 2 + 0.05)
    style = f"arc3,rad={-bend}"
    return FancyArrowPatch(foot, head, connectionstyle=style, arrowstyle="-|>", mutation_scale=9, color=color, lw=1.1)
