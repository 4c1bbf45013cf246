"""Work of images: the same bits with any number of threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import wasserstein_transform as wt


def grey() -> np.ndarray:
    rng = np.random.default_rng(0)
    return (np.arange(48) > 20) * 40.0 + rng.integers(0, 9, (40, 48))


def segmented(image: np.ndarray, lam: float = 0.0, **options: object) -> list[np.ndarray]:
    found = wt.image.segment_by_radii(image, 4.0, 8.0, lam, tol=0.1, **options)
    return [found.labels, found.modes, found.n_iter]


def volume() -> np.ndarray:
    return np.random.default_rng(1).normal(0, 3, (6, 14, 15)) + (np.arange(15) > 7) * 20


WORK: dict[str, Callable[[], list[np.ndarray]]] = {
    "gray levels": lambda: segmented(grey()),
    "gray levels, masked": lambda: segmented(grey(), mask=grey() % 7 != 0),
    "windows": lambda: segmented(np.stack([grey(), grey()[::-1]], axis=-1), color="none", channel_axis=-1),
    "shapes in the plane": lambda: segmented(grey(), 2.0),
    "shapes in the plane, masked": lambda: segmented(grey(), 2.0, mask=grey() % 7 != 0),
    "shapes in space": lambda: segmented(volume(), 2.0, channel_axis=None),
}


@pytest.mark.repeated(1)
@pytest.mark.parametrize("name", WORK)
def test_work_of_apps_gives_the_bits_of_one_thread(name: str) -> None:
    with wt.using(n_jobs=1):
        alone = WORK[name]()
    with wt.using(n_jobs=5):
        together = WORK[name]()
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)
