"""NumPy's files: arrays and archives of them."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from encoding import encode
from pandas import DataFrame

from wasserstein_transform.io import read


def saved(array: np.ndarray) -> bytes:
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def several(**arrays: np.ndarray) -> bytes:
    held = io.BytesIO()
    np.savez_compressed(held, **arrays)
    return held.getvalue()


def test_arrays_have_columns() -> None:
    assert read(saved(np.array([[1.0, 2.0], [3.0, 4.0]])))["y"].tolist() == [2, 4]
    assert read(saved(np.arange(6, dtype=np.int32).reshape(2, 3).T)).to_numpy().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert tuple(read(saved(np.arange(3.0)))) == ("x",)
    assert tuple(read(saved(np.ones((2, 5), np.float32)))) == ("x1", "x2", "x3", "x4", "x5")
    fields = np.array([(1, 2.5, "a"), (3, 4.5, "b")], [("id", "i2"), ("east", "f4"), ("kind", "U3")])
    table = read(saved(fields))
    assert list(table.to_dict("list").values()) == [[1, 3], [2.5, 4.5], ["a", "b"]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (saved(np.zeros((2, 2, 2))), r"shape \(2, 2, 2\); a table has rows and columns"),
        (saved(np.zeros((0, 2))), r"holds an empty array of shape \(0, 2\)"),
        (saved(np.zeros((2, 2), complex)), "kind complex128; a table needs numbers"),
        (saved(np.array([[1], [None]], object)), "it holds Python objects, which are never read"),
        (saved(np.zeros((9, 2)))[:-8], "should hold an array of shape .9, 2., but has 136 bytes for it"),
        (saved(np.zeros((9, 2)))[:20], "points.npy cannot be read: "),
        (saved(np.zeros(2, [("a", "f8", 3)])), "a table needs numbers or words"),
    ],
)
def test_arrays_that_are_no_tables_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name="points.npy")


def test_archives_of_arrays() -> None:
    places = np.array([[1.0, 2.0], [3.0, 4.0]])
    table = read(several(points=places, labels=np.array([1, 0]), note=np.array("made today")), name="points.npz")
    assert tuple(table) == ("x", "y", "labels")
    assert tuple(read(several(X=places, other=np.ones((5, 5))))) == ("x", "y")
    assert tuple(read(several(only=places))) == ("x", "y")
    assert tuple(read(several(a=np.arange(3), b=np.arange(3.0)))) == ("a", "b")
    assert tuple(read(encode(DataFrame({"file": [1], "allow_pickle": [2]}), "npz"))) == ("file", "allow_pickle")
    with pytest.raises(ValueError, match=r"points\.npz holds a \(5, 5\), b \(2, 2\); one of them must be named points"):
        read(several(a=np.ones((5, 5)), b=places), name="points.npz")
    with pytest.raises(ValueError, match=r"holds no table, but a \(3,\), b \(4,\); an array named points is needed"):
        read(several(a=np.ones(3), b=np.ones(4)), name="points.npz")
    with pytest.raises(ValueError, match=r"points\.npz cannot be read: "):
        read(several(a=np.ones(3000))[:-30], name="points.npz")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as members:
        members.writestr("readme.md", "words")
    with pytest.raises(
        ValueError, match=r"points\.npz cannot be read: it is an archive of other files \(readme\.md\), not of arrays"
    ):
        read(held.getvalue(), name="points.npz")


def test_a_workbook_is_told_to_be_saved_as_csv() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as members:
        members.writestr("[Content_Types].xml", "<x/>")
        members.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(ValueError, match=r"points\.xlsx holds an Excel workbook \(save the sheet as CSV\)"):
        read(held.getvalue(), name="points.xlsx")
