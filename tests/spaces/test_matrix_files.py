"""Files of distances: written whole or not at all, looked through before they are used, and refused in a line."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import squareform

import wasserstein_transform as wt
from wasserstein_transform.spaces import checking, sources, zarrs

zarr = pytest.importorskip("zarr")

SOURCE = Path(wt.__file__).parents[1]
POINTS = np.random.default_rng(3).normal(size=(40, 2))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_SIDE", 17)
    monkeypatch.setattr(checking, "_RUN", 100)
    monkeypatch.setattr(zarrs, "_SIDE", 13)
    monkeypatch.setattr(zarrs, "_RUN", 101)
    monkeypatch.setattr(zarrs, "_READ", 300)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


METRICS = {
    "points": wt.Euclidean(POINTS),
    "Gaussians": wt.gaussian_transform(0.5).start(wt.Space.from_points(POINTS)).metric,
    "graph": wt.Space.from_graph([(k, k + 1) for k in range(40)]).metric,
    "matrix": wt.Dense(wt.Euclidean(POINTS).dense()),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_zarr_arrays_hold_what_memory_holds(name: str, dtype: str, tmp_path: Path) -> None:
    metric = METRICS[name]
    square = metric.dense(out=tmp_path / "d.zarr", dtype=dtype)
    vector = metric.condensed(out=tmp_path / "c.zarr", dtype=dtype)
    np.testing.assert_array_equal(square[:], metric.dense(dtype=dtype))
    np.testing.assert_array_equal(vector[:], metric.condensed(dtype=dtype))
    assert square.chunks == (13, 13)
    assert "crc32c" in (tmp_path / "d.zarr" / "zarr.json").read_text()
    again = wt.Space.from_distances(square).metric
    np.testing.assert_array_equal(again.dense(out=tmp_path / "again.zarr", dtype=dtype)[:], square[:])
    np.testing.assert_array_equal(
        wt.Space.from_distances(vector).metric.condensed(out=tmp_path / "a.zarr", dtype=dtype)[:], vector[:]
    )
    assert names(tmp_path) == {"d.zarr", "c.zarr", "again.zarr", "a.zarr"}


def test_a_folder_is_replaced_once_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "d.zarr"
    METRICS["points"].dense(out=path)
    before = zarr.open_array(path, mode="r")[:]

    def cancel(update: wt.engine.Update) -> None:
        if update.done > 1:
            engine.cancel()

    engine = wt.Engine(progress=cancel)
    with pytest.raises(wt.Cancelled):
        wt.Euclidean(2 * POINTS).dense(engine, out=path)
    np.testing.assert_array_equal(zarr.open_array(path, mode="r")[:], before)
    assert names(tmp_path) == {"d.zarr"}
    wt.Euclidean(2 * POINTS).dense(out=path)
    np.testing.assert_array_equal(zarr.open_array(path, mode="r")[:], 2 * before)
    assert names(tmp_path) == {"d.zarr"}


def test_what_is_no_array_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "d.zarr").mkdir()
    (tmp_path / "d.zarr" / "thesis.txt").write_text("all of it")
    with pytest.raises(FileExistsError, match="holds something else than a Zarr array; choose another name"):
        METRICS["points"].dense(out=tmp_path / "d.zarr")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        METRICS["points"].dense(out=tmp_path / "nowhere" / "d.zarr")
    assert names(tmp_path / "d.zarr") == {"thesis.txt"}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="folders have no locks there")
def test_what_a_killed_process_left_goes_with_the_next_write(tmp_path: Path) -> None:
    code = """
import sys, time
import numpy as np, wasserstein_transform as wt
def wait(update):
    print("begun", flush=True)
    time.sleep(60)
