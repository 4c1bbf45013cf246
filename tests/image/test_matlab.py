"""Segmentations in MATLAB's files: the same as SciPy reads, within the bytes that are there."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat, savemat

import wasserstein_transform as wt
from wasserstein_transform.image.matlab import read_variable


def _people(rng: np.random.Generator, dtype: str) -> np.ndarray:
    people = np.empty((1, 3), object)
    for k in range(3):
        shape = rng.integers(1, 9, 2)
        people[0, k] = {"Segmentation": rng.integers(1, 7, shape).astype(dtype), "Boundaries": rng.random(shape) < 0.5}
    return people


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "i4", "u8"])
def test_people_are_read_as_scipy_reads_them(packed: bool, dtype: str, tmp_path: Path, rng) -> None:
    path = tmp_path / "people.mat"
    people = _people(rng, dtype)
    savemat(path, {"before": np.arange(7.0), "groundTruth": people, "after": "words"}, do_compression=packed)
    found = wt.image.read_bsds(path)
    truth = [entry["Segmentation"][0, 0] for entry in loadmat(path)["groundTruth"].ravel()]
    assert len(found) == 3
    for ours, theirs in zip(found, truth, strict=True):
        np.testing.assert_array_equal(ours, theirs.astype(np.intp) - 1)


def test_arrays_of_any_shape_are_read_in_their_order(rng) -> None:
    held = io.BytesIO()
    cube = rng.normal(size=(2, 3, 4))
    savemat(held, {"cube": cube, "small": np.int8([[1, 2, 3]])})
    np.testing.assert_array_equal(read_variable(held.getvalue(), "cube", "x.mat"), cube)
    np.testing.assert_array_equal(read_variable(held.getvalue(), "small", "x.mat"), [[1, 2, 3]])
    assert read_variable(held.getvalue(), "other", "x.mat") is None
