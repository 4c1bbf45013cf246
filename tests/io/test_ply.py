"""Vertices in PLY files, in text and in bytes."""

from __future__ import annotations

import numpy as np
import pytest
from encoding import encode
from pandas import DataFrame

from wasserstein_transform.io import read

pytest.importorskip("trimesh")

HEADER = """ply
format {} 1.0
comment made by hand
{}element vertex 3
property float x
property double y
property float z
property uchar red
element face 1
property list uchar int vertex_indices
end_header
"""
XYZ = b"property float x\nproperty float y\nproperty float z\n"
VERTICES = [(1.5, -2.25, 0.5, 255), (3.0, 4.0, 0.0, 0), (5.0, 1e300, 1.0, 7)]


@pytest.mark.parametrize("order", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("before", ["", "element camera 2\nproperty short a\nproperty int b\n"])
def test_ply_is_read_in_text_and_in_bytes(order: str, before: str) -> None:
    header = HEADER.format(order, before).encode()
    if order == "ascii":
        body = "".join(" ".join(map(str, row)) + "\n" for row in ([(1, 2)] * 2 if before else []) + VERTICES).encode()
    else:
        sign = "<" if "little" in order else ">"
        record = np.dtype([("x", f"{sign}f4"), ("y", f"{sign}f8"), ("z", f"{sign}f4"), ("red", "u1")])
        body = (bytes(12) if before else b"") + np.array(VERTICES, record).tobytes() + b"\x03" + bytes(12)
    table = read(header + body, name="points.ply")
    assert list(table.to_dict("list").values()) == [list(column) for column in zip(*VERTICES, strict=True)]
    assert [kind.kind for kind in table.dtypes] == ["f", "f", "f", "u"]
    assert table.attrs["axes"] == ["x", "y", "z"]
    cut = len("5.0 1e+300 1.0 7\n") if order == "ascii" else 29
    with pytest.raises(ValueError, match="is cut off or damaged"):
        read((header + body)[:-cut], name="points.ply")


@pytest.mark.parametrize(
    "content",
    [
        b"ply\nformat ascii 1.0\n",
        b"ply\nformat ascii 1.0\nelement vertex 0\n" + XYZ + b"end_header\n",
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n1\n",
        b"ply\nformat ascii 1.0\nelement vertex 2\n" + XYZ + b"end_header\n1 2 3\n",
        b"ply\nformat ascii 1.0\nelement vertex 1\n" + XYZ + b"end_header\n1 a 3\n",
    ],
)  # fmt: skip
def test_ply_that_cannot_be_read_is_said(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"points\.ply is no PLY file with vertices, or it is cut off or damaged"):
        read(content, name="points.ply")


def test_ply_holds_no_large_integers() -> None:
    places = DataFrame({"x": [1.0], "y": [1.0], "z": [2.0]})
    with pytest.raises(ValueError, match="column id"):
        encode(places.assign(id=2**53 + 1), "ply")
    assert read(encode(places.assign(yes=True, n=2**40), "ply"))[["yes", "n"]].to_numpy().tolist() == [[1, 2**40]]
    with pytest.raises(ValueError, match="PLY needs columns x, y and z; there are x, y"):
        encode(places[["x", "y"]], "ply")
