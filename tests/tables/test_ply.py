"""Vertices in PLY files, in text and in bytes."""

from __future__ import annotations

import numpy as np
import pytest
from encoding import encode

from wasserstein_transform.tables import Table, read

HEADER = """ply
format {} 1.0
comment made by hand
{}element vertex 3
property float x
property double y
property uchar red
element face 1
property list uchar int vertex_indices
end_header
"""
VERTEX = b"element vertex 1\nproperty int x\nend_header"
VERTICES = [(1.5, -2.25, 255), (3.0, 4.0, 0), (5.0, 1e300, 7)]


@pytest.mark.parametrize("order", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("before", ["", "element camera 2\nproperty short a\nproperty int b\n"])
def test_ply_is_read_in_text_and_in_bytes(order: str, before: str) -> None:
    header = HEADER.format(order, before).encode()
    if order == "ascii":
        body = "".join(" ".join(map(str, row)) + "\n" for row in ([(1, 2)] * 2 if before else []) + VERTICES).encode()
    else:
        sign = "<" if "little" in order else ">"
        record = np.dtype([("x", f"{sign}f4"), ("y", f"{sign}f8"), ("red", "u1")])
        body = (bytes(12) if before else b"") + np.array(VERTICES, record).tobytes() + b"\x03" + bytes(12)
    table = read(header + body, name="points.ply")
    assert [array.tolist() for array in table.columns.values()] == [
        list(column) for column in zip(*VERTICES, strict=True)
    ]
    assert [array.dtype.kind for array in table.columns.values()] == ["f", "f", "i"]
    assert table.axes == ("x", "y")
    assert table.notes[0].startswith("points.ply: only vertices are read; left out: ")
    cut = len("5.0 1e+300 7\n") if order == "ascii" else 25
    with pytest.raises(ValueError, match=r"announces 3 vertices and (holds|has room for) 2; it is cut off"):
        read((header + body)[:-cut], name="points.ply")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"ply\nformat ascii 1.0\n", "has no line end_header"),
        (b"ply\nformat ascii 1.0\nelement face 0\nend_header\n", r"has no element vertex; its elements are face \(0\)"),
        (b"ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nend_header\n", "holds no vertices"),
        (b"ply\nformat ascii 1.0\nelement vertex 1\nend_header\n\n", "its vertices have no properties"),
        (b"ply\nelement vertex 1\nproperty int x\nend_header\n1\n", "has no valid line format"),
        (
            b"ply\nformat ascii 1.0\nwhat is this\nend_header\n",
            "line 3: not a valid line of a PLY header: 'what is this'",
        ),
        (
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty list int int x\nend_header\n1 1\n",
            "property x of its vertices is a list",
        ),
        (
            b"\n".join((b"ply\nformat ascii 1.0\nelement face 1\nproperty list int int x", VERTEX, b"1 1\n1\n")),
            "face stands before vertex and holds lists",
        ),
        (
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n1 2\n",
            "line 6: got 2 numbers, expected 1",
        ),
    ],
)
def test_ply_that_cannot_be_read_is_said(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name="points.ply")


def test_a_word_among_vertices_is_named() -> None:
    table = read(b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n1\nabc\n", name="points.ply")
    with pytest.raises(ValueError, match="line 7, column x"):
        table.numbers()


def test_ply_holds_no_large_integers() -> None:
    with pytest.raises(ValueError, match="column id"):
        encode(Table({"id": [2**53 + 1]}), "ply")
    assert read(encode(Table({"x": [1.0], "yes": [True]}), "ply")).columns["yes"].tolist() == [1]
