"""Files of distances: written whole or not at all, looked through before they are used, and refused in a line."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import squareform

import wasserstein_transform as wt
from wasserstein_transform.spaces import dense

SOURCE = Path(wt.__file__).parents[1]
POINTS = np.random.default_rng(3).normal(size=(40, 2))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "_BLOCK_SIDE", 17)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


METRICS = {
    "points": wt.spaces.Euclidean(POINTS),
    "Gaussians": wt.transforms.gaussian_transform(0.5).start(wt.Space.from_points(POINTS)).metric,
    "graph": wt.Space.from_graph([(k, k + 1) for k in range(40)]).metric,
    "matrix": wt.spaces.Dense(wt.spaces.Euclidean(POINTS).dense()),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_files_hold_what_memory_holds(name: str, dtype: str, tmp_path: Path) -> None:
    metric = METRICS[name]
    square = metric.dense(out=tmp_path / "d.npy", dtype=dtype)
    vector = metric.condensed(out=tmp_path / "c.npy", dtype=dtype)
    np.testing.assert_array_equal(square, metric.dense(dtype=dtype))
    np.testing.assert_array_equal(vector, metric.condensed(dtype=dtype))
    assert square.dtype == vector.dtype == dtype
    for source in (square, vector):
        again = wt.Space.from_distances(source).metric
        np.testing.assert_array_equal(again.dense(out=tmp_path / "again.npy", dtype=dtype), square)
        np.testing.assert_array_equal(again.condensed(out=tmp_path / "a.npy", dtype=dtype), vector)
    assert names(tmp_path) == {"d.npy", "c.npy", "again.npy", "a.npy"}


def test_a_file_is_replaced_once_the_new_one_is_complete(tmp_path: Path) -> None:
    path, X = tmp_path / "d.npy", np.random.default_rng(0).normal(size=(1500, 100))  # several tiles
    wt.spaces.Euclidean(X).dense(out=path)
    before = np.load(path)

    def cancel(update: wt.engine.Update) -> None:
        if update.done > 0:
            engine.cancel()

    engine = wt.Engine(progress=cancel)
    with pytest.raises(wt.engine.Cancelled):
        wt.spaces.Euclidean(2 * X).dense(engine, out=path)
    np.testing.assert_array_equal(np.load(path), before)
    assert names(tmp_path) == {"d.npy"}
    wt.spaces.Euclidean(2 * X).dense(out=path)
    np.testing.assert_array_equal(np.load(path), 2 * before)
    assert names(tmp_path) == {"d.npy"}


def test_missing_folders_are_refused(tmp_path: Path) -> None:
    for write in (METRICS["points"].dense, METRICS["points"].condensed):
        with pytest.raises(FileNotFoundError):
            write(out=tmp_path / "nowhere" / "d.npy")
    assert names(tmp_path) == set()


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
def test_a_full_disk_is_an_error_and_leaves_nothing(full_disk: Path) -> None:
    metric = wt.spaces.Euclidean(np.random.default_rng(0).random((300, 2)))
    with pytest.raises(OSError, match=r"needs 7.2e\+05 bytes on disk, and .* are free") as caught:
        metric.dense(out=full_disk / "d.npy")
    assert caught.value.errno == errno.ENOSPC
    assert names(full_disk) == set()


def filed(D: np.ndarray, folder: Path) -> Path:
    np.save(folder / "d.npy", D)
    return folder / "d.npy"


WRONG = {
    "NaN": ((25, 3), np.nan, r"distances must be finite, got nan at \[25, 3\]"),
    "infinite": ((3, 25), np.inf, r"distances must be finite, got inf at \[3, 25\]"),
    "negative": ((38, 30), -1.5, r"distances must not be negative, got -1.5 at \[38, 30\]"),
    "diagonal": ((33, 33), 0.25, r"distances must be 0 on the diagonal, got 0.25 at \[33, 33\]"),
}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", WRONG)
def test_what_are_no_distances_is_said_with_its_place(name: str, dtype: str, tmp_path: Path) -> None:
    D = wt.spaces.Euclidean(POINTS).dense().astype(dtype)
    where, value, message = WRONG[name]
    D[where] = value
    with pytest.raises(ValueError, match=message):
        wt.Space.from_distances(filed(D, tmp_path))


def test_halves_that_differ_are_said_with_their_place(tmp_path: Path) -> None:
    D = wt.spaces.Euclidean(POINTS).dense()
    D[30, 4] *= 1 + 1e-12
    metric = wt.Space.from_distances(filed(D, tmp_path)).metric
    np.testing.assert_array_equal(metric.block(np.arange(40), np.arange(40)), wt.spaces.Euclidean(POINTS).dense())
    np.testing.assert_array_equal(metric.pairs(np.array([30, 4]), np.array([4, 30])), D[4, [30, 30]])
    D[30, 4] = 7.0
    with pytest.raises(ValueError, match=r"\[4, 30\] and 7.0 at \[30, 4\]"):
        wt.Space.from_distances(filed(D, tmp_path))


def test_condensed_distances_are_looked_through(tmp_path: Path) -> None:
    D = wt.spaces.Euclidean(POINTS).condensed()
    D[222] = -1.0
    with pytest.raises(ValueError, match=r"got -1.0 at \[222\]"):
        wt.Space.from_distances(filed(D, tmp_path))
    with pytest.raises(ValueError, match="779"):
        wt.Space.from_distances(filed(D[1:], tmp_path))
    with pytest.raises(ValueError, match="39, 20"):
        wt.Space.from_distances(filed(D.reshape(39, 20), tmp_path))
    with pytest.raises(ValueError, match="13, 3, 20"):
        wt.Space.from_distances(filed(D.reshape(13, 3, 20), tmp_path))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        wt.Space.from_distances(tmp_path / "a.npy")
    (tmp_path / "a.csv").write_text("0,1\n1,0\n")
    with pytest.raises(ValueError, match="read_matrix"):
        wt.Space.from_distances(tmp_path / "a.csv")
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00 of no kind")
    with pytest.raises(ValueError, match="damaged"):
        wt.Space.from_distances(tmp_path / "a.npy")
    for header in ("{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 99999999999999999999)}", "{'descr' ["):
        text = f"{header:<117}\n".encode()
        (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(99))
        with pytest.raises(ValueError, match="damaged"):
            wt.Space.from_distances(tmp_path / "a.npy")
    with (tmp_path / "a.npy").open("wb") as stream:
        np.savez(stream, D=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="archive"):
        wt.Space.from_distances(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.array([[0, {}], [{}, 0]]), allow_pickle=True)
    with pytest.raises(ValueError, match="of numbers"):
        wt.Space.from_distances(tmp_path / "a.npy")
    np.save(tmp_path / "half.npy", np.zeros((30, 30)))
    with (tmp_path / "half.npy").open("r+b") as stream:
        stream.truncate(3000)
    with pytest.raises(ValueError, match="damaged"):
        wt.Space.from_distances(tmp_path / "half.npy")
    (tmp_path / "a.folder").mkdir()
    with pytest.raises(FileNotFoundError):
        wt.Space.from_distances(tmp_path / "a.folder")


def test_whole_numbers_in_a_file_are_read_into_memory(tmp_path: Path) -> None:
    D = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    np.save(tmp_path / "d.npy", D)
    space = wt.Space.from_distances(tmp_path / "d.npy")
    assert not space.metric.is_on_disk
    np.testing.assert_array_equal(space.metric.dense(), D)


def test_files_that_may_only_be_read_are_enough(tmp_path: Path) -> None:
    D = wt.spaces.Euclidean(POINTS).dense()
    for name, values in (("d.npy", D), ("c.npy", squareform(D, checks=False))):
        np.save(tmp_path / name, values)
        (tmp_path / name).chmod(0o444)
        tree = wt.hierarchy.spanning_tree(wt.Space.from_distances(tmp_path / name))
        np.testing.assert_array_equal(tree.heights, wt.hierarchy.spanning_tree(wt.Space.from_distances(D)).heights)
        assert (tmp_path / name).stat().st_size == values.nbytes + 128


def test_a_space_of_a_file_can_be_saved_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", wt.spaces.Euclidean(POINTS).dense())
    before = (tmp_path / "d.npy").read_bytes()
    space = wt.Space.from_distances(str(tmp_path / "d.npy"))
    assert space.metric.is_on_disk
    assert repr(space.metric) == "<Dense metric of 40 points>"
    again = wt.Space.load(space.save(tmp_path / "space.npz"))
    np.testing.assert_array_equal(again.metric.dense(), space.metric.dense())
    assert names(tmp_path) == {"d.npy", "space.npz"}
    assert (tmp_path / "d.npy").read_bytes() == before


def test_a_matrix_in_a_file_is_looked_through_where_it_stays(tmp_path: Path) -> None:
    D = wt.spaces.Euclidean(POINTS).dense()
    np.save(tmp_path / "d.npy", D)
    metric = wt.spaces.Dense(np.load(tmp_path / "d.npy", mmap_mode="r+"))
    assert metric.checked() is metric
    metric.matrix[3, 3] = 1.0
    with pytest.raises(ValueError, match=r"distances must be 0 on the diagonal, got 1.0 at \[3, 3\]"):
        metric.checked()


@pytest.mark.slow
def test_ctrl_c_ends_a_long_write_and_nothing_is_left(tmp_path: Path) -> None:
    code = """
import numpy as np, wasserstein_transform as wt
metric = wt.spaces.Euclidean(np.random.default_rng(0).random((12_000, 200)))
def tell(update):
    if update.stage and update.done == 1:
        print("begun", flush=True)
try:
    metric.dense(wt.Engine(n_jobs=1, progress=tell), out="d.npy")
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
