"""Every kind of file gives back the table that was written."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from encoding import encode
from hypothesis import HealthCheck, given, settings, strategies as st
from pandas import DataFrame

from wasserstein_transform.io import read
from wasserstein_transform.io.formats import KINDS, MAPS
from wasserstein_transform.tables import coordinates

EXTRAS = {"parquet": "pyarrow", "las": "laspy", "laz": "lazrs"}
few = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

floats = st.floats(allow_nan=False, allow_infinity=False)
integers = st.integers(-(2**63), 2**63 - 1)
letters = st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\r\t")
sentences = st.text(letters, max_size=8)


def is_word(cell: str) -> bool:
    """Text cannot say whether 7 is a number or a word."""
    try:
        float(cell)
    except ValueError:
        return True
    return False


@st.composite
def tables(draw: Any, numbers_only: bool = False, largest: int = 2**63 - 1) -> DataFrame:
    """Two columns of numbers at least, and words."""
    n = draw(st.integers(1, 6))
    columns: dict[str, Any] = {
        "x": draw(st.lists(floats, min_size=n, max_size=n)),
        "y": draw(st.lists(floats, min_size=n, max_size=n)),
        "whole number": draw(st.lists(st.integers(-largest - 1, largest), min_size=n, max_size=n)),
    }
    if not numbers_only:
        word = sentences.filter(is_word)
        columns["words"] = ["begin", *draw(st.lists(word, min_size=n, max_size=n))][:n]
        columns['a "name", odd'] = ["é\n", *draw(st.lists(word, min_size=n, max_size=n))][:n]
    return DataFrame(columns)


def assert_same(again: DataFrame, table: DataFrame) -> None:
    assert tuple(again) == tuple(table)
    for name, array in table.items():
        assert list(map(repr, again[name].tolist())) == list(map(repr, array.tolist())), name


@pytest.mark.repeated(2)
@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "parquet", "npy", "npz"])
@few
@given(table=tables())
def test_what_was_written_is_read(kind: str, table: DataFrame) -> None:
    pytest.importorskip(EXTRAS.get(kind, "numpy"))
    content = encode(table, kind)
    again = read(content, name=f"points.{kind}")
    assert_same(again, table)
    assert encode(again, kind).splitlines()[1:] == content.splitlines()[1:]


@few
@given(table=tables(numbers_only=True, largest=2**53 - 1))
def test_vertices_are_read_as_they_were_written(table: DataFrame) -> None:
    pytest.importorskip("trimesh")
    table.insert(2, "z", table["y"])
    again = read(encode(table, "ply"), name="points.ply")
    assert tuple(again) == ("x", "y", "z", "whole_number")
    for name, array in zip(again, (table[name] for name in table), strict=True):
        assert again[name].tolist() == array.tolist()
        assert math.copysign(1, again[name][0]) == math.copysign(1, array[0]) or name == "whole_number"


@few
@given(table=tables(largest=2**53 - 1))
def test_geojson_gives_back_points_and_properties(table: DataFrame) -> None:
    pytest.importorskip("geopandas")
    table = table.assign(x=table["x"] / 1e306, y=table["y"] / 1e306, none=math.nan)  # GDAL writes 15 decimals, about
    again = read(encode(table, "geojson"), name="points.geojson")
    assert tuple(again) == (*list(table)[2:], "geometry")
    np.testing.assert_allclose(coordinates(again), table[["x", "y"]], rtol=0, atol=1e-13)
    for name in list(table)[2:-1]:
        assert again[name].tolist() == table[name].tolist()
    assert again["none"].isna().all()


@pytest.mark.repeated(1)
@pytest.mark.parametrize("kind", ["las", "laz"])
@settings(few, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1e-3, 1.0, 1e7]), n=st.integers(1, 9))
def test_las_rounds_coordinates_to_its_scale_and_nothing_else(kind: str, seed: int, size: float, n: int) -> None:
    pytest.importorskip(EXTRAS[kind])
    rng = np.random.default_rng(seed)
    places = size * (rng.normal(size=(n, 3)) + 100)
    columns = dict(zip("xyz", places.T, strict=True)) | {
        "intensity": rng.integers(0, 2**16, n),
        "label": rng.integers(-(2**63), 2**63 - 1, n),
        "x moved": rng.normal(size=n),
    }
    again = read(encode(DataFrame(columns), kind), name=f"points.{kind}")
    assert tuple(again.attrs["axes"]) == ("x", "y", "z")
    np.testing.assert_allclose(coordinates(again), places, rtol=0, atol=1e-8 * max(size, 1e-1) * 10)
    for name in ("intensity", "label", "x moved"):
        assert again[name].tolist() == columns[name].tolist()
    twice = read(encode(again, kind), name=f"points.{kind}")
    assert coordinates(twice).tolist() == coordinates(again).tolist()
    assert tuple(twice) == tuple(again)


def test_every_kind_is_tried() -> None:
    assert set(KINDS) - set(MAPS) == {"csv", "tsv", "txt", "parquet", "npy", "npz", "ply", "las", "laz"}
