"""The sample of GPS trips in examples/data is what its script writes, and can be read as the gallery reads it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np

import wasserstein_transform as wt

FOLDER = Path(__file__).parents[2] / "examples" / "data"
LAST_DIGIT = 1.5e-6  # sines may differ from machine to machine


def streets(folder: Path) -> np.ndarray:
    features = json.loads((folder / "streets.geojson").read_text("utf-8"))["features"]
    return np.vstack([feature["geometry"]["coordinates"] for feature in features])


def test_the_sample_is_what_its_script_writes(tmp_path: Path) -> None:
    runpy.run_path(str(FOLDER / "make_town.py"))["main"](tmp_path)
    kept, made = (wt.read(folder / "trips.csv") for folder in (FOLDER, tmp_path))
    assert np.array_equal(kept["trip"], made["trip"])
    assert np.abs(kept[["lon", "lat"]].to_numpy() - made[["lon", "lat"]].to_numpy()).max() <= LAST_DIGIT
    assert np.abs(streets(FOLDER) - streets(tmp_path)).max() <= LAST_DIGIT


def test_the_fixes_lie_along_the_streets() -> None:
    fixes = wt.read(FOLDER / "trips.csv")[["lon", "lat"]].to_numpy()
    meters = 111_320 * np.array([np.cos(np.radians(48.0)), 1.0])
    off = wt.datasets.Curve((streets(FOLDER) * meters,)).distance(fixes * meters)
    assert 3.0 < np.median(off) < 5.0  # of normal noise with a standard deviation of 6 m: 0.67 · 6