wt.Euclidean(np.eye(3)).dense(wt.Engine(progress=wait), out="d.zarr")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    METRICS["points"].dense(out=tmp_path / "d.zarr")
    assert len(names(tmp_path)) == 2  # somebody still writes there
    child.send_signal(signal.SIGKILL)
    child.communicate()
    METRICS["points"].dense(out=tmp_path / "d.zarr")
    assert names(tmp_path) == {"d.zarr"}


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only the superuser makes small disks")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="tmpfs is a thing of Linux")
def test_a_full_disk_is_an_error_and_leaves_nothing(full_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = wt.Euclidean(np.random.default_rng(0).random((300, 2)))
    for out in ("d.npy", "d.zarr"):
        with pytest.raises(OSError, match=r"needs 7.2e\+05 bytes on disk, and .* are free") as caught:
            metric.dense(out=full_disk / out)
        assert caught.value.errno == errno.ENOSPC
        assert names(full_disk) == set()
    monkeypatch.setattr(zarrs, "check_room", lambda *_: None)  # it fills up while it is written to
    monkeypatch.setattr(zarrs, "_SIDE", 50)
    with pytest.raises(
        OSError, match=r"the disk of .*d.zarr is full and .* was not written; choose another folder"
    ) as caught:
        metric.dense(out=full_disk / "d.zarr")
    assert caught.value.errno == errno.ENOSPC
    assert names(full_disk) == set()


def filed(D: np.ndarray, kind: str, folder: Path) -> Any:
    """The distances as a memory map or a Zarr array."""
    if kind == "npy":
        np.save(folder / "d.npy", D)
        return folder / "d.npy"
    made = zarr.create_array(folder / "d.zarr", shape=D.shape, chunks=(13,) * D.ndim, dtype=D.dtype, overwrite=True)
    made[...] = D
    return made


WRONG = {
    "NaN": ((25, 3), np.nan, r"finite, got nan at \[25, 3\]|chunk c/1/0 of .* is missing or contains NaN"),
    "infinite": ((3, 25), np.inf, r"distances must be finite, got inf at \[3, 25\]"),
    "negative": ((38, 30), -1.5, r"distances must not be negative, got -1.5 at \[38, 30\]"),
    "diagonal": ((33, 33), 0.25, r"distances must be 0 on the diagonal, got 0.25 at \[33, 33\]"),
}


@pytest.mark.parametrize(("kind", "dtype"), [("npy", "f4"), ("npy", "f8"), ("zarr", "f8")])
@pytest.mark.parametrize("name", WRONG)
def test_what_are_no_distances_is_said_with_its_place(name: str, kind: str, dtype: str, tmp_path: Path) -> None:
    D = wt.Euclidean(POINTS).dense().astype(dtype)
    where, value, message = WRONG[name]
    D[where] = value
    with pytest.raises(ValueError, match=message):
        wt.Space.from_distances(filed(D, kind, tmp_path))


@pytest.mark.parametrize("kind", ["npy", "zarr"])
def test_halves_that_differ_are_said_with_their_place(kind: str, tmp_path: Path) -> None:
    D = wt.Euclidean(POINTS).dense()
    D[30, 4] *= 1 + 1e-12
    metric = wt.Space.from_distances(filed(D, kind, tmp_path)).metric
    np.testing.assert_array_equal(metric.block(np.arange(40), np.arange(40)), wt.Euclidean(POINTS).dense())
    np.testing.assert_array_equal(metric.pairs(np.array([30, 4]), np.array([4, 30])), D[4, [30, 30]])
    D[30, 4] = 7.0
    with pytest.raises(ValueError, match=r"symmetric, got .* at \[4, 30\] and 7.0 at \[30, 4\]; use \(D \+ D.T\) / 2"):
        wt.Space.from_distances(filed(D, kind, tmp_path))


@pytest.mark.parametrize("kind", ["npy", "zarr"])
def test_condensed_distances_are_looked_through(kind: str, tmp_path: Path) -> None:
    D = wt.Euclidean(POINTS).condensed()
    D[222] = -1.0
    with pytest.raises(ValueError, match=r"must not be negative, got -1.0 at \[222\]"):
        wt.Space.from_distances(filed(D, kind, tmp_path))
    with pytest.raises(ValueError, match=r"must have n\(n-1\)/2 entries, got 779"):
        wt.Space.from_distances(filed(D[1:], kind, tmp_path))
    with pytest.raises(ValueError, match=r"a square matrix or SciPy's condensed vector, got shape \(39, 20\)"):
        wt.Space.from_distances(filed(D.reshape(39, 20), kind, tmp_path))
    with pytest.raises(ValueError, match=r"a square matrix or SciPy's condensed vector, got shape \(13, 3, 20\)"):
        wt.Space.from_distances(filed(D.reshape(13, 3, 20), kind, tmp_path))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*a.npy of distances"):
        wt.Space.from_distances(tmp_path / "a.npy")
    with pytest.raises(FileNotFoundError, match=r"there is no Zarr array .*a.zarr"):
        wt.Space.from_distances(tmp_path / "a.zarr")
    (tmp_path / "a.csv").write_text("0,1\n1,0\n")
    with pytest.raises(ValueError, match=r"read from .npy files and .zarr folders, .*wt.tables.read_matrix"):
        wt.Space.from_distances(tmp_path / "a.csv")
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00 of no kind")
    with pytest.raises(ValueError, match=r"is not a .npy file of numbers, or it is cut off or damaged"):
        wt.Space.from_distances(tmp_path / "a.npy")
    for header in ("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 99999999999999999999)}", "{'descr' ["):
        text = f"{header:<117}\n".encode()
        (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(99))
        with pytest.raises(ValueError, match=r"is not a \.npy file of numbers, or it is cut off or damaged"):
            wt.Space.from_distances(tmp_path / "a.npy")
    with (tmp_path / "a.npy").open("wb") as stream:
        np.savez(stream, D=np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"is not a \.npy file of numbers but an archive"):
        wt.Space.from_distances(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.array([[0, {}], [{}, 0]]), allow_pickle=True)
    with pytest.raises(ValueError, match=r"is not a .npy file of numbers"):
        wt.Space.from_distances(tmp_path / "a.npy")
    np.save(tmp_path / "half.npy", np.zeros((30, 30)))
    with (tmp_path / "half.npy").open("r+b") as stream:
        stream.truncate(3000)
    with pytest.raises(ValueError, match=r"is not a .npy file of numbers, or it is cut off or damaged"):
        wt.Space.from_distances(tmp_path / "half.npy")
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / "zarr.json").write_text("{}")
    with pytest.raises(ValueError, match=r"a.zarr is not a Zarr array, or it is damaged"):
        wt.Space.from_distances(tmp_path / "a.zarr")


