"""Formats by their own twins, and what of them is refused."""

from __future__ import annotations

import datetime as dt
import io
import json
import zipfile

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.tables import Table, encode, read


def saved(array: np.ndarray) -> bytes:
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def several(**arrays: np.ndarray) -> bytes:
    held = io.BytesIO()
    np.savez_compressed(held, **arrays)
    return held.getvalue()


# NumPy


def test_arrays_have_columns() -> None:
    assert read(saved(np.array([[1.0, 2.0], [3.0, 4.0]]))).columns["y"].tolist() == [2, 4]
    assert read(saved(np.arange(6, dtype=np.int32).reshape(2, 3).T)).numbers().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert read(saved(np.arange(3.0))).names == ("x",)
    assert read(saved(np.ones((2, 5), np.float32))).names == ("x1", "x2", "x3", "x4", "x5")
    fields = np.array([(1, 2.5, "a"), (3, 4.5, "b")], [("id", "i2"), ("east", "f4"), ("kind", "U3")])
    table = read(saved(fields))
    assert [array.tolist() for array in table.columns.values()] == [[1, 3], [2.5, 4.5], ["a", "b"]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (saved(np.zeros((2, 2, 2))), r"shape \(2, 2, 2\) and kind float64; a table needs numbers, n × m"),
        (saved(np.zeros((0, 2))), r"holds an empty array of shape \(0, 2\)"),
        (saved(np.zeros((2, 2), complex)), "kind complex128; a table needs numbers"),
        (saved(np.array([[1], [None]], object)), "it holds Python objects, which are never read"),
        (saved(np.zeros((9, 2)))[:-8], "announces an array of shape .9, 2. and has 136 bytes for it"),
        (saved(np.zeros((9, 2)))[:20], "points.npy cannot be read: "),
        (saved(np.zeros(2, [("a", "f8", 3)])), "fields with several values each"),
    ],
)
def test_arrays_that_are_no_tables_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name="points.npy")


def test_archives_of_arrays() -> None:
    places = np.array([[1.0, 2.0], [3.0, 4.0]])
    table = read(several(points=places, labels=np.array([1, 0]), note=np.array("made today")), name="points.npz")
    assert table.names == ("x", "y", "labels")
    assert table.notes == ("points.npz: note left out, not as long as the columns",)
    assert read(several(X=places, other=np.ones((5, 5)))).names == ("x", "y")
    assert read(several(only=places)).names == ("x", "y")
    assert read(several(a=np.arange(3), b=np.arange(3.0))).names == ("a", "b")
    assert read(encode(Table({"file": [1], "allow_pickle": [2]}), "npz")).names == ("file", "allow_pickle")
    with pytest.raises(ValueError, match=r"points\.npz holds a \(5, 5\), b \(2, 2\); one of them must be named points"):
        read(several(a=np.ones((5, 5)), b=places), name="points.npz")
    with pytest.raises(ValueError, match=r"holds no table, but a \(3,\), b \(4,\); an array named points is needed"):
        read(several(a=np.ones(3), b=np.ones(4)), name="points.npz")
    with pytest.raises(ValueError, match=r"points\.npz is cut off or damaged"):
        read(several(a=np.ones(3000))[:-30], name="points.npz")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as members:
        members.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(
        ValueError, match=r"points\.npz is an archive of other files \(xl/workbook\.xml\), not of arrays"
    ):
        read(held.getvalue(), name="points.npz")


# Parquet


