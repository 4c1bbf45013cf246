"""`iterate(out=FOLDER)`: what was finished is found again, to the same bits, and nothing else is."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transforms.killed import Counting

import wasserstein_transform as wt
from wasserstein_transform.engine import tiles
from wasserstein_transform.spaces import GaussianMetric
from wasserstein_transform.transforms import Trajectory

X = np.random.default_rng(0).normal(size=(120, 2))
LT, GT, MS = (
    wt.transforms.local_truncation(0.5),
    wt.transforms.gaussian_transform(0.5, 1.0),
    wt.transforms.mean_shift(0.5),
)


@pytest.fixture(autouse=True)
def fine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small tiles, so that small work has some to keep."""
    monkeypatch.setattr(tiles.cut_by_cost, "__defaults__", (5e4,))


def run(out: Path | None, process: Any = LT, n_iter: int = 3, points: np.ndarray = X, **options: Any) -> Trajectory:
    return wt.iterate(process, wt.Space.from_points(points), n_iter=n_iter, out=out, **options)


def counted(out: Path | None, **options: Any) -> tuple[Trajectory, int]:
    """A run, and the tiles of exact transport that it computed."""
    counting = Counting()
    return run(out, engine=wt.Engine(n_jobs=2, progress=counting), **options), counting.n_tiles


def same(one: Trajectory, other: Trajectory) -> None:
    assert (one.movements, one.n_iter, one.converged, one.outcome, one.first) == (
        other.movements, other.n_iter, other.converged, other.outcome, other.first
    )  # fmt: skip
    for a, b in zip(one.states, other.states, strict=True):
        np.testing.assert_array_equal(a.metric.dense(), b.metric.dense())
        if isinstance(b.metric, GaussianMetric):
            np.testing.assert_array_equal(a.metric.covs, b.metric.covs)


def interrupted(out: Path, after: int, **options: Any) -> None:
    """A run that ends as some tiles have ended."""
    seen: list[wt.engine.Update] = []

    def stop(update: wt.engine.Update) -> None:
        if update.stage == "exact transport" and update.done > 0:
            seen.append(update)
        if len(seen) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(out, engine=wt.Engine(n_jobs=1, progress=stop), **options)


@pytest.mark.parametrize("process", [LT, GT, MS, wt.transforms.mean_shift([0.5] * 3 + [0.4] * 3)], ids=repr)
@pytest.mark.parametrize("options", [{}, {"keep": "all"}, {"tol": 0.05, "merge": 0.01}], ids=str)
def test_a_run_goes_on_where_it_was(process: Any, options: dict[str, Any], tmp_path: Path) -> None:
    expected = run(None, process, 6, **options)
    same(run(tmp_path / "f", process, 2, **options), run(None, process, 2, **options))
    same(run(tmp_path / "f", process, 6, **options), expected)
    again, n_tiles = counted(tmp_path / "f", process=process, n_iter=6, **options)
    same(again, expected)
    assert n_tiles == 0