def test_whole_numbers_in_a_file_are_read_into_memory(tmp_path: Path) -> None:
    D = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    np.save(tmp_path / "d.npy", D)
    space = wt.Space.from_distances(tmp_path / "d.npy")
    assert not space.metric.is_on_disk
    np.testing.assert_array_equal(space.metric.dense(), D)


def test_zarr_of_other_kinds_is_refused(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "i.zarr", shape=(3, 3), chunks=(3, 3), dtype="i4")
    with pytest.raises(ValueError, match="must be float32 or float64, got int32"):
        wt.Space.from_distances(tmp_path / "i.zarr")
    old = zarr.create_array(tmp_path / "o.zarr", shape=(3, 3), chunks=(3, 3), dtype="f8", zarr_format=2)
    with pytest.raises(ValueError, match="has Zarr format 2, but only format 3 is supported"):
        wt.Space.from_distances(old)
    large = zarr.create_array(tmp_path / "l.zarr", shape=(9, 9), chunks=(10_000, 10_000), dtype="f8")
    with pytest.raises(MemoryError, match=r"chunks of .*l.zarr needs .*write it again in smaller chunks"):
        wt.Space.from_distances(large, engine=wt.Engine(memory=1e6))


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_a_damaged_chunk_is_named(damage: str, tmp_path: Path) -> None:
    array = METRICS["points"].dense(out=tmp_path / "d.zarr")
    space = wt.Space.from_distances(array)
    chunk = tmp_path / "d.zarr" / "c" / "0" / "2"
    content = chunk.read_bytes()
    if damage == "flipped":
        chunk.write_bytes(content[:99] + bytes([content[99] ^ 4]) + content[100:])
    elif damage == "cut":
        chunk.write_bytes(content[:-200])
    else:
        chunk.unlink()
    message = (
        r"chunk c/0/2 of .*d.zarr is (damaged \(.*\)|missing or contains NaN.*); .*write the array again|is missing"
    )
    space.metric.source.numbers._known.clear()  # type: ignore[attr-defined]
    for work in (wt.Space.from_distances, lambda _: wt.hierarchy.spanning_tree(space)):
        with pytest.raises(ValueError, match=message):
            work(array)