def test_parquet_keeps_the_types_of_what_is_not_changed() -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    noon = dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC)
    columns = {
        "x": pa.array([0.5, 1.5], pa.float32()),
        "n": pa.array([1, None], pa.int16()),
        "id": pa.array([2**63 + 1, 2], pa.uint64()),
        "when": pa.array([noon, None], pa.timestamp("ms", "UTC")),
        "day": pa.array([dt.date(2020, 1, 1), None]),
        "word": pa.array(["a", None]),
        "kind": pa.array(["u", "v"]).dictionary_encode(),
        "yes": pa.array([True, False]),
        "maybe": pa.array([True, None]),
        "price": pa.array([1, 2], pa.decimal128(9, 2)),
        "raw": pa.array([b"\x01", None]),
        "nothing": pa.nulls(2),
        "many": pa.array([[1, 2], [3]]),
    }
    held = io.BytesIO()
    pq.write_table(pa.table(columns), held)
    table = read(held.getvalue(), name="points.parquet")
    assert table.numeric == ("x", "n", "id", "price")
    assert table.columns["id"].tolist() == [2**63 + 1, 2]
    assert table.columns["kind"].tolist() == ["u", "v"]
    assert table.columns["word"].tolist() == ["a", None]
    assert table.columns["maybe"].tolist() == ["True", None]
    assert table.columns["when"].dtype.kind == table.columns["day"].dtype.kind == "M"
    assert table.notes == ("points.parquet: nested columns are left out: many",)
    with pytest.raises(ValueError, match=r"points\.parquet, column many holds list<.*>, more than one value a row"):
        table.numbers(["many"])
    with pytest.raises(ValueError, match=r"points\.parquet, row 2, column n: 'nan' stands for a missing value"):
        table.numbers()
    again = pq.read_table(io.BytesIO(encode(table.with_columns({"label": [0, 1]}).take([1, 0]), "parquet")))
    del columns["many"]
    assert again.drop_columns(["label"]).equals(pa.table(columns).take([1, 0]))
    assert again["label"].to_pylist() == [1, 0]
    assert encode(table.select(["when", "word", "maybe"]), "csv").decode().splitlines()[1:] == [
        "2020-01-01T12:00:00.000,a,True",
        ",,",
    ]


def test_parquet_that_is_cut_off_or_empty_is_refused() -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    good = encode(Table({"x": [1, 2]}), "parquet")
    with pytest.raises(ValueError, match=r"points\.parquet is cut off or damaged: .*; fetch it again"):
        read(good[:-20], name="points.parquet")
    held = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), held)
    with pytest.raises(ValueError, match=r"has columns \(x\) and no rows"):
        read(held.getvalue(), name="points.parquet")
    held = io.BytesIO()
    pq.write_table(pa.table({"x": pa.array([[1]])}), held)
    with pytest.raises(ValueError, match=r"has only nested columns \(x\)"):
        read(held.getvalue(), name="points.parquet")


def test_arrow_tables_are_tables() -> None:
    pa = pytest.importorskip("pyarrow")
    assert wt.tables.as_table(pa.table({"x": [1.5, 2.5]})).numbers().tolist() == [[1.5], [2.5]]


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, kind, content in (
        ("pyarrow", "parquet", b"PAR1...."),
        ("laspy", "las", b"LASF" + bytes(400)),
    ):
        monkeypatch.setitem(__import__("sys").modules, module, None)
        with pytest.raises(
            ImportError, match=rf"(Parquet|LAS) files need {module}, which is not installed; pip install"
        ):
            read(content, name=f"points.{kind}")
    assert read(b"x,y\n" + b"1,2\n" * 300_000).numbers().shape == (300_000, 2)  # without Arrow, too


# ARFF

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
    with pytest.raises(ValueError, match=r"points\.arff, line 13, column x: '\?' stands for a missing value"):
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
            r"points\.arff, line 4: rows are sparse, and only dense ones are read",
        ),
        ("@attribute x numeric\n@data\n1,2\n", r"line 4: 2 cells came and 1 are needed"),
        ("@attribute x numeric\n@data\n'1', '2'\n", r"line 4: 2 cells came and 1 are needed"),
        ("@attribute x relational\n@data\n1\n", r"line 2: attribute x is relational; numeric, nominal"),
        ("@attribute x\n@data\n1\n", r"line 2: an attribute needs a name and a type"),
        ("@attribute x numeric\n", r"points\.arff has no line @data"),
        ("@data\n1\n", r"points\.arff has no line @attribute"),
        ("@attribute x numeric\n@data\n\n% none\n", r"points\.arff has no rows after @data"),
        ("x,y\n1,2\n", r"line 2: @attribute or @data is needed, got 'x,y'"),
    ],
)
def test_arff_that_cannot_be_read_is_said(body: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(f"@relation r\n{body}".encode(), name="points.arff")


# GeoJSON


def feature(kind: str, coordinates: object, **properties: object) -> dict:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}


