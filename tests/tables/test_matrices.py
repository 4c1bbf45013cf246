"""Distances from files: square or condensed, with names or without; what is wrong is named with line and column."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from encoding import encode
from pandas import DataFrame
from scipy.spatial.distance import pdist, squareform

from wasserstein_transform.tables import read_matrix

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
    assert matrix.distances.tolist() == SQUARE
    assert matrix.names == names
    assert matrix.n == 3
    assert np.asarray(matrix).tolist() == SQUARE


def test_condensed_vectors_stay_condensed() -> None:
    for text in ("1.5,2,3\n", "1.5\n2\n3\n", "d\n1.5\n2\n3\n"):
        matrix = read_matrix(text.encode(), name="D.csv")
        assert matrix.distances.tolist() == [1.5, 2, 3]
        assert squareform(matrix.distances).tolist() == SQUARE
        assert (matrix.n, matrix.names) == (3, None)
    assert read_matrix(b"5\n").distances.tolist() == [5]
    assert read_matrix(b"0\n").distances.tolist() == [[0]]


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
    assert (matrix.distances == square).all()
    assert pd.DataFrame(square).to_csv().count("\n") == 21
    assert (read_matrix(pd.DataFrame(square).to_csv().encode()).distances == square).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,1\n2,0\n", r"D\.csv, line 1, column 2: distances must be symmetric, got 1 here and 2 at line 2, column 1"),
        ("a,b\n\n0,1\n2,0\n", r"D\.csv, line 3, column b: distances must be symmetric, .* at line 4, column a"),
        ("0,1\n1,4\n", r"line 2, column 2: the distance of a point to itself must be 0, got 4"),
        ("0,-1\n-1,0\n", r"line 1, column 2: a distance must be 0 or more, got -1"),
        ("1,2,-3\n", r"line 1, column 3: a distance must be 0 or more, got -3"),
        ("1\n2\n-3\n", r"line 3, column 1: a distance must be 0 or more, got -3"),
        ("0,1,2\n1,0,x\n2,3,0\n", r"line 2, column 3: 'x' is not a number"),
        ("0,1\n1,\n", r"line 2, column 2: the cell is empty and a number is needed"),
        ("0,1\n1,inf\n", r"line 2, column 2: 'inf' is not finite"),
        ("1,2\n", r"D\.csv holds one row or column of 2 numbers; condensed distances are n\(n − 1\)/2 numbers"),
        ("1,2,3\n4,5,6\n", r"D\.csv has 2 rows and 3 columns; distances are square, or condensed"),
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
        ({"D": np.array([[0, np.nan], [1, 0]])}, r"D\.npz, row 1, column 2: the cell is empty and a number is needed"),
        ({"D": np.zeros((2, 2, 2))}, r"shape \(2, 2, 2\) and kind float64; distances are numbers"),
        ({"D": LARGE}, r"row 21, column 151: .* got 1 here and 1\.1 at row 151, column 21"),
    ],
)
def test_arrays_that_are_no_distances_are_refused(arrays: dict[str, np.ndarray], said: str) -> None:
    held = io.BytesIO()
    np.savez(held, **arrays)
    with pytest.raises(ValueError, match=said):
        read_matrix(held.getvalue(), name="D.npz")
