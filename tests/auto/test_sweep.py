"""Sweeps: every run is the run it stands for, and the start is made once."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from repeated import mostly_slow
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.compute.neighborhoods import Neighborhoods
from wasserstein_transform.kernels.geometry import Cloud

EPS, LAM = [0.4, 0.9], [0.0, 1.0, 5.0]


@pytest.fixture
def points(rng: np.random.Generator) -> np.ndarray:
    return np.concatenate([rng.normal(size=(40, 2)) * 0.3, rng.normal(size=(30, 2)) * [1.0, 0.1] + 2])


def assert_same_bits(one: wt.transforms.Trajectory, other: wt.transforms.Trajectory) -> None:
    assert (one.movements, one.n_iter, one.first) == (other.movements, other.n_iter, other.first)
    assert (one.converged, one.outcome) == (other.converged, other.outcome)
    assert len(one.quotients) == len(other.quotients) == 1
    for a, b in zip(one.quotients, other.quotients, strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)
        np.testing.assert_array_equal(a.weights, b.weights)
        np.testing.assert_array_equal(a.points, b.points)
        np.testing.assert_array_equal(a.leaders, b.leaders)
        assert a.tol == b.tol
        np.testing.assert_array_equal(a.space.weights, b.space.weights)
        np.testing.assert_array_equal(a.space.metric.means, b.space.metric.means)
        np.testing.assert_array_equal(a.space.metric.covs, b.space.metric.covs)
        assert a.space.metric.lam == b.space.metric.lam
    np.testing.assert_array_equal(one.last.metric.dense(), other.last.metric.dense())


SETTINGS = [
    {"n_iter": 0},
    {"n_iter": 1},
    {"n_iter": 3, "ridge": 1},
    {"n_iter": 2, "profile": "epanechnikov"},
    {"n_iter": 2, "profile": lambda t: 1 / (1 + t)},
    {"n_iter": 50, "tol": 1e-3},
    {"n_iter": 0, "merge": 0.2},
    {"n_iter": 3, "merge": 0.2},
    {"n_iter": 50, "merge": 0.0, "tol": 1e-6},
]


@pytest.mark.repeated(3)
@pytest.mark.parametrize(
    "settings",
    mostly_slow(SETTINGS, quick=SETTINGS[::3]),
    ids=lambda options: " ".join(f"{k}={getattr(v, '__name__', v)}" for k, v in options.items()),
)
def test_runs_are_those_of_iterate_to_the_last_bit(settings: dict, points: np.ndarray) -> None:
    space = wt.Space.from_points(points)
    process = {name: settings[name] for name in ("profile", "ridge") if name in settings}
    loop = {name: settings[name] for name in ("n_iter", "tol", "merge") if name in settings}
    for run in wt.sweep(points, EPS, LAM, **settings):
        alone = wt.iterate(wt.gaussian_transform(run.eps, run.lam, **process), space, **loop)
        assert_same_bits(run.trajectory, alone)


@pytest.mark.slow
@pytest.mark.parametrize("m", [1, 3, 4])
def test_so_they_are_in_other_dimensions_and_with_weights(m: int, rng: np.random.Generator) -> None:
    X, weights = rng.normal(size=(50, m)), rng.uniform(0.1, 1.0, 50)
    space = wt.Space.from_points(X, weights)
    by_points = wt.sweep(X, 1.5, [0.5, 2.0], 2, ridge=1, sample_weight=weights, n_jobs=1)
    by_space = wt.sweep(space, 1.5, [0.5, 2.0], 2, ridge=1, n_jobs=3)
    for one, other in zip(by_points, by_space, strict=True):
        alone = wt.iterate(wt.gaussian_transform(1.5, one.lam, ridge=1), space, n_iter=2)
        assert_same_bits(one.trajectory, alone)
        assert_same_bits(other.trajectory, alone)


@pytest.mark.slow
def test_coordinates_beside_other_distances_can_be_swept(points: np.ndarray) -> None:
    space = wt.Space.from_points(points, metric="cityblock")
    for run in wt.sweep(space, EPS, LAM, 2):
        assert_same_bits(run.trajectory, wt.iterate(wt.gaussian_transform(run.eps, run.lam), space, n_iter=2))


@pytest.mark.parametrize("n_iter", [0, 2])
def test_the_start_is_made_once_for_each_eps(n_iter: int, points: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """Covariances on the Euclidean metric belong to starts; with λ > 0, later ones are on that of Gaussians."""
    starts: list[float] = []
    covs = Neighborhoods.covs

    def counted(self: Neighborhoods, points: np.ndarray) -> object:
        if isinstance(self.geometry, Cloud):
            starts.append(self.eps)
        return covs(self, points)

    monkeypatch.setattr(Neighborhoods, "covs", counted)
    wt.sweep(points, [0.4, 0.9], [1.0, 2.0, 5.0], n_iter)
    assert starts == [0.4, 0.9]


def test_neighbors_and_the_alone_are_counted_in_gt_balls(points: np.ndarray) -> None:
    X = np.concatenate([points, [[9.0, 9.0], [-9.0, 0.0]]])
    for run in wt.sweep(X, EPS, LAM, n_iter=1):
        D = wt.iterate(wt.gaussian_transform(run.eps, run.lam), wt.Space.from_points(X), n_iter=0).last.metric.dense()
        np.testing.assert_array_equal(run.start.metric.dense(), D)
        inside = run.eps * (1 + 1e-12) >= D
        assert run.neighbors == pytest.approx(inside.sum(axis=1).mean(), rel=1e-12)
        assert run.alone == pytest.approx((inside.sum(axis=1) == 1).mean(), rel=1e-12)
        assert run.alone >= 0.999 * 2 / 72


def test_neighbors_of_many_are_those_of_a_sample_that_no_shuffle_changes(rng: np.random.Generator) -> None:
    X, order = rng.normal(size=(3000, 2)), rng.permutation(3000)
    one, other = (wt.sweep(Y, 0.3, 1.0).runs[0] for Y in (X, X[order]))
    assert one.neighbors == pytest.approx(other.neighbors, rel=1e-12)
    assert one.alone == other.alone
    balls = wt.iterate(wt.gaussian_transform(0.3, 1.0), wt.Space.from_points(X), n_iter=0).last.metric.balls(0.3)
    assert one.neighbors == pytest.approx(np.diff(balls.indptr).mean(), rel=0.1)


@pytest.mark.slow
def test_points_without_mass_are_not_counted(points: np.ndarray) -> None:
    both = np.concatenate([points, points + 0.01])
    one, other = wt.sweep(points, EPS, LAM), wt.sweep(both, EPS, LAM, sample_weight=np.repeat([1.0, 0.0], 70))
    for name in ("neighbors", "alone", "places"):
        assert one.table[name] == pytest.approx(other.table[name], rel=1e-12)


def test_places_are_where_points_came_to_rest() -> None:
    X = np.array([[0.0], [0.1], [5.0], [5.2], [5.3], [9.0]])
    found = wt.sweep(X, eps=[0.01, 1.0, 20.0], lam=0, n_iter=30, tol=1e-9)
    assert found.table["places"] == [6, 3, 1]
    assert found.table["converged"] == [True, True, True]
    assert all(run.movement <= 1e-9 for run in found)


def test_the_table_is_the_runs(points: np.ndarray) -> None:
    pandas = pytest.importorskip("pandas")
    found = wt.sweep(points, EPS, LAM, n_iter=2)
    assert len(found) == len(list(found)) == 6
    assert [(run.eps, run.lam) for run in found] == [(e, l) for e in EPS for l in LAM]
    frame = pandas.DataFrame(found.table)
    assert list(frame.columns) == [
        "eps", "lam", "neighbors", "alone", "n_iter", "movement", "converged", "places", "clusters", "coverage",
        "stability",
    ]  # fmt: skip
    assert frame["movement"].tolist() == [run.trajectory.movements[-1] for run in found]
    assert (frame["n_iter"] == 2).all()
    assert (frame.groupby("eps")["neighbors"].diff().dropna() <= 0).all()  # distances only grow with λ
    text = repr(found).splitlines()
    assert text[0] == "<Sweep of 6 runs on 70 points>"
    assert text[1].split() == list(frame.columns)
    assert [float(line.split()[1]) for line in text[2:-1]] == frame["lam"].tolist()
    assert len({len(line) for line in text[1:-1]}) == 1
    assert text[-1] == found.advice
    assert repr(found[0.4, 5.0]).startswith("<Run of eps=0.4, lam=5: ran 2 iterations, as requested")
    start = wt.sweep(points, 0.4, n_iter=0)
    assert np.isnan(start.table["movement"][0])
    assert "<Sweep of 1 run on 70 points>" in repr(start)


def _blobs() -> np.ndarray:
    rng = np.random.default_rng(5)
    return np.concatenate([rng.normal(size=(60, 2)) * 0.3 + center for center in ([0, 0], [4, 0], [0, 4])])


def test_clusters_are_groups_within_reach_that_hold_a_fiftieth() -> None:
    X = np.concatenate([_blobs(), [[20.0, 20.0]]])
    for run in wt.sweep(X, [0.05, 0.6, 9.0], [0.0, 1.0]):
        D = run.trajectory.last.metric.dense()
        n_groups, groups = connected_components(run.eps * (1 + 1e-9) >= D)
        assert len(np.unique(run.labels)) == n_groups
        assert adjusted_rand_score(groups, run.labels) == 1
        assert run.clusters == np.count_nonzero(np.bincount(groups) >= 0.02 * len(X))


@pytest.mark.slow
def test_stability_is_the_agreement_with_the_radii_beside_and_the_advice_follows_it() -> None:
    X, truth = _blobs(), np.repeat([0, 1, 2], 60)
    found = wt.sweep(X, [9.0, 0.02, 0.9, 0.7, 1.1], [0.0, 1.0])  # in no order
    for lam in (0.0, 1.0):
        labels = [found[eps, lam].labels for eps in (0.7, 0.9, 1.1)]
        beside = min(adjusted_rand_score(labels[1], labels[k]) for k in (0, 2))
        row = found.runs.index(found[0.9, lam])
        assert found.stability[row] == pytest.approx(beside) == 1
        assert found.stability[found.runs.index(found[9.0, lam])] == 0  # one cluster, and three beside it
    assert found.advice == "steadiest: eps=0.9, lam=0 with 3 clusters"
    assert adjusted_rand_score(truth, found[0.9, 0.0].labels) == 1
    assert found.advice in found._repr_html_()
    assert wt.sweep(X, 0.9).advice == ""
    assert "no ε finds several clusters" in wt.sweep(X, [0.01, 50.0]).advice


def test_coverage_falls_where_points_clump_on_a_ring_and_a_ridge_keeps_it() -> None:
    ring = wt.datasets.circles(0, n=400, noise=0.02, radii=(1.0,)).points
    clumped, ridge = (wt.sweep(ring, 0.4, 0.0, 5, ridge=ridge).runs[0] for ridge in (None, 1))
    for run in (clumped, ridge):
        ends = run.trajectory.points
        near = np.linalg.norm(ring[:, None] - ends[None], axis=2).min(axis=1) <= 0.2
        assert run.coverage == pytest.approx(near.mean())
    assert clumped.coverage < 0.8
    assert ridge.coverage > 0.99


def test_a_run_is_found_by_eps_and_lam(points: np.ndarray) -> None:
    found = wt.sweep(points, np.arange(0.1, 0.5, 0.1), np.array([0, 5]))
    assert found[0.3, 5] is found.runs[5]  # np.arange says 0.30000000000000004
    assert found[0.1, 0] is found.runs[0]
    with pytest.raises(KeyError, match=r"eps=0\.25"):
        found[0.25, 5]
    with pytest.raises(KeyError, match="lam=1e-12"):
        found[0.1, 1e-12]
    with pytest.raises(KeyError, match="eps=nan"):
        found[np.nan, 0]


def test_one_number_is_a_list_of_one_and_repeats_run_once(points: np.ndarray) -> None:
    for eps in (0.4, [0.4], np.array(0.4), np.array([0.4, 0.4]), (0.4, 0.4), np.float32(0.5), wt.suggest_eps(points)):
        assert len(wt.sweep(points, eps, 5)) == 1
    assert wt.sweep(points, [0.9, 0.4, 0.9], [1, 1.0, 0]).table["eps"] == [0.9, 0.9, 0.4, 0.4]


def test_progress_counts_runs_and_nothing_else(points: np.ndarray, capfd: pytest.CaptureFixture[str]) -> None:
    calls: list[wt.engine.Update] = []
    wt.sweep(points, EPS, LAM, engine=wt.Engine(progress=calls.append))
    assert [update[:3] for update in calls if not update.finished] == [("sweep", done, 6) for done in range(7)]
    assert [update.finished for update in calls].count(True) == 1
    wt.sweep(points, EPS, LAM)
    assert capfd.readouterr() == ("", "")


def test_an_interruption_ends_everything(points: np.ndarray) -> None:
    calls: list[int] = []

    def interrupt(update: wt.engine.Update) -> None:
        if not update.finished:
            calls.append(update.done)
            if update.done == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wt.sweep(points, EPS, LAM, engine=wt.Engine(progress=interrupt))
    assert calls == [0, 1, 2]


BAD = [
    (lambda X: wt.sweep(X, []), "eps must hold at least one value to sweep over"),
    (lambda X: wt.sweep(X, 1.0, []), "lam must hold at least one value to sweep over"),
    (lambda X: wt.sweep(X, [0.5, -1.0]), "eps must be positive and finite, got -1.0"),
    (lambda X: wt.sweep(X, [0.5, np.nan]), "eps must be positive and finite, got"),
    (lambda X: wt.sweep(X, "auto"), "eps must be positive and finite, got 'auto'"),
    (lambda X: wt.sweep(X, None), "eps must be positive and finite, got None"),
    (lambda X: wt.sweep(X, [[0.5, 1.0]]), "eps must be positive and finite, got"),
    (lambda X: wt.sweep(X, 0.5, [1.0, -1.0]), "lam must be a finite number ≥ 0, got -1.0"),
    (lambda X: wt.sweep(X, 0.5, ["1"]), "lam must be a finite number ≥ 0, got '1'"),
    (lambda X: wt.sweep(X, 0.5, n_iter=-1), "n_iter must be an integer ≥ 0"),
    (lambda X: wt.sweep(X, 0.5, tol=-1), "tol must be a finite number ≥ 0"),
    (lambda X: wt.sweep(X, 0.5, merge="1"), "merge must be a finite number ≥ 0"),
    (lambda X: wt.sweep(X, 0.5, ridge=0.5), "ridge must be an integer ≥ 0"),
    (lambda X: wt.sweep(X, 0.5, profile="round"), "profile must be one of"),
    (lambda X: wt.sweep(X, 0.5, n_jobs=0), "n_jobs must be a positive number of threads"),
    (lambda X: wt.sweep(X[0], 0.5), "points must be a 2-D array"),
    (lambda X: wt.sweep(X, 0.5, sample_weight=[1.0]), "weights must hold one number per point"),
    (lambda X: wt.sweep(wt.Space.from_points(X), 0.5, sample_weight=np.ones(70)), "a Space carries its weights"),
    (lambda X: wt.sweep(wt.Space.from_distances([1.0, 2.0, 1.0]), 0.5), "needs coordinates"),
]


@pytest.mark.parametrize(("ask", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_mistakes_are_named_before_any_work(
    ask: Callable[[np.ndarray], object], message: str, points: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*args: object) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr(wt.Engine, "run", work)
    with pytest.raises(ValueError, match=message):
        ask(points)


def test_memory_of_all_runs_is_announced(monkeypatch: pytest.MonkeyPatch, points: np.ndarray) -> None:
    monkeypatch.setattr("wasserstein_transform.engine.memory.available", lambda: 10_000.0)
    with pytest.raises(MemoryError, match=r"a sweep of 6 runs needs 26.2 KiB.*sweep over fewer values"):
        wt.sweep(points, EPS, LAM)


def test_a_sweep_warns_once_of_points_that_see_no_mass() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wt.sweep([[0.0], [0.1], [9.0]], [0.5, 1.0, 2.0], [0, 1], sample_weight=[1, 1, 0])
    assert [(found.category, found.filename) for found in caught] == [(wt.transforms.MasslessWarning, __file__)]