def geojson(*features: object, **more: object) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features, **more}).encode()


def test_points_of_geojson_have_properties() -> None:
    content = geojson(
        feature("Point", [9.2, 45.5], name="Milan", n=1, tags=["a"], latitude="north", ok=True),
        feature("MultiPoint", [[4.3, 52.0, 1.5], [4.4, 52.1]], name="Delft", n=None),
        {"type": "Feature", "id": 7, "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": None},
    )
    table = read(content, name="points.geojson")
    assert table.names == ("longitude", "latitude", "height", "name", "n", "tags", "latitude_2", "ok", "id")
    assert table.axes == ("longitude", "latitude")
    assert table.numbers().tolist() == [[9.2, 45.5], [4.3, 52.0], [4.4, 52.1], [1, 2]]
    assert table.columns["name"].tolist() == ["Milan", "Delft", "Delft", None]
    assert "are degrees, not meters" in table.notes[0]
    with pytest.raises(
        ValueError, match=r"points\.geojson, feature 1, column height: 'nan' stands for a missing value"
    ):
        table.numbers(["height"])
    again = json.loads(encode(table.with_columns({"label": [0, 1, 1, 0]}), "geojson"))
    assert [f["geometry"]["coordinates"] for f in again["features"]] == [
        [9.2, 45.5],
        [4.3, 52.0, 1.5],
        [4.4, 52.1],
        [1, 2],
    ]
    first = again["features"][0]["properties"]
    assert (first["tags"], first["ok"], first["n"], first["label"]) == (["a"], True, 1, 0)
    assert again["features"][2]["properties"]["n"] is None


def test_projected_points_are_not_called_degrees() -> None:
    table = read(geojson(feature("Point", [482785.9, 4216659.1, 3.0])))
    assert (table.axes, table.notes) == (("longitude", "latitude", "height"), ())


def test_bare_geometries_are_points_too() -> None:
    point = {"type": "Point", "coordinates": [1, 2]}
    assert read(json.dumps(point).encode()).numbers().tolist() == [[1, 2]]
    both = {"type": "GeometryCollection", "geometries": [point, {"type": "MultiPoint", "coordinates": [[3, 4]]}]}
    assert read(json.dumps(both).encode(), name="points.json").numbers().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            geojson(feature("Point", [1, 2]), feature("LineString", [[1, 2], [3, 4]])),
            r"feature 2 is a LineString; only Point",
        ),
        (geojson({"type": "Feature", "geometry": None}), r"feature 1 is no geometry; only Point"),
        (geojson(3), r"feature 1 is 3; a Point is needed"),
        (geojson(feature("Point", [1])), r"feature 1: two or three finite numbers are needed, got \[1\]"),
        (geojson(feature("Point", [1, "2"])), r"feature 1: two or three finite numbers are needed"),
        (geojson(feature("Point", [1, float("nan")])), r"feature 1: two or three finite numbers are needed"),
        (geojson(feature("MultiPoint", 5)), r"feature 1: two or three finite numbers are needed, got 5"),
        (geojson({**feature("Point", [1, 2]), "properties": [1]}), r"feature 1: properties must have names, got list"),
        (geojson(), r"points\.geojson holds no points"),
        (b'{"type": "FeatureCollection", "features": 7}', r"a FeatureCollection needs a list of them, got int"),
        (b'{"type": "Topology"}', r"is JSON and no GeoJSON of points; .* got Topology"),
        (b'{"type": "Feature', r"points\.geojson is no JSON: "),
        (b'{"a":' * 100_000, r"points\.geojson is no JSON: "),
    ],
)
def test_geojson_without_points_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name="points.geojson")


