"""Spaces, trajectories and fitted estimators in files, without pickle."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import wasserstein_transform as wt
from wasserstein_transform._archive import _CLASSES, class_name, described, fingerprint, read


def cloud(n: int = 40, m: int = 2) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, m))


SPACES: dict[str, Callable[[], wt.Space]] = {
    "points": lambda: wt.Space.from_points(cloud(), np.arange(40)),
    "distances": lambda: wt.Space.from_distances(wt.spaces.Euclidean(cloud()).dense(), triangle=True),
    "points beside distances": lambda: wt.Space.from_points(cloud(), metric="cityblock"),
    "graph": lambda: wt.Space.from_graph([("a", "b"), ("b", "c", 2.0)], weight="length"),
    "Gaussians": lambda: (
        wt.iterate(wt.transforms.gaussian_transform(0.5), wt.Space.from_points(cloud()), n_iter=1).last
    ),
    "near distances": lambda: wt.transforms.iterate_locally(
        wt.transforms.local_truncation(0.5), wt.Space.from_points(cloud()), 3.0
    ),
}


@pytest.mark.parametrize("name", SPACES)
def test_a_space_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    space = SPACES[name]()
    path = space.save(tmp_path / "space")
    assert path == tmp_path / "space.npz"
    again = wt.Space.load(path)
    assert repr(again) == repr(space)
    assert again.metric.triangle == space.metric.triangle
    np.testing.assert_array_equal(again.weights, space.weights)
    np.testing.assert_array_equal(again.points, space.points)
    rows = np.arange(space.n)
    np.testing.assert_array_equal(again.metric.block(rows, rows), space.metric.block(rows, rows))
    assert [file.name for file in tmp_path.iterdir()] == ["space.npz"]


@pytest.mark.parametrize("merge", [None, 0.05])
def test_a_trajectory_comes_back_as_it_was(merge: float | None, tmp_path: Path) -> None:
    walk = wt.iterate(
        wt.transforms.mean_shift(0.5), wt.Space.from_points(cloud()), n_iter=5, tol=0.0, merge=merge, keep="all"
    )
    again = wt.transforms.Trajectory.load(walk.save(tmp_path / "walk.npz"))
    assert (again.movements, again.outcome, again.first) == (walk.movements, walk.outcome, walk.first)
    for one, other in zip(walk.states, again.states, strict=True):
        np.testing.assert_array_equal(one.points, other.points)


ESTIMATORS: dict[str, Callable[[], Any]] = {
    "mean shift": lambda: wt.MeanShift(eps=0.8),
    "means of neighbors": lambda: wt.NeighborMeans(5, metric="cosine"),
    "GT": lambda: wt.GaussianTransform(eps=[1.5, 1.4], lam=0.5, n_iter=2, ridge=1),
    "LT-WT": lambda: wt.LocalTruncation(eps=0.5, p=2, n_iter=2, merge=1e-3),
    "KL-WT": lambda: wt.KernelTransform(0.4, cut=3),
    "any parts": lambda: wt.WassersteinTransform(wt.Gaussian(wt.Nearest(5), 1.0), wt.transport.Stored(wt.Bures())),
    "single linkage": lambda: wt.SingleLinkage(3, cut="robust"),
    "clusters": lambda: wt.AutoCluster(3),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fitted_estimator_comes_back_with_all_it_learned(name: str, tmp_path: Path) -> None:
    fitted = ESTIMATORS[name]().fit(cloud())
    path = fitted.save(tmp_path / "fitted.npz")
    again = type(fitted).load(path)
    assert repr(again) == repr(fitted)
    new = cloud(5) + 0.1
    for ask in ("transform", "predict"):
        if hasattr(fitted, ask):
            np.testing.assert_array_equal(getattr(again, ask)(new), getattr(fitted, ask)(new))
    for learned in ("labels_", "points_", "distances_", "n_features_in_", "eps_"):
        if hasattr(fitted, learned):
            np.testing.assert_array_equal(getattr(again, learned), getattr(fitted, learned))


def test_names_of_columns_come_back(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    fitted = wt.GaussianTransform(eps=0.5).fit(pandas.DataFrame(cloud(), columns=["x", "y"]))
    again = wt.GaussianTransform.load(fitted.save(tmp_path / "gt"))
    assert list(again.feature_names_in_) == ["x", "y"]
    assert list(again.get_feature_names_out()) == list(fitted.get_feature_names_out())


def test_a_matrix_given_as_sparse_rows_comes_back(tmp_path: Path) -> None:
    walk = csr_array(np.kron(np.eye(20), np.full((2, 2), 0.5)))
    fitted = wt.WassersteinTransform(wt.localize.Given(walk), wt.Exact(1)).fit(cloud())
    again = wt.WassersteinTransform.load(fitted.save(tmp_path / "given"))
    np.testing.assert_array_equal(again.distances_, fitted.distances_)


def test_functions_are_not_stored(tmp_path: Path) -> None:
    fitted = wt.MeanShift(eps=0.8, profile=np.ones_like, tol=None, n_iter=1).fit(cloud())
    with pytest.raises(TypeError, match="function"):
        fitted.save(tmp_path / "x.npz")
    assert list(tmp_path.iterdir()) == []


def _rewritten(path: Path, change: Callable[[dict[str, Any]], None], true: bool = False) -> Path:
    """With `true` the fingerprint is that of what is in it."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    header = json.loads(str(arrays.pop("header")))
    header["tree"] = json.loads(header["tree"])
    arrays["header"] = header
    change(arrays)
    header["tree"] = json.dumps(header["tree"])
    if true:
        plain = tuple(arrays[f"a{k}"] for k in range(len(arrays) - 1))
        header["fingerprint"] = fingerprint((header["tree"], plain))
    arrays["header"] = np.array(json.dumps(arrays["header"]))
    np.savez(path, **arrays)
    return path