def test_finished_tiles_are_not_computed_again(tmp_path: Path) -> None:
    expected, whole = counted(None)
    interrupted(tmp_path / "f", after=whole // 2)
    assert list((tmp_path / "f").glob("*.tiles"))
    found, left = counted(tmp_path / "f")
    same(found, expected)
    assert 0 < left <= whole - whole // 2
    assert not list((tmp_path / "f").glob("*.tiles"))  # their states are complete


def test_the_tiles_on_a_graph_are_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    edges = [(i, (i + 1) % 90) for i in range(90)] + [(int(a), int(b)) for a, b in rng.integers(0, 90, (40, 2))]
    space, process = wt.Space.from_graph(edges), wt.transforms.local_truncation(1.5)
    expected = wt.iterate(process, space, n_iter=1).last.metric.dense()
    first, second = Counting(), Counting()
    for counting in (first, second):
        kept = wt.iterate(process, space, n_iter=1, out=tmp_path / "f", engine=wt.Engine(progress=counting))
        np.testing.assert_array_equal(kept.last.metric.dense(), expected)
    assert first.n_tiles > 0 == second.n_tiles


@pytest.mark.parametrize("damage", ["flip", "cut", "zeros", "foreign"])
def test_damaged_tiles_are_computed_again(damage: str, tmp_path: Path) -> None:
    expected, whole = counted(None)
    interrupted(tmp_path / "f", after=whole // 3)
    (file,) = (tmp_path / "f").glob("*.tiles")
    content = file.read_bytes()
    half = len(content) // 2
    file.write_bytes(
        {
            "flip": content[:half] + bytes([content[half] ^ 4]) + content[half + 1 :],
            "cut": content[:-5],
            "zeros": content[:half] + bytes(half),
            "foreign": b"years of work",
        }[damage]
    )
    found, left = counted(tmp_path / "f")
    same(found, expected)
    assert left <= whole
    assert left < whole or damage == "foreign"


def test_a_damaged_state_is_computed_again_and_that_is_said(tmp_path: Path) -> None:
    expected = run(tmp_path / "f")
    newest = tmp_path / "f" / "000003.npz"
    content = bytearray(newest.read_bytes())
    content[len(content) // 2] ^= 1
    newest.write_bytes(content)
    with pytest.warns(UserWarning, match=r"damaged, and is computed again: .*000003.npz"):
        same(run(tmp_path / "f"), expected)


def test_fewer_iterations_than_were_kept_are_computed_as_ever(tmp_path: Path) -> None:
    run(tmp_path / "f", n_iter=5)
    same(run(tmp_path / "f", n_iter=1), run(None, n_iter=1))
    assert counted(tmp_path / "f", n_iter=5)[1] == 0


def test_a_hook_sees_new_states_only_and_may_end_the_run(tmp_path: Path) -> None:
    seen: list[int] = []

    def stop(walk: Trajectory) -> None:
        seen.append(walk.n_iter)
        if walk.n_iter == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "f", hook=stop)
    same(run(tmp_path / "f", hook=lambda walk: seen.append(walk.n_iter)), run(None))
    assert seen == [0, 1, 2, 3]


OTHERS: dict[str, dict[str, Any]] = {
    "points": {"points": X + 1e-9},
    "eps": {"process": wt.transforms.local_truncation(0.51)},
    "order": {"process": wt.transforms.local_truncation(0.5, 2)},
    "tolerance": {"tol": 0.1},
    "merging": {"merge": 0.01},
    "a schedule": {"process": wt.transforms.mean_shift([0.5, 0.4, 0.3])},
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_folder_of_another_run_is_refused(name: str, tmp_path: Path) -> None:
    run(tmp_path / "f")
    before = {file.name: file.read_bytes() for file in (tmp_path / "f").iterdir()}
    with pytest.raises(ValueError, match="holds another run: of other points, or with other parameters"):
        run(tmp_path / "f", **OTHERS[name])
    assert {file.name: file.read_bytes() for file in (tmp_path / "f").iterdir()} == before


def test_a_folder_of_another_version_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "f")
    file = tmp_path / "f" / "run.json"
    about = json.loads(file.read_text())
    for other in ({"format": "wasserstein-transform run 2"}, {"code": about["code"] | {"numba": "0.1"}}):
        file.write_text(json.dumps(about | other))
        with pytest.raises(ValueError, match="another version of this library"):
            run(tmp_path / "f")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "other"}', "\0" * 100_000])
def test_a_folder_of_another_program_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(ValueError, match="damaged, or of another program"):
        run(tmp_path)


def test_foreign_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ValueError, match="other files"):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(NotADirectoryError):
        run(tmp_path / "thesis.tex")
    with pytest.raises(FileNotFoundError):
        run(tmp_path / "no" / "such")
    with pytest.raises(TypeError, match="out must be a folder, got 3"):
        run(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not both"):
        run(tmp_path / "f", resume=run(None, n_iter=1))
    with pytest.raises(TypeError, match="a function cannot be stored"):
        run(tmp_path / "f", wt.transforms.kernel_transform(0.5, lambda t: np.exp(-t), cut=2.0))
    assert not (tmp_path / "f").exists()


def test_what_memory_does_not_hold_is_put_there(tmp_path: Path) -> None:
    """Such states are not written again: their tiles stay."""
    counting = Counting()
    small = wt.Engine(n_jobs=2, memory=3e5, progress=counting)  # four matrices have 460 kB
    expected = run(None, keep="all")
    for n_tiles in (1, 0):
        walk = run(tmp_path / "f", keep="all", engine=small)
        assert all(state.space.metric.is_on_disk for state in walk.quotients[1:])
        same(walk, expected)
        assert (counting.n_tiles > 0) == n_tiles
        counting.n_tiles = 0
    with pytest.raises(MemoryError, match=r"out=folder"):
        run(None, engine=small)


WORKER = Path(__file__).with_name("killed.py")


def killed_and_started_again(folder: Path, rng: np.random.Generator, n_kills: int) -> int:
    """Kill a run at random moments, then let it end: how many tiles it still had to compute."""
    command = [sys.executable, WORKER, folder / "run", folder / "result.npz"]
    for k in range(n_kills + 1):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            if k == n_kills:
                return int(worker.stdout.read().split()[-1])
            for _ in range(rng.integers(0, 300)):
                worker.stdout.readline()
            time.sleep(float(rng.uniform(0, 0.02)))
            worker.kill()
    raise AssertionError


@pytest.mark.slow
def test_fifty_random_kills(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    (tmp_path / "whole").mkdir()
    whole = killed_and_started_again(tmp_path / "whole", rng, 0)
    for k in range(10):
        (tmp_path / f"{k}").mkdir()
        assert killed_and_started_again(tmp_path / f"{k}", rng, 5) <= whole
        with np.load(tmp_path / f"{k}" / "result.npz") as found, np.load(tmp_path / "whole" / "result.npz") as truth:
            for name in truth.files:
                np.testing.assert_array_equal(found[name], truth[name])