def test_geojson_needs_coordinates_to_be_written() -> None:
    with pytest.raises(ValueError, match="GeoJSON needs columns longitude and latitude, or x and y; there are a, b"):
        encode(Table({"a": [1], "b": [2]}), "geojson")
    with pytest.raises(ValueError, match="row 1, column y: 'nan' stands for a missing value"):
        encode(Table({"x": [1.0], "y": [np.nan]}), "geojson")
    written = json.loads(
        encode(Table({"lon": [1.0], "lat": [2.0], "w": [np.inf], "d": np.array(["2020"], "M8[D]")}), "geojson")
    )
    assert written["features"][0]["properties"] == {"w": None, "d": "2020-01-01"}


# PLY

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
        (b"ply\nelement vertex 1\nproperty int x\nend_header\n1\n", "has no line that says its format"),
        (b"ply\nformat ascii 1.0\nwhat is this\nend_header\n", "line 3: no line of a PLY header: 'what is this'"),
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
            "line 6: 2 numbers came and 1 are needed",
        ),
    ],
)
def test_ply_that_cannot_be_read_is_said(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name="points.ply")


def test_a_word_among_vertices_is_named() -> None:
    table = read(b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n1\nabc\n", name="points.ply")
    with pytest.raises(ValueError, match=r"points\.ply, line 7, column x: 'abc' is not a number"):
        table.numbers()


def test_ply_holds_no_large_integers() -> None:
    with pytest.raises(ValueError, match=r"column id: PLY holds whole numbers up to 2\^53, got 9007199254740993"):
        encode(Table({"id": [2**53 + 1]}), "ply")
    assert read(encode(Table({"x": [1.0], "yes": [True]}), "ply")).columns["yes"].tolist() == [1]


# LAS


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
    assert table.numbers().tolist() == points.xyz.tolist()
    assert table.labels("classification")[1] == ("2", "6")
    assert table.columns["intensity"].tolist() == [65535, 7]
    more = table.with_columns({"label": [0, 1], "x_moved": [0.1, 0.2], "outlier": [True, False]})
    again = laspy.read(io.BytesIO(encode(more, "las")))
    assert again.X.tolist() == points.X.tolist()
    assert again.header.scales.tolist() == [0.01, 0.01, 0.001]
    assert (list(again.label), list(again.x_moved), list(again.outlier)) == ([0, 1], [0.1, 0.2], [1, 0])
    for packed in (False, True):
        content = encode(more, "laz" if packed else "las")
        with pytest.raises(
            ValueError, match=r"points\.las (announces 2 points and has room for \d|is cut off or damaged)"
        ):
            read(content[: len(content) - 60], name="points.las")
    assert read(encode(more, "laz"), name="points.las").numbers().tolist() == table.numbers().tolist()


def test_what_las_cannot_hold_is_said() -> None:
    pytest.importorskip("laspy")
    place = {"x": [1.0], "y": [2.0], "z": [3.0]}
    with pytest.raises(ValueError, match="LAS needs columns x, y and z; there are x, y"):
        encode(Table({"x": [1.0], "y": [2.0]}), "las")
    with pytest.raises(ValueError, match="column word: LAS holds numbers, not words"):
        encode(Table(place | {"word": ["a"]}), "las")
    with pytest.raises(ValueError, match="LAS has names of at most 32 bytes"):
        encode(Table(place | {"n" * 40: [1]}), "las")
    with pytest.raises(
        ValueError, match=r"column intensity: LAS has a narrower dimension of that name|cannot be written as LAS"
    ):
        encode(Table(place | {"intensity": [0.5]}), "las")
    with pytest.raises(ValueError, match=r"column intensity: LAS has a narrower dimension|cannot be written as LAS"):
        encode(Table(place | {"intensity": [-1]}), "las")
    with pytest.raises(ValueError, match=r"cannot be written as LAS|narrower dimension"):
        encode(Table(place | {"return_number": [99]}), "las")
    with pytest.raises(ValueError, match="row 1, column z: 'nan' stands for a missing value"):
        encode(Table(place | {"z": [np.nan]}), "las")
