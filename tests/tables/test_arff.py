"""ARFF files, the format of Weka."""

from __future__ import annotations

import pytest

from wasserstein_transform.tables import coordinates, read

ARFF = b"""% a comment
@RELATION two

@attribute x REAL
@attribute 'the y' numeric
@attribute n integer
@ATTRIBUTE kind {red, 'light blue'}
@attribute note string
@data
% another
1.5, 2e3, 7, red, 'a, b'
?,1,8,'light blue',plain % why
"""


def test_arff_has_numbers_and_words() -> None:
    table = read(ARFF, name="points.arff")
    assert tuple(table) == ("x", "the y", "n", "kind", "note")
    assert table["kind"].tolist() == ["red", "light blue"]
    assert table["note"].str.strip().tolist() == ["a, b", "plain"]
    assert coordinates(table, ["the y", "n"]).tolist() == [[2000, 7], [1, 8]]
    with pytest.raises(ValueError, match=r"points\.arff, row 2, column x: the cell holds no value"):
        coordinates(table)


@pytest.mark.parametrize(
    "body",
    [
        "@attribute x\n@data\n1\n",
        "@attribute x numeric\n",
        "@attribute x numeric\n@data\n\n% none\n",
        "@attribute x numeric\n@data\n1,2\n",
        "@data\n1\n",
        "x,y\n1,2\n",
    ],
)
def test_arff_that_cannot_be_read_is_said(body: str) -> None:
    with pytest.raises(ValueError, match=r"points\.arff has no|points\.arff: got \d cells, expected"):
        read(f"@relation r\n{body}".encode(), name="points.arff")
