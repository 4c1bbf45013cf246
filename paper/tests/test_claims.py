"""The paper's claims about the T-junction and the dumbbell."""

from __future__ import annotations

import numpy as np
import pytest

import wasserstein_transform as wt

METHODS = {
    "MS": wt.transforms.mean_shift(10),
    "LT-WT1": wt.transforms.local_truncation(10, 1),
    "LT-WT2": wt.transforms.local_truncation(10, 2),
    "GT-1": wt.transforms.gaussian_transform(10, 1),
    "GT-5": wt.transforms.gaussian_transform(10, 5),
}


@pytest.fixture(scope="module")
def trees() -> dict[str, tuple[wt.hierarchy.Tree, ...]]:
    space = wt.Space.from_points(wt.datasets.t_junction().points)
    walks = {name: wt.iterate(process, space, n_iter=2, keep="all") for name, process in METHODS.items()}
    return {name: tuple(wt.hierarchy.spanning_tree(state) for state in walk.states) for name, walk in walks.items()}


def partitions(tree: wt.hierarchy.Tree) -> list[np.ndarray]:
    """All partitions of the dendrogram, ties counted once."""
    return [wt.hierarchy.cut_tree(tree, cut="height", height=height) for height in tree.levels()]


def agreement(labels: np.ndarray) -> float:
    truth = wt.datasets.t_junction().labels
    return max(np.mean(labels == truth), np.mean(labels != truth))


def breaks_in_four(tree: wt.hierarchy.Tree) -> bool:
    """Some threshold leaves the upper stem, both arms and the junction as its four largest parts."""
    for labels in partitions(tree):
        sizes = np.sort(np.bincount(labels))[::-1]
        if len(sizes) >= 4 and sizes[0] > 170 and (sizes[1:3] > 80).all() and sizes[3] > 20:
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_one_iteration_of_all_but_gt_5_breaks_the_t_junction_in_four(
    method: str, trees: dict[str, tuple[wt.hierarchy.Tree, ...]]
) -> None:
    assert breaks_in_four(trees[method][1]) == (method != "GT-5")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_one_iteration_of_gt_5_alone_keeps_the_horizontal_points_as_one_cluster(
    method: str, trees: dict[str, tuple[wt.hierarchy.Tree, ...]]
) -> None:
    across = wt.datasets.t_junction().labels == 1
    clusters = (labels == labels[across][0] for labels in partitions(trees[method][1]))
    assert any((cluster == across).all() for cluster in clusters) == (method == "GT-5")


@pytest.mark.repeated(1)
@pytest.mark.parametrize("method", METHODS)
def test_after_two_iterations_only_gt_5_and_truncation_2_find_the_two_segments(
    method: str, trees: dict[str, tuple[wt.hierarchy.Tree, ...]]
) -> None:
    twos = [labels for labels in partitions(trees[method][2]) if labels.max() == 1]
    found = any(agreement(labels) > 0.97 for labels in twos)
    assert found == (method in ("GT-5", "LT-WT2"))


def test_single_linkage_separates_the_discs_only_after_the_transform() -> None:
    X, labels = wt.datasets.dumbbell()
    space = wt.Space.from_points(X)
    walk = wt.iterate(wt.transforms.gaussian_transform(0.2, 1.0), space, n_iter=4, keep="all")
    with pytest.warns(wt.hierarchy.FewerClustersWarning):
        before = wt.SingleLinkage(n_clusters=3, cut="robust").fit_predict(space)
    assert len(np.unique(before)) == 1  # all its merges that weigh something are at the spacing of the grid
    gaps = []
    for state in walk.states[1:]:
        tree = wt.hierarchy.spanning_tree(state)
        found = wt.hierarchy.cut_tree(tree, 3, cut="robust")
        for disc in (0, 1):
            assert np.mean(found[labels == disc] == np.bincount(found[labels == disc]).argmax()) > 0.97
        assert found[labels == 0][0] != found[labels == 1][0]
        gaps.append(tree.heights[-2] / tree.heights[-3])  # the two merges of discs and chain over the next
    assert (np.diff(gaps[:4]) > 0).all()
