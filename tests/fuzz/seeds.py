"""Small valid files of every kind, made once."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import wasserstein_transform as wt
from wasserstein_transform import io as files
from wasserstein_transform.estimators.saving import Saved
from wt_paper.experiments.experiment import Choice, Claim, Table as Listing
from wt_paper.reporting.part import Part

CLOUD = np.random.default_rng(7).normal(size=(12, 2))
_MATRIX = np.array([[1, 0.5, -2], [0.25, 3, 1e-3], [4, 5, 6]], np.float32)
_TEXT = "the cat sat on the mat. the dog saw a cat and a yak on the mat\n" * 6


def load_estimator(file: Path) -> Any:
    """An estimator of any class."""
    return Saved.load(file)


def _saved(*values: Any) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        return [value.save(Path(folder, "kept.npz")).read_bytes() for value in values]


def _table() -> pd.DataFrame:
    return pd.DataFrame({"x": CLOUD[:, 0], "y": CLOUD[:, 1], "n": np.arange(12), "name": ["a b", 'c"d', "é"] * 4})


def csv() -> list[bytes]:
    return [
        files.encode(_table(), "csv"),
        b"# a comment\nx;y;part\n0,5;1;007\n2;3,5;008\n1;2;009\n",
        b'"a","b"\n"1\n",2\n3,"4"\n',
        ",0,1\n0,1.5,é\n1,2.5,ü\n".encode("utf-16"),
    ]


def encoded(kind: str) -> list[bytes]:
    table = pd.DataFrame({"longitude": CLOUD[:, 0], "latitude": CLOUD[:, 1], "name": ["a b", "c'd", "é"] * 4})
    return [files.encode(table, kind)]


def gpx() -> list[bytes]:
    return [files.encode(files.read(_track(), name="a.gpx"), "gpx"), _track()]


def _track() -> bytes:
    points = "".join(f'<trkpt lat="{y}" lon="{x}"><ele>{k}</ele></trkpt>' for k, (x, y) in enumerate(CLOUD))
    return f'<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>{points}</trkseg></trk></gpx>'.encode()


def packed(kind: str) -> list[bytes]:
    import bz2  # noqa: PLC0415

    pack: Callable[[bytes], bytes] = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}[kind]
    return [pack(csv()[0]), pack(b"1,2\n") * 2]


def ply() -> list[bytes]:
    table = pd.DataFrame({"x": CLOUD[:, 0], "y": CLOUD[:, 1], "z": CLOUD[:, 0], "n": np.arange(12)})
    binary = files.encode(table, "ply")
    head = b"ply\nformat ascii 1.0\nelement camera 1\nproperty int k\nelement vertex 2\nproperty float x\n"
    head += b"property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    return [binary, head + b"7\n0 1 2\n2 3.5 1\n3 0 1 2\n"]


def _npy(array: Any) -> bytes:
    held = io.BytesIO()
    np.save(held, array, allow_pickle=False)
    return held.getvalue()


def npy() -> list[bytes]:
    structured = np.array([(1.5, 2, "a"), (2.5, 3, "b")], [("x", "f8"), ("n", "i4"), ("s", "U3")])
    return [_npy(CLOUD), _npy(structured), _npy(np.array(["a", "bc"])), _npy(np.asfortranarray(CLOUD, np.float32))]


def npz() -> list[bytes]:
    plain, dense = io.BytesIO(), io.BytesIO()
    np.savez(plain, points=CLOUD, labels=np.arange(12), other=np.zeros(3))
    np.savez_compressed(dense, x=CLOUD[:, 0], s=np.array(["a", "b"] * 6))
    return [plain.getvalue(), dense.getvalue()]


def parquet() -> list[bytes]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    columns = {
        "x": pa.array([1.5, 2.5, 4.0] * 4),
        "s": pa.array(["a", "b", "c"] * 4),
        "d": pa.array(["u", "v", "w"] * 4).dictionary_encode(),
        "t": pa.array([0, 1, 2] * 4, pa.timestamp("us")),
        "l": pa.array([[1], [2, 3], []] * 4),
    }
    out = []
    for pack, version in (("snappy", "1.0"), ("zstd", "2.0"), ("none", "1.0")):
        held = io.BytesIO()
        parquet.write_table(pa.table(columns), held, compression=pack, data_page_version=version, row_group_size=6)
        out.append(held.getvalue())
    return out


def las(kind: str) -> list[bytes]:
    table = pd.DataFrame({"x": CLOUD[:, 0], "y": CLOUD[:, 1], "z": np.arange(12.0), "extra": np.arange(12)})
    return [files.encode(table, kind)]


def matrices(kind: str) -> list[bytes]:
    square = wt.spaces.Euclidean(CLOUD).dense()
    condensed = square[np.triu_indices(12, 1)]
    if kind == "npy":
        return [_npy(square), _npy(condensed)]
    return [b",Rome,Oslo\nRome,0,2006\nOslo,2006,0\n", "\n".join(map(repr, condensed.tolist())).encode()]


def pictures(kind: str) -> list[bytes]:
    from imageio.v3 import imwrite  # noqa: PLC0415

    gray = np.arange(64, dtype=np.uint8).reshape(8, 8) * 4
    color = np.stack([gray, gray.T, 255 - gray], axis=-1)
    shapes = [gray, color] if kind in ("png", "tif", "jpg", "bmp") else [color]
    more = [gray.astype(np.uint16) * 257] if kind in ("png", "tif") else []
    return [bytes(imwrite("<bytes>", picture, extension=f".{kind}")) for picture in (*shapes, *more)]


def edges() -> list[bytes]:
    return [b"0 1\n1 2 0.5\n", b"source,target,length\na b,c,1.5\nc,d,2\n", b"a;b;1\n# no edge\nb;c;2\n"]


def graphs(kind: str) -> list[bytes]:
    import networkx as nx  # noqa: PLC0415

    graph = nx.path_graph(["a", "b", "c"])
    nx.set_edge_attributes(graph, 1.5, "length")
    held = io.BytesIO()
    getattr(nx, f"write_{kind}")(graph, held)
    return [held.getvalue()]


def spaces() -> list[bytes]:
    points = wt.Space.from_points(CLOUD, np.arange(1, 13))
    return _saved(
        points,
        wt.Space.from_distances(wt.spaces.Euclidean(CLOUD).dense(), triangle=True),
        wt.Space.from_graph([("a", "b"), ("b", "c", 2.0)], weight="length"),
        wt.iterate(wt.transforms.gaussian_transform(0.5), points, n_iter=1).last,
        wt.transforms.iterate_locally(wt.transforms.local_truncation(0.5), wt.Space.from_points(CLOUD), 3.0),
    )


def trajectories() -> list[bytes]:
    points = wt.Space.from_points(CLOUD)
    return _saved(
        wt.iterate(wt.transforms.mean_shift(0.5), points, n_iter=2, tol=0.0, merge=0.05, keep="all"),
        wt.iterate(wt.transforms.gaussian_transform(0.5), points, n_iter=1),
    )


def estimators() -> list[bytes]:
    made = (
        wt.MeanShift(eps=0.8),
        wt.GaussianTransform(eps=[1.5, 1.4], lam=0.5, n_iter=2, ridge=1),
        wt.LocalTruncation(eps=0.5, p=2, n_iter=2, merge=1e-3),
        wt.WassersteinTransform(wt.Gaussian(wt.Nearest(5), 1.0), wt.transport.Stored(wt.Bures())),
        wt.SingleLinkage(3, cut="robust"),
        wt.AutoCluster(3),
    )
    return _saved(*(estimator.fit(CLOUD) for estimator in made))


def parts() -> list[bytes]:
    claim = Claim("a: b", "1", "it is", "how much", (Choice("as said", True, "1"),))
    made = Part("a", "A", "b", "key", "machine", 1.5, (claim,), (Listing("t", ("h",), (("c",),)),), ())
    return [json.dumps(asdict(made)).encode()]


def records() -> list[bytes]:
    entry = {"statement": "it is", "verdict": "confirmed", "held": ["a"], "failed": [], "measured": "1"}
    return [json.dumps({"full": {"a: b": entry}, "quick": {}}).encode()]
