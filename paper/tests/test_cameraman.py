"""The experiment on a photograph: other images, and what it needs."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

from wasserstein_transform.engine import Engine
from wt_paper.experiments import EXPERIMENTS, cameraman
from wt_paper.experiments.parameters import Cameraman, Scene


def test_another_image_is_read_and_one_without_pixels_to_spare_has_nothing_finer(tmp_path: Path) -> None:
    io = pytest.importorskip("imageio.v3")
    pytest.importorskip("skimage")
    io.imwrite(tmp_path / "own.png", np.kron(np.uint8([[10, 90], [170, 250]]), np.ones((16, 20), np.uint8)))
    scenes = (Scene(32, 3.0, 8.0, 2.0), Scene(16, 2.0, 8.0, 2.0))
    parameters = Cameraman(path=str(tmp_path / "own.png"), scenes=scenes)
    result = EXPERIMENTS["cameraman"].run(parameters, Engine())
    first, second = result.views
    assert {labels.max() + 1 for labels in first.labels.values()} == {4}
    assert (len(first.finer), len(second.finer)) == (0, 4)
    as_good, better = EXPERIMENTS["cameraman"].claims(result)
    assert (len(as_good.choices), as_good.verdict) == (2, "reproduced")
    assert (len(better.choices), better.verdict) == (10, "not reproduced")  # both find all there is
    large = dataclasses.replace(parameters, scenes=(Scene(64, 3.0, 8.0, 2.0),))
    with pytest.raises(ValueError, match="must have at least 64 pixels on each side, got 32"):
        EXPERIMENTS["cameraman"].run(large, Engine())


def test_without_scikit_image_the_experiment_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skimage", None)
    assert 'pip install "wasserstein-transform[image]"' in EXPERIMENTS["cameraman"].lacks
    with pytest.raises(ImportError, match=r"wasserstein-transform\[image\]"):
        EXPERIMENTS["cameraman"].run(Cameraman(), Engine())


def test_regions_like_others_have_their_colors() -> None:
    like = np.repeat([[0] * 3 + [1] * 5 + [2] * 7], 4, axis=0)
    labels = np.repeat([[2] * 4 + [1] * 4 + [0] * 6 + [3]], 4, axis=0)
    shown, like = cameraman.painted(labels, like)[0], cameraman.painted(like, like)[0]
    np.testing.assert_array_equal(shown[[0, 5, 10]], like[[0, 5, 10]])
    assert shown[-1].tolist() not in like.tolist()
