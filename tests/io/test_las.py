"""Points in LAS and LAZ files, beside laspy."""

from __future__ import annotations

import io

import numpy as np
import pytest
from encoding import encode
from pandas import DataFrame

from wasserstein_transform.io import read
from wasserstein_transform.tables import coordinates
from wasserstein_transform.tables.columns import labels, with_columns

PLACE = {"x": [1.0], "y": [2.0], "z": [3.0]}


def test_las_is_scaled_and_shifted_as_laspy_does() -> None:
    laspy = pytest.importorskip("laspy")
    header = laspy.LasHeader(point_format=3, version="1.2")
    header.scales, header.offsets = [0.01, 0.01, 0.001], [480000, 4200000, 0]
    points = laspy.LasData(header)
    points.x, points.y = np.array([480000.12, 480001.5]), np.array([4200000.34, 4200002.0])
    points.z = np.array([1.001, 2.0])
    points.classification, points.intensity = np.array([2, 6], np.uint8), np.array([65535, 7], np.uint16)
    held = io.BytesIO()
    points.write(held)
    table = read(held.getvalue(), name="points.las")
    assert coordinates(table).tolist() == points.xyz.tolist()
    assert labels(table, "classification")[1] == ("2", "6")
    assert table["intensity"].tolist() == [65535, 7]
    more = with_columns(table, {"label": [0, 1], "x_moved": [0.1, 0.2], "outlier": [True, False]})
    again = laspy.read(io.BytesIO(encode(more, "las")))
    assert again.X.tolist() == points.X.tolist()
    assert again.header.scales.tolist() == [0.01, 0.01, 0.001]
    assert (list(again.label), list(again.x_moved), list(again.outlier)) == ([0, 1], [0.1, 0.2], [1, 0])
    for packed in (False, True):
        content = encode(more, "laz" if packed else "las")
        with pytest.raises(ValueError, match=r"points\.las (should have 2 points, but has \d|is cut off or damaged)"):
            read(content[: len(content) - 60], name="points.las")
    assert coordinates(read(encode(more, "laz"), name="points.las")).tolist() == coordinates(table).tolist()


def test_las_that_announces_too_many_records_is_refused() -> None:
    pytest.importorskip("laspy")
    content = bytearray(encode(DataFrame({"x": [1.0], "y": [2.0], "z": [3.0]}), "las"))
    for at in (100, 243):
        damaged = content.copy()
        damaged[at : at + 4] = b"\xff" * 4
        with pytest.raises(ValueError, match=r"points\.las is cut off or damaged: its header does not fit its size"):
            read(bytes(damaged), name="points.las")
    with pytest.raises(ValueError, match=r"points\.las is cut off or damaged"):
        read(bytes(content[:200]), name="points.las")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"x": [1.0], "y": [2.0]}, "LAS needs columns x, y and z; there are x, y"),
        (PLACE | {"word": ["a"]}, "column word: LAS holds numbers, not text"),
        (PLACE | {"n" * 40: [1]}, "LAS names have at most 32 bytes"),
        (PLACE | {"intensity": [0.5]}, "column intensity: LAS has a narrower dimension|cannot be written as LAS"),
        (PLACE | {"intensity": [-1]}, "column intensity: LAS has a narrower dimension|cannot be written as LAS"),
        (PLACE | {"return_number": [99]}, "cannot be written as LAS|narrower dimension"),
        (PLACE | {"z": [np.nan]}, "row 1, column z: the cell holds no value and a number is needed"),
    ],
)
def test_what_las_cannot_hold_is_said(columns: dict[str, list[object]], said: str) -> None:
    pytest.importorskip("laspy")
    with pytest.raises(ValueError, match=said):
        encode(DataFrame(columns), "las")


def test_dimensions_of_several_values_are_columns() -> None:
    laspy = pytest.importorskip("laspy")
    header = laspy.LasHeader(point_format=6, version="1.4")
    header.add_extra_dim(laspy.ExtraBytesParams("vec", "3f4"))
    points = laspy.LasData(header)
    points.x = points.y = points.z = np.ones(2)
    points.vec = np.arange(6.0).reshape(2, 3)
    held = io.BytesIO()
    points.write(held)
    table = read(held.getvalue(), name="a.las")
    assert table[["vec_0", "vec_1", "vec_2"]].to_numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    again = laspy.read(io.BytesIO(encode(table, "las")))
    assert list(again.point_format.extra_dimension_names) == ["vec_0", "vec_1", "vec_2"]
    assert again.vec_2.tolist() == [2, 5]