DAMAGES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "another number": (lambda a: a.update(a0=a["a0"] + 1), "does not match its fingerprint"),
    "another tree": (lambda a: a["header"]["tree"].update({"class": "Dense"}), "does not match its fingerprint"),
    "a later version": (
        lambda a: a["header"].update(version=99),
        "version 99, but .* reads version 4",
    ),
    "an earlier version": (lambda a: a["header"].update(version=2, kind="Space"), "version 2, but .*; write it again"),
    "another format": (
        lambda a: a["header"].update(format="x"),
        "is not a file that save.*another format",
    ),
    "a missing array": (lambda a: a.pop("a0"), "is not a file that save.* wrote, or it is damaged"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_and_foreign_files_are_refused(name: str, tmp_path: Path) -> None:
    change, message = DAMAGES[name]
    path = _rewritten(wt.Space.from_points(cloud()).save(tmp_path / "x.npz"), change)
    with pytest.raises(ValueError, match=message):
        wt.Space.load(path)


def _put(array: str, where: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[array] = arrays[array].copy()
        arrays[array][where] = value

    return change


def _tree(*keys: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        node = arrays["header"]["tree"]
        for key in keys[:-1]:
            node = node["content"][key]
        node["content"][keys[-1]] = value

    return change


def _put_tree(name: str, where: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        tree = arrays["header"]["tree"]["content"]["tree_"]["content"]
        _put(f"a{tree[name]['array']}", where, value)(arrays)

    return change


def _linked() -> wt.SingleLinkage:
    return wt.SingleLinkage(2, cut="robust").fit(cloud(6))


CRAFTED: dict[str, tuple[Callable[[], Any], Callable[[dict[str, Any]], None], str]] = {
    "points that are not finite": (SPACES["points"], _put("a0", (3, 1), np.nan), "points must be finite"),
    "weights below 0": (SPACES["points"], _put("a1", 2, -1.0), "weights must be 0.0 to"),
    "weights of other points": (
        SPACES["points"],
        lambda a: a.update(a1=a["a1"][:-1]),
        r"weights must have shape \(40,\)",
    ),
    "no metric": (SPACES["graph"], _tree("metric", value=7), "the metric of a space must be a Metric, got int"),
    "distances below 0": (SPACES["distances"], _put("a0", (0, 1), -1.0), "distances must be 0.0 to"),
    "distances of no square": (SPACES["distances"], lambda a: a.update(a0=a["a0"][1:]), r"must have shape \(39, 39\)"),
    "edges to nowhere": (SPACES["graph"], _put("a1", 0, 99), "indices must be 0 to 2"),
    "rows that end too early": (SPACES["graph"], _put("a2", -1, 0), "indptr must rise from 0"),
    "edges one way": (SPACES["graph"], _put("a0", 0, 5.0), "must be the same in both directions"),
    "near points nowhere": (SPACES["near distances"], _put("a1", 0, -5), "indices must be 0 to 39"),
    "near points out of order": (SPACES["near distances"], _put("a1", slice(0, 2), 0), "must be sorted"),
    "covariances that are not finite": (SPACES["Gaussians"], _put("a1", 0, np.inf), "covs must be finite"),
    "ends of edges nowhere": (_linked, _put_tree("edges", 0, 10**9), "ends of edges must be 0 to 5"),
    "a circle": (_linked, _put_tree("edges", slice(None), 0), "edges must join all points"),
    "heights out of order": (_linked, _put_tree("heights", -1, 0.0), "steps between heights must be 0.0 to"),
    "a parameter less": (_linked, lambda a: a["header"]["tree"]["content"].pop("share"), "missing or unknown: share"),
    "no parameters": (_linked, lambda a: a["header"]["tree"].pop("content"), "unknown entry, "),
    "something else": (_linked, lambda a: a["header"].update(tree=[1]), "holds a list, but a SingleLinkage is needed"),
    "a reference to nothing": (SPACES["points"], _tree("metric", value={"same": 99}), "KeyError, 99"),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_what_was_made_up_is_refused_by_one_error_that_names_the_file(name: str, tmp_path: Path) -> None:
    make, change, message = CRAFTED[name]
    value = make()
    path = _rewritten(value.save(tmp_path / "made up.npz"), change, true=True)
    with pytest.raises(ValueError, match=rf"made up.npz .*{message}"):
        type(value).load(path)


def test_a_state_of_a_run_must_fit_the_others(tmp_path: Path) -> None:
    walk = wt.iterate(wt.transforms.mean_shift(0.5), wt.Space.from_points(cloud()), n_iter=2, tol=None, keep="all")
    path = walk.save(tmp_path / "walk")
    for change, message in (
        (_tree("n_iter", value=7), "one state per iteration from 0 to 7"),
        (_tree("quotients", value=None), "states must be a tuple, got NoneType"),
        (_tree("converged", value=1), "converged must be a bool, got int"),
    ):
        with pytest.raises(ValueError, match=message):
            wt.transforms.Trajectory.load(_rewritten(walk.save(path), change, true=True))


def test_every_cut_and_every_changed_byte_is_a_value_error_that_names_the_file(tmp_path: Path) -> None:
    path = wt.Space.from_points(cloud(4)).save(tmp_path / "x")
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [whole[: rng.integers(len(whole))] for _ in range(40)]
    for _ in range(80):
        at = rng.integers(len(whole))
        damaged.append(whole[:at] + bytes([whole[at] ^ int(rng.integers(1, 256))]) + whole[at + 1 :])
    said = []
    for content in damaged:
        path.write_bytes(content)
        try:
            wt.Space.load(path)  # a time stamp of the archive may change, and nothing is lost
        except ValueError as error:
            said.append(str(error))
    assert len(said) > 100
    assert all("x.npz" in message for message in said)


def test_archives_take_no_more_memory_than_they_have_bytes(tmp_path: Path) -> None:
    path = wt.Space.from_points(cloud()).save(tmp_path / "x")
    header = b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (10**12,), }"
    header = header.replace(b"10**12", b"1" + b"0" * 12).ljust(127) + b"\n"
    with zipfile.ZipFile(path, "w") as members:
        members.writestr("header.npy", header)
    with pytest.raises(
        ValueError, match=r"it should hold an array of shape \(1000000000000,\), but has 0 bytes for it"
    ):
        wt.Space.load(path)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("x,y\n1,2\n")
    np.savez(tmp_path / "other.npz", x=np.arange(3))
    np.savez(tmp_path / "objects.npz", header=np.array([{}], object))
    for name in ("text", "other", "objects"):
        with pytest.raises(ValueError, match=r"is not a file that save\(\) wrote"):
            wt.Space.load(tmp_path / f"{name}.npz")
    with pytest.raises(FileNotFoundError):
        wt.Space.load(tmp_path / "nowhere.npz")


@pytest.mark.slow
def test_size_is_looked_at_before_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "zeros.npz"
    np.savez_compressed(path, header=np.array("{}"), a0=np.zeros(10**7))
    assert path.stat().st_size < 10**6
    with zipfile.ZipFile(path) as members:
        assert sum(member.file_size for member in members.infolist()) > 7 * 10**7
    with pytest.raises(MemoryError, match=r"zeros.npz needs 76.3 MiB"):
        wt.Space.load(path, wt.Engine(memory=1e7))


def test_unknown_classes_are_named(tmp_path: Path) -> None:
    class Mine(wt.spaces.Euclidean):
        """A metric of somebody's own."""

    path = wt.Space(Mine(cloud()), np.full(40, 1 / 40), None).save(tmp_path / "mine")
    assert isinstance(wt.Space.load(path).metric, Mine)
    _CLASSES.pop(f"{__name__}.{Mine.__qualname__}")
    with pytest.raises(ValueError, match=r"the class .*\.Mine is unknown; import the module that defines it first"):
        read(path, wt.Space)


def test_classes_of_users_never_replace_those_of_the_library(tmp_path: Path) -> None:
    """They may have the same names, and are saved beside them."""
    gt, ms = wt.GaussianTransform(eps=0.5, n_iter=1).fit(cloud()), wt.MeanShift(eps=0.5).fit(cloud())
    before = [gt.save(tmp_path / "gt"), ms.save(tmp_path / "ms")]

    class Gaussian(wt.localize.Gaussian):
        """A localization of somebody's own."""

    class MeanShift(wt.MeanShift):
        """An estimator of somebody's own."""

    after = [gt.save(tmp_path / "gt again"), ms.save(tmp_path / "ms again")]
    for one, other, kind in zip(before, after, (wt.GaussianTransform, wt.MeanShift), strict=True):
        assert type(kind.load(one)) is type(kind.load(other)) is kind
    mine = MeanShift(eps=0.5).fit(cloud()).save(tmp_path / "mine")
    assert type(wt.MeanShift.load(mine)) is MeanShift
    ours, theirs = (cls(wt.localize.Truncation(0.5), 1.0) for cls in (wt.localize.Gaussian, Gaussian))
    assert described(ours) != described(theirs)


def test_a_class_of_users_that_changed_is_named_and_its_file_not_called_damaged(tmp_path: Path) -> None:
    def add_parameter(self: Any, eps: float, weight: float) -> None:
        """Of the same class, later."""

    mine: Any = type("Mine", (wt.Truncation,), {"__module__": __name__})
    path = wt.WassersteinTransform(mine(0.5), wt.Exact(1)).fit(cloud()).save(tmp_path / "mine")
    type("Mine", (wt.Truncation,), {"__module__": __name__, "__init__": add_parameter})
    with pytest.raises(ValueError, match=r"mine.npz cannot be used: TypeError, .* missing 1 required .* 'weight'"):
        wt.WassersteinTransform.load(path)


def test_two_classes_of_the_library_cannot_have_one_name_in_files() -> None:
    """They are named by their package, so that they can move between its modules."""
    assert class_name(wt.localize.Gaussian) == "wasserstein_transform.localize.Gaussian"
    with pytest.raises(TypeError, match=r"both define wasserstein_transform.localize.Gaussian; rename one of them"):
        type("Gaussian", (wt.localize.Truncation,), {"__module__": "wasserstein_transform.localize.elsewhere"})
    assert type(wt.Gaussian(wt.Truncation(0.5), 1.0)) is _CLASSES["wasserstein_transform.localize.Gaussian"]


def test_fingerprints_tell_classes_of_one_name_apart() -> None:
    @dataclass
    class Frame:
        """A record of somebody's own."""

    here = type(Frame())
    there = dataclass(type("Frame", (), {"__module__": "wasserstein_transform.compute.records"}))
    assert fingerprint(here()) != fingerprint(there())
