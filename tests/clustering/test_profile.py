"""What clusters are, and the answer in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform._display import listed
from wasserstein_transform.clustering import Clustering, ground
from wasserstein_transform.clustering.answer import _SURE
from wasserstein_transform.clustering.profile import profile_of

NAMES = ("age", "income", "constant")


@pytest.fixture(scope="module")
def found() -> Clustering:
    return wt.cluster(make_blobs(120, centers=[[0, 0], [4, 0], [2, 3]], cluster_std=0.8, random_state=0)[0])


def test_a_profile_has_medians_and_differences_in_standard_deviations() -> None:
    values = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 2.0], [2.0, 9.0, 2.0], [8.0, np.nan, 2.0], [99.0, 99.0, 99.0]])
    profile = profile_of(np.array([0, 0, 0, 1, -1]), np.ones(5), NAMES, values, np.array([2, 3]))
    assert profile.typical[:, 0].tolist() == [2.0, 8.0]
    assert profile.typical[:, 1].tolist() == pytest.approx([5.0, np.nan], nan_ok=True)
    spread = np.std([1.0, 3.0, 2.0, 8.0])  # noise does not count
    np.testing.assert_allclose(profile.differences[:, 0], [-6 / spread, 6 / spread])
    assert (profile.differences[:, 1:] == 0).all()  # one of the clusters is unknown; constant
    assert profile.telling == (("age",), ("age",))
    assert "unknown" in str(profile)
    assert profile.to_pandas().columns.tolist() == [
        "cluster",
        "points",
        "typical_row",
        "column",
        "median",
        "difference",
    ]
    assert profile.table["column"][:3] == list(NAMES)
    assert profile.table["median"][0] == 2.0


def test_in_a_profile_weight_k_is_k_copies(rng) -> None:
    values, labels, weights = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), rng.integers(1, 5, 40)
    rows = np.array([0, 1, 2])
    weighted = profile_of(labels, weights / 7, NAMES, values, rows)
    copied = profile_of(np.repeat(labels, weights), np.ones(weights.sum()), NAMES, np.repeat(values, weights, 0), rows)
    np.testing.assert_array_equal(weighted.typical, copied.typical)
    np.testing.assert_allclose(weighted.differences, copied.differences)


def test_a_profile_is_printed_in_lines_that_fit(rng) -> None:
    names = tuple(f"a rather long name of column {k}" for k in range(50))
    labels = np.repeat(np.arange(30), 4)
    profile = profile_of(labels, np.ones(120), names, 1e5 * rng.normal(size=(120, 50)), np.arange(30))
    lines = str(profile).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[-1] == "26 more clusters and 42 more columns"
    assert profile._repr_html_().count("<tr>") == 32  # header, points, thirty columns
    assert repr(profile) == "<Profile: 30 clusters, 50 columns>"


def test_distances_alone_have_sizes_and_typical_rows() -> None:
    X = np.array([0.0, 1.0, 2.0, 50.0, 51.0])[:, None]
    profile = wt.cluster(cdist(X, X), 2, metric="precomputed").profile()
    assert profile.names == ()
    assert profile.sizes.tolist() == [3, 2]
    assert profile.rows.tolist() == [1, 3]
    assert str(profile) == "cluster      0  1\npoints       3  2\ntypical row  1  3"
    assert profile.to_pandas().to_numpy().tolist() == [[0, 3, 1], [1, 2, 3]]


def test_the_verdict_says_how_sure_and_which_other_numbers_are_good(found) -> None:
    for least, words in _SURE[:-1]:
        said = _with_expected(found, least + 0.001).verdict
        assert said == f"3 clusters, {words}"
    assert _with_expected(found, 0.2).verdict == "3 clusters, a guess"
    values = [found.partitions[one.chosen].value for one in (found, *found.alternatives)]
    near = [one for one, value in zip(found.alternatives, values[1:], strict=True) if value >= values[0] - 0.05]
    numbers = {one.n_clusters for one in near} - {3}
    assert all(str(k) in found.verdict.partition("(")[2] for k in numbers)
    assert _with_expected(found, 0.95).alternatives == ()


def _with_expected(found: Clustering, expected: float) -> Clustering:
    """Without alternatives."""
    partitions = [one.alone for one in found.partitions]
    partitions[found.chosen] = partitions[found.chosen]._replace(expected=expected)
    return replace(found, partitions=tuple(partitions))


def test_other_numbers_that_are_nearly_as_good_are_named(found) -> None:
    labels = np.zeros(len(found.rows), np.intp)
    wide = replace(found, partitions=tuple(one._replace(labels=labels) for one in found.partitions))
    least = found.partitions[found.chosen].value - 0.05
    near = {p.n_clusters for p in found.partitions if p.value >= least} - {found.n_clusters}
    verb = "is" if len(near) == 1 else "are"
    said = f"3 clusters ({listed(sorted(near))} {verb} nearly as good); which points belong together is {{}}"
    words = _with_expected(found, found.expected).verdict.partition(", ")[2]
    assert wide.verdict == (said.format(words) if near else f"3 clusters, {words}")


def test_alternatives_are_full_answers_that_differ(found, tmp_path) -> None:
    assert 1 <= len(found.alternatives) <= 5
    kept = [found]
    for one in found.alternatives:
        assert one.alternatives == ()
        assert one.labels.shape == one.probabilities.shape == (120,)
        assert one.labels.max() + 1 == one.n_clusters
        assert ((one.probabilities == 0) == (one.labels < 0)).all()
        np.testing.assert_array_equal(one.predict(found.space.points), one.labels)
        plain = [x.labels_of_places for x in (one, *kept)]
        for other, labels in zip(kept, plain[1:], strict=True):
            assert other.n_clusters != one.n_clusters or adjusted_rand_score(labels, plain[0]) < 0.9
        assert one.expected <= found.partitions[0].expected
        one.profile()
        one.plot(details=True).savefig(tmp_path / "one.png")
        kept.append(one)
    assert [one.expected for one in kept[1:]] == sorted((one.expected for one in kept[1:]), reverse=True)


@pytest.mark.parametrize("noise", [None, False, 0.1])
def test_alternatives_survive_a_file_and_have_noise_alike(found, tmp_path, noise) -> None:
    fitted = wt.AutoCluster(noise=noise).fit(found.space.points)
    again = wt.AutoCluster.load(fitted.save(tmp_path / "fitted"))
    for one, other in zip(fitted.clustering_.alternatives, again.clustering_.alternatives, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)
        assert str(one) == str(other)
        assert noise is not False or one.labels.min() == 0
        assert noise != 0.1 or one.noise <= 0.1 + 1e-9
    assert str(fitted.clustering_) == str(again.clustering_)


def test_noise_is_at_most_the_share_and_the_sparsest(found) -> None:
    X, before = found.space.points, np.zeros(120, bool)
    for share in (0.0, 0.04, 0.1, 0.3, 0.99):
        one = wt.cluster(X, 3, noise=share)
        assert one.noise <= share + 1e-9
        assert (one.labels < 0)[before].all()  # a larger share has all noise of a smaller one
        before = one.labels < 0
        assert (one.sizes > 0).all()
    assert before.mean() > 0.3
    assert wt.cluster(X, 3, noise=0.05).noise > 0.03
    for wrong in (1.0, -0.1, 2, 1, "yes", np.nan):
        with pytest.raises(ValueError, match="noise must be True, False, or a share"):
            wt.cluster(X, 3, noise=wrong)
    np.testing.assert_array_equal(wt.cluster(X, 3, noise=np.bool_(True)).labels, wt.cluster(X, 3, noise=True).labels)


@pytest.mark.parametrize("seed", range(4))
def test_clusters_are_numbered_by_decreasing_mass(seed, monkeypatch) -> None:
    """With weights, noise, samples, and in alternatives."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(ground, "LARGEST", {2: (60, 1000)[seed % 2]})
    X = np.concatenate([rng.normal(size=(n, 2)) + rng.uniform(-8, 8, 2) for n in rng.integers(15, 60, 4)])
    weights = rng.integers(0, 4, len(X)) if seed > 1 else None
    for options in ({}, {"n_clusters": 3, "noise": 0.1}, {"n_clusters": 4}):
        found = wt.cluster(X, sample_weight=weights, **options)
        for one in (found, *found.alternatives):
            held = np.bincount(one.labels[one.labels >= 0], one.space.weights[one.labels >= 0], one.n_clusters)
            assert (np.diff(held) <= 1e-9).all()


def test_sizes_are_told_in_points_or_in_shares_of_the_weight(rng) -> None:
    X = np.repeat(np.arange(12.0), 2)[:, None]
    assert str(wt.cluster(X, 12)).splitlines()[1] == "2, 2, 2, 2, 2, 2, 2, 2, 2 and 2 points, and 2 more clusters"
    assert str(wt.cluster([[0.0], [1.0]], 2)).splitlines()[:2] == ["2 clusters", "1 and 1 points"]
    weighted = wt.cluster([[0.0], [1.0]], 2, sample_weight=[1, 3])
    assert str(weighted).splitlines()[1] == "75% and 25% of the weight"
