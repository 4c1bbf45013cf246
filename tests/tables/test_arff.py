"""ARFF files, beside SciPy's reader."""

from __future__ import annotations

import io

import numpy as np
import pytest
from encoding import encode

from wasserstein_transform.tables import read

ARFF = r"""% a comment
@RELATION 'two words'

@attribute x REAL
@attribute 'the y' numeric
@attribute n integer % counted
@ATTRIBUTE kind {red, 'light blue', "it's"}
@attribute note string
@attribute day date "yyyy-MM-dd"
@data
% another
1.5, 2e3, 7, red, 'a, \'b\'', 2020-01-01
?,1,8,'light blue', "say \"x\"\n",?

-1,1,9,"it's",plain,2020-01-02
"""


def test_arff_is_read_as_scipy_reads_it() -> None:
    table = read(ARFF.encode(), name="points.arff")
    assert table.names == ("x", "the y", "n", "kind", "note", "day")
    assert table.columns["kind"].tolist() == ["red", "light blue", "it's"]
    assert table.columns["note"].tolist() == ["a, 'b'", 'say "x"\n', "plain"]
    assert table.columns["n"].tolist() == [7, 8, 9]
    assert table.numbers(["the y", "n"]).tolist() == [[2000, 7], [1, 8], [1, 9]]
    with pytest.raises(ValueError, match="line 13, column x"):
        table.numbers()
    loadarff = pytest.importorskip("scipy.io.arff").loadarff
    plain = encode(table.select(["x", "the y", "n"]), "arff").decode()
    values, _ = loadarff(io.StringIO(plain.replace("'the y'", "y")))
    np.testing.assert_array_equal(values["x"], [1.5, np.nan, -1])
    np.testing.assert_array_equal(values["y"], [2000, 1, 1])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "@attribute x numeric\n@data\n{0 1}\n",
            r"points\.arff, line 4: sparse rows are not supported",
        ),
        ("@attribute x numeric\n@data\n1,2\n", r"line 4: got 2 cells, expected 1"),
        ("@attribute x numeric\n@data\n'1', '2'\n", r"line 4: got 2 cells, expected 1"),
        ("@attribute x relational\n@data\n1\n", r"line 2: attribute x is relational; use numeric, nominal"),
        ("@attribute x\n@data\n1\n", r"line 2: an attribute needs a name and a type"),
        ("@attribute x numeric\n", r"points\.arff has no line @data"),
        ("@data\n1\n", r"points\.arff has no line @attribute"),
        ("@attribute x numeric\n@data\n\n% none\n", r"points\.arff has no rows after @data"),
        ("x,y\n1,2\n", r"line 2: expected @attribute or @data, got 'x,y'"),
    ],
)
def test_arff_that_cannot_be_read_is_said(body: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(f"@relation r\n{body}".encode(), name="points.arff")