def test_zarr_is_asked_for_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    for work in (METRICS["points"].dense, METRICS["points"].condensed):
        with pytest.raises(ImportError, match=r'pip install "wasserstein-transform\[scale\]"'):
            work(out=tmp_path / "d.zarr")
    assert names(tmp_path) == set()


def test_files_that_may_only_be_read_are_enough(tmp_path: Path) -> None:
    D = wt.Euclidean(POINTS).dense()
    for name, values in (("d.npy", D), ("c.npy", squareform(D, checks=False))):
        np.save(tmp_path / name, values)
        (tmp_path / name).chmod(0o444)
        tree = wt.hierarchy.spanning_tree(wt.Space.from_distances(tmp_path / name))
        np.testing.assert_array_equal(tree.heights, wt.hierarchy.spanning_tree(wt.Space.from_distances(D)).heights)
        assert (tmp_path / name).stat().st_size == values.nbytes + 128


def test_spaces_of_files_say_where_they_are_and_are_not_copied(tmp_path: Path) -> None:
    np.save(tmp_path / "c.npy", wt.Euclidean(POINTS).condensed())
    space = wt.Space.from_distances(str(tmp_path / "c.npy"))
    assert repr(space.metric) == f"<OnDisk metric of 40 points in {tmp_path / 'c.npy'}>"
    with pytest.raises(TypeError, match="are not copied into another file; keep that file"):
        space.save(tmp_path / "space.npz")
    assert names(tmp_path) == {"c.npy"}


def test_a_matrix_in_a_file_is_looked_through_where_it_stays(tmp_path: Path) -> None:
    D = wt.Euclidean(POINTS).dense()
    np.save(tmp_path / "d.npy", D)
    metric = wt.Dense(np.load(tmp_path / "d.npy", mmap_mode="r+"))
    assert metric.checked() is metric
    metric.matrix[3, 3] = 1.0
    with pytest.raises(ValueError, match=r"metric: distances must be 0 on the diagonal, got 1.0 at \[3, 3\]"):
        metric.checked()


@pytest.mark.slow
def test_ctrl_c_ends_a_long_write_and_nothing_is_left(tmp_path: Path) -> None:
    code = """
import numpy as np, wasserstein_transform as wt
metric = wt.Euclidean(np.random.default_rng(0).random((12_000, 200)))
def tell(update):
    if update.stage and update.done == 1:
        print("begun", flush=True)
try:
    metric.dense(wt.Engine(n_jobs=1, progress=tell), out="d.zarr")
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"begun\n"
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == b"stopped\n"
    child.communicate()
    assert names(tmp_path) == set()


@pytest.mark.slow
def test_chunks_of_other_shapes_and_in_common_files_are_read(tmp_path: Path) -> None:
    D = wt.Euclidean(POINTS).dense()
    shapes: dict[str, Any] = {
        "flat": {"chunks": (5, 40)},
        "tall": {"chunks": (40, 7)},
        "one": {"chunks": (40, 40)},
        "common": {"chunks": (4, 6), "shards": (12, 12)},
        "packed": {"chunks": (9, 9), "compressors": zarr.codecs.ZstdCodec()},
    }
    rows, cols = np.random.default_rng(0).integers(0, 40, (2, 30))
    for name, options in shapes.items():
        array = zarr.create_array(tmp_path / f"{name}.zarr", shape=D.shape, dtype="f8", fill_value=np.nan, **options)
        array[...] = D
        metric = wt.Space.from_distances(tmp_path / f"{name}.zarr").metric
        np.testing.assert_array_equal(metric.dense(), D, err_msg=name)
        np.testing.assert_array_equal(metric.block(rows, cols), D[np.ix_(rows, cols)], err_msg=name)
        np.testing.assert_array_equal(metric.neighbors(4).indices, wt.Dense(D).neighbors(4).indices, err_msg=name)
        np.testing.assert_array_equal(
            wt.hierarchy.spanning_tree(wt.Space(metric, np.ones(40), None)).heights,
            wt.hierarchy.spanning_tree(wt.Space(wt.Dense(D), np.ones(40), None)).heights,
            err_msg=name,
        )
