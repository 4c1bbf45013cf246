"""Merging of regions: the right pair first, against a twin that looks at all pairs each time."""

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.image import Merging


def strips(*grays, width=8):
    return np.repeat(np.repeat(np.array([grays], float), width, axis=1), 16, axis=0)


def blocks(seed, size=7, side=3):
    """Square regions of random grays, with noise."""
    rng = np.random.default_rng(seed)
    labels = np.kron(np.arange(size * size).reshape(size, size), np.ones((side, side), int))
    values = rng.choice([0.0, 10.0, 30.0], size * size)[labels] + rng.normal(0, 1.5, labels.shape)
    return labels, np.stack([values.ravel(), rng.normal(0, 1, labels.size)], axis=1)


def merged_slowly(labels, values, limit, growth, edge):
    """The definition: all borders anew after each merge."""
    labels = labels.copy()
    flat, places = labels.reshape(-1), np.arange(labels.size).reshape(labels.shape)
    pairs = np.concatenate(
        [
            np.stack([places[:, :-1].ravel(), places[:, 1:].ravel()], axis=1),
            np.stack([places[:-1].ravel(), places[1:].ravel()], axis=1),
        ]
    )
    gaps = np.linalg.norm(values[pairs[:, 0]] - values[pairs[:, 1]], axis=1)
    while True:
        regions = np.sort(flat[pairs], axis=1)
        costs = []
        for a, b in np.unique(regions[regions[:, 0] != regions[:, 1]], axis=0):
            p, q = values[flat == a], values[flat == b]
            size = len(p) * len(q) / (len(p) + len(q)) / flat.size
            square = ((p.mean(axis=0) - q.mean(axis=0)) ** 2 + (p.std(axis=0) - q.std(axis=0)) ** 2).sum()
            gap = gaps[(regions == [a, b]).all(axis=1)].mean()
            costs.append((size**growth * square ** ((1 - edge) / 2) * gap**edge, a, b))
        if not costs or min(costs)[0] > limit:
            return labels
        _, a, b = min(costs)
        flat[flat == b] = a


@pytest.mark.repeated(2)
@pytest.mark.parametrize(("growth", "edge"), [(0.25, 1 / 3), (0.5, 0.0), (0.0, 1.0)])
@pytest.mark.parametrize("limit", [2.0, 4.0])
def test_merging_is_its_definition(growth, edge, limit):
    labels, values = blocks(0)
    slow = merged_slowly(labels, values, limit, growth, edge)
    new, count = Merging(limit, growth, edge, min_size=0)(labels, values, values, 1.0)
    assert np.array_equal(new, np.unique(slow, return_inverse=True)[1].reshape(slow.shape))
    assert count == new.max() + 1
    assert count < labels.max() + 1


def test_the_pair_most_alike_is_merged_first():
    image = strips(10, 20, 26, 50)
    labels = np.repeat(np.arange(4), 8) + np.zeros((16, 1), int)
    cost = (1 / 8) ** Merging().growth * 6
    new, count = Merging(cost * 1.01, min_size=0)(labels, image.reshape(-1, 1), image.reshape(-1, 1), 1.0)
    assert count == 3
    assert new[0, ::8].tolist() == [0, 1, 1, 2]
    assert Merging(cost * 0.99, min_size=0)(labels, image.reshape(-1, 1), image.reshape(-1, 1), 1.0)[1] == 4


def test_regions_of_unlike_texture_stay_apart():
    image = np.zeros((20, 40))
    image[:, 20:] = 10 * (-1.0) ** np.add.outer(np.arange(20), np.arange(20))
    labels = np.repeat([0, 1], 20) + np.zeros((20, 1), int)
    flat = image.reshape(-1, 1)
    assert Merging(6.0, edge=0.0)(labels, flat, flat, 1.0)[1] == 2
    assert Merging(8.0, edge=0.0)(labels, flat, flat, 1.0)[1] == 1


def test_an_edge_keeps_apart_what_a_gradient_does_not():
    ramp, step = np.repeat(np.linspace(0, 30, 40), 1)[None] + np.zeros((20, 1)), strips(7.5, 22.5, width=20)
    labels = np.repeat([0, 1], 20) + np.zeros((16, 1), int)
    for image, count in ((ramp[:16], 1), (step, 2)):
        flat = image.reshape(-1, 1)
        assert Merging(6.0)(labels, flat, flat, 1.0)[1] == count


def test_one_region_and_one_pixel_stay_what_they_are():
    assert wt.image.segment_by_radii(np.zeros((1, 1)), merging=Merging()).n_segments == 1
    assert wt.image.segment_by_radii(np.zeros((6, 7)), merging=Merging()).n_segments == 1


def test_regions_that_do_not_touch_are_not_merged():
    mask = np.ones((12, 9), bool)
    mask[:, 4] = False
    done = wt.image.segment_by_radii(np.full((12, 9), 3.0), mask=mask, merging=Merging())
    assert done.n_segments == 2
    assert (done.labels[:, 4] == -1).all()


def test_volumes_are_merged_too():
    volume = np.zeros((6, 8, 8))
    volume[3:] = 6.0
    assert wt.image.segment_by_radii(volume, 3, 5).n_segments == 2
    assert wt.image.segment_by_radii(volume, 3, 5, merging=Merging()).n_segments == 1


def test_result_does_not_depend_on_the_number_of_threads():
    image = np.random.default_rng(1).normal(strips(0, 8, 16, 40, width=10), 3.0)
    one, two = (wt.image.segment_by_radii(image, 4, 5, merging=Merging(0.8), n_jobs=n) for n in (1, 2))
    assert np.array_equal(one.labels, two.labels)
    assert one.n_segments > 1


def test_values_in_other_units_give_the_same_regions():
    image = np.random.default_rng(2).integers(0, 4, (20, 20)) + strips(0, 16, 64, width=7)[0, :20]
    here = wt.image.segment_by_radii(image, 4, 8, merging=Merging())
    there = wt.image.segment_by_radii(image / 256 + 1024, 4, 8 / 256, merging=Merging())
    assert np.array_equal(here.labels, there.labels)
