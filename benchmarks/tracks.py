"""Tracks onto streets: `python -m benchmarks tracks[=FOLDER]`, FOLDER with tracks and maps of cities (see `streets`).

Settings of the library were chosen on even trips and on towns of seeds 0 and 1; odd trips and seeds 5 and 6 are shown.
Mean shift has the radius of 10 m and two steps that suit GPS; the library chooses by itself.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import wasserstein_transform as wt

from . import streets
from .streets import City
from .timing import Row
from .towns import KINDS, town

_SEEDS = (5, 6)  # not used to choose settings
_SMALL = 15_000  # fixes up to which maps are explored


def run(folder: str | None = None) -> list[Row]:
    print(
        "\n| fixes | order | noise | eps | median distance in m: raw, mean shift, ours | streets kept: mean shift, "
        "ours | F1 at 10 m (precision, recall) | F, exploring |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, city in _cities(folder).items():
        for known in (False, True):
            print(_line(name, city, known), flush=True)
    return []


def _cities(folder: str | None) -> dict[str, City]:
    found = {}
    for name, city in (streets.read_cities(Path(folder)) if folder else {}).items():
        found |= {f"{name}, all": city, f"{name}, odd trips": city.take(city.trips % 2 == 1)}
    return found | {f"{name} {seed}": town(name, seed) for name in KINDS for seed in _SEEDS}


def _line(name: str, city: City, known: bool) -> str:
    found = wt.denoise(city.fixes, order=(city.trips, city.times) if known else None)
    shifted = wt.denoise(city.fixes, 0, eps=10.0, n_iter=2)
    far, kept = zip(*(streets.to_streets(x, city) for x in (city.fixes, shifted.points, found.points)), strict=True)
    lines = list(wt.skeleton(found).lines) if found.dim == 1 else []
    precision, recall, f = streets.f_by_places(lines, city) if lines else (0.0, 0.0, 0.0)
    explored = f"{streets.f_by_exploring(lines, city)[2]:.2f}" if lines and len(city.fixes) <= _SMALL else ""
    sizes = f"{found.sigma:.1f} | {found.eps:.0f} | {', '.join(f'{x:.2f}' for x in far)} | {kept[1]:.3f}, {kept[2]:.3f}"
    count = f"{name} ({len(np.unique(city.trips))} trips, {len(city.fixes):,})"
    return f"| {count} | {'yes' if known else 'no'} | {sizes} | {f:.3f} ({precision:.2f}, {recall:.2f}) | {explored} |"
