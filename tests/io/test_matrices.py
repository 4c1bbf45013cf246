"""Distances from files: square or condensed, with names or without; what is wrong is named with line and column."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from encoding import encode
from pandas import DataFrame
from scipy.spatial.distance import pdist, squareform

from wasserstein_transform.io import read_matrix

SQUARE = [[0.0, 1.5, 2.0], [1.5, 0.0, 3.0], [2.0, 3.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0,1.5,2\n1.5,0,3\n2,3,0\n", None),
        ("0 1.5 2\n1.5 0 3\n2 3 0\n", None),
        ("0;1,5;2\n1,5;0;3\n2;3;0\n", None),
        ("a,b,c\n0,1.5,2\n1.5,0,3\n2,3,0\n", ("a", "b", "c")),
        ("a,0,1.5,2\nb,1.5,0,3\nc,2,3,0\n", ("a", "b", "c")),
        (",a,b,c\na,0,1.5,2\nb,1.5,0,3\nc,2,3,0\n", ("a", "b", "c")),
        ("to,a,b,c\na,0,1.5,2\nb,1.5,0,3\nc,2,3,0\n", ("a", "b", "c")),
        ("a b c\na 0 1.5 2\nb 1.5 0 3\nc 2 3 0\n", ("a", "b", "c")),
        (",0,1,2\n0,0,1.5,2\n1,1.5,0,3\n2,2,3,0\n", ("0", "1", "2")),
        ("0,1,2\n0,1.5,2\n1.5,0,3\n2,3,0\n", ("0", "1", "2")),
        ("007,0,1.5,2\n008,1.5,0,3\n009,2,3,0\n", ("007", "008", "009")),
    ],
)
def test_squares_may_have_names(text: str, names: tuple[str, ...] | None) -> None:
    matrix = read_matrix(text.encode(), name="D.csv")
    assert np.asarray(matrix).tolist() == SQUARE
    assert tuple(matrix.index) == tuple(matrix.columns) == (names or (0, 1, 2))


def test_condensed_distances_become_square() -> None:
    for text in ("1.5,2,3\n", "1.5\n2\n3\n", "d\n1.5\n2\n3\n"):
        assert read_matrix(text.encode(), name="D.csv").to_numpy().tolist() == SQUARE
    assert read_matrix(b"5\n").to_numpy().tolist() == [[0, 5], [5, 0]]
    assert read_matrix(b"0\n").to_numpy().tolist() == [[0]]


@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "parquet", "npy", "npz"])
def test_every_kind_reads_back_the_same(kind: str, rng: np.random.Generator) -> None:
    pytest.importorskip("pyarrow")
    square = squareform(pdist(rng.normal(size=(20, 3))))
    table = DataFrame(dict(zip(map(str, range(20)), square.T, strict=True)))
    if kind == "npz":
        held = io.BytesIO()
        np.savez(held, other=np.zeros(3), distances=square)
        content = held.getvalue()
    elif kind == "npy":
        held = io.BytesIO()
        np.save(held, square)
        content = held.getvalue()
    else:
        content = encode(table, kind)
    matrix = read_matrix(content, name=f"D.{kind}")
    assert (matrix == square).all(axis=None)
    assert pd.DataFrame(square).to_csv().count("\n") == 21
    assert (read_matrix(pd.DataFrame(square).to_csv().encode()) == square).all(axis=None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,1\n2,0\n", r"D\.csv must be symmetric, got 1\.0 at \[0, 1\] and 2\.0 at \[1, 0\]"),
        ("0,1\n1,4\n", r"D\.csv must be 0 on the diagonal, got 4\.0 at \[1, 1\]"),
        ("0,-1\n-1,0\n", r"D\.csv must not be negative, got -1\.0 at \[0, 1\]"),
        ("1,2,-3\n", r"D\.csv must not be negative, got -3\.0"),
        ("0,1,2\n1,0,x\n2,3,0\n", r"row 2, column 3: 'x' is not a number"),
        ("0,1\n1,\n", r"row 2, column 2: the cell holds no value and a number is needed"),
        ("0,1\n1,inf\n", r"row 2, column 2: 'inf' is not finite"),
        ("1,2\n", r"D\.csv as a condensed vector must have n\(n-1\)/2 entries, got 2"),
        ("1,2,3\n4,5,6\n", r"D\.csv must be a square matrix or SciPy's condensed vector, got shape \(2, 3\)"),
        ("", r"D\.csv is empty"),
    ],
)
def test_what_are_no_distances_is_said(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_matrix(text.encode(), name="D.csv")


LARGE = np.ones((200, 200)) - np.eye(200)
LARGE[150, 20] = 1.1


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (
            {"a": np.zeros(3), "b": np.zeros((2, 2))},
            r"D\.npz holds a \(3,\), b \(2, 2\); one of them must be named distances",
        ),
        ({"D": np.array([[0, np.nan], [1, 0]])}, r"D\.npz must be finite"),
        (
            {"D": np.zeros((2, 2, 2))},
            r"D\.npz must be a square matrix or SciPy's condensed vector, got shape \(2, 2, 2\)",
        ),
        ({"D": LARGE}, r"D\.npz must be symmetric, got .* at \[20, 150\] and 1\.1 at \[150, 20\]"),
    ],
)
def test_arrays_that_are_no_distances_are_refused(arrays: dict[str, np.ndarray], said: str) -> None:
    held = io.BytesIO()
    np.savez(held, **arrays)
    with pytest.raises(ValueError, match=said):
        read_matrix(held.getvalue(), name="D.npz")
