"""Files that are not what their names say, and files that are too large."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pytest
from encoding import encode
from pandas import DataFrame

import wasserstein_transform as wt
from wasserstein_transform.io import read
from wasserstein_transform.io.formats import MAPS, WRITTEN
from wasserstein_transform.tables import coordinates

EXTRAS = {"parquet": "pyarrow", "las": "laspy", "laz": "lazrs", "ply": "trimesh"}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
PAGE = b"\n<!DOCTYPE html><html><body>404</body></html>"
ARRAY = encode(DataFrame({"x": [1.0], "y": [2.0]}), "npy")
TEXT = b"x,y\n1,2\n"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("points.csv", PNG, r"points\.csv is named as CSV and holds a PNG picture; give a table as csv, tsv"),
        ("points.csv", PAGE, r"points\.csv is named as CSV and holds a web page"),
        ("points.csv.gz", gzip.compress(PAGE, mtime=0), r"points\.csv\.gz is named as CSV and holds a web page"),
        ("points.csv", b"<?xml version='1.0'?>", r"named as CSV and holds XML"),
        ("points.csv", b"%PDF-1.4", r"named as CSV and holds a PDF document"),
        ("points.csv", bytes(range(256)), r"named as CSV and holds binary content of an unknown kind"),
        ("points.csv", b"x,y\n1,2\n" * 1000 + b"\0", r"named as CSV and holds binary content"),
        ("points.csv", ARRAY, r"named as CSV and holds a table as NPY; give the right name, or kind='npy'"),
        ("points.csv", b'{"type": "Point"}', r"named as CSV and holds JSON; give the right name, or kind='geojson'"),
        ("points.npy", TEXT, r"points\.npy is named as NPY and holds text; give the right name"),
        ("points.npy", b"PK\x03\x04zip", r"points\.npy is named as NPY and holds an archive \(zip\)"),
        ("points.npz", ARRAY, r"points\.npz is named as NPZ and holds a table as NPY"),
        ("points.parquet", TEXT, r"points\.parquet is named as Parquet and holds text"),
        ("points.las", TEXT, r"points\.las is named as LAS and holds text"),
        ("points.ply", TEXT, r"points\.ply is named as PLY and holds text"),
        ("points.geojson", TEXT, r"points\.geojson is named as GeoJSON and holds text"),
        ("points.pkl", b"\x80\x04\x95abc", r"points\.pkl holds a Python pickle, which is never read"),
        ("points.tar", bytes(257) + b"ustar", r"points\.tar holds binary content"),
    ],
)
def test_a_file_that_is_not_what_its_name_says(name: str, content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(content, name=name)


def test_a_kind_that_is_asked_for_is_read() -> None:
    assert tuple(read(ARRAY, name="points.csv", kind="npy")) == ("x", "y")


@pytest.mark.parametrize("kind", WRITTEN)
def test_pipes_are_told_by_their_content(kind: str) -> None:
    pytest.importorskip(EXTRAS.get(kind, "geopandas" if kind in MAPS else "numpy"))
    table = DataFrame({"x": [1.0, 2.0], "y": [3.0, 5.0], "z": [0.0, 0.5]})
    again = read(io.BytesIO(encode(table, kind)))
    np.testing.assert_allclose(coordinates(again)[:, :2], coordinates(table)[:, :2], atol=1e-8)


@pytest.mark.repeated(1)
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_what_unpacks_to_more_than_memory_is_not_unpacked(pack) -> None:
    bomb = pack(b"1,2\n" * 500_000)
    assert len(bomb) < 10_000
    with (
        wt.using(memory=1e6),
        pytest.raises(MemoryError, match=r"reading points\.csv\.gz, unpacked, needs .* MiB, and 976\.6 KiB"),
    ):
        read(bomb, name="points.csv.gz")


def test_files_larger_than_memory_are_not_read(tmp_path) -> None:
    file = tmp_path / "points.csv"
    file.write_bytes(b"1,2\n" * 10_000)
    with (
        wt.using(memory=20_000),
        pytest.raises(MemoryError, match=r"reading .*points\.csv needs 39\.1 KiB, and 19\.5 KiB"),
    ):
        read(file)
    with (
        wt.using(memory=100_000),
        pytest.raises(MemoryError, match="take a part of it, or raise the limit"),
    ):
        read(file)
    with wt.using(memory=20_000), pytest.raises(MemoryError, match="reading the pipe needs"):
        read(io.BytesIO(file.read_bytes()))


def test_archives_and_arrays_that_announce_too_much_are_not_read() -> None:
    held = io.BytesIO()
    np.savez_compressed(held, points=np.zeros((3_000_000, 2)))
    with wt.using(memory=1e7), pytest.raises(MemoryError, match=r"reading points\.npz needs 91\.6 MiB"):
        read(held.getvalue(), name="points.npz")
    header = encode(DataFrame({"x": [1.0], "y": [2.0]}), "npy")
    with pytest.raises(ValueError, match="should hold an array of shape"):
        read(header.replace(b"(1, 2)", b"(9, 9)"), name="points.npy")
    laspy = pytest.importorskip("laspy")
    points = laspy.LasData(laspy.LasHeader(point_format=6, version="1.4"))
    points.x = points.y = points.z = np.ones(1)
    held = io.BytesIO()
    points.write(held, do_compress=True)
    content = bytearray(held.getvalue())
    content[247:255] = (2**40).to_bytes(8, "little")
    with wt.using(memory=1e9), pytest.raises((MemoryError, ValueError), match=r"reading points\.laz needs|damaged"):
        read(bytes(content), name="points.laz")


def test_an_archive_whose_array_is_not_as_long_as_it_says() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as members:
        members.writestr("points.npy", ARRAY[:-8])
    with pytest.raises(
        ValueError, match=r"points\.npz cannot be read: it should hold an array of shape \(1, 2\), but has 8"
    ):
        read(held.getvalue(), name="points.npz")
