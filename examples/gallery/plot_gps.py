"""
GPS traces onto their streets
=============================

A GPS receiver is off by some meters, differently on every trip. Where many trips pass, their fixes together show
where the street is.
"""

# %%
# **Read.** The repository has a small sample in ``examples/data``: fixes of 100 trips as ``trips.csv``, and the true
# map as ``streets.geojson``. The town is made up, so the map is exact. It is compared in meters.

import json
from pathlib import Path

import numpy as np

import wasserstein_transform as wt

folder = Path("../data")  # from examples/gallery, where this script lies
table = wt.read(folder / "trips.csv")


def meters(degrees: np.ndarray) -> np.ndarray:
    """Meters east and north of the corner of the town."""
    east = np.cos(np.radians(48.0))
    return 111_320 * (np.asarray(degrees) - [11.0, 48.0]) * [east, 1.0]


X = meters(table[["lon", "lat"]])
features = json.loads((folder / "streets.geojson").read_text())["features"]
town = wt.datasets.Curve(tuple(meters(feature["geometry"]["coordinates"]) for feature in features))
print(f"{len(X)} fixes of {table['trip'].nunique()} trips, {len(town.pieces)} streets")

# %%
# **Denoise.** No radius and no number of steps is given.

found = wt.denoise(table)
print(*found.notes, sep="\n")
print(f"noise {found.sigma:.1f} m along each axis (true: 6 m), radius {found.eps:.0f} m")
print(found.outcome)

# %%
# **Lines.** ``lines.to_geojson`` writes them for a map program.

lines = wt.skeleton(found)
print(lines)

# %%
# **Measure.** Distance says whether points lie on streets, coverage whether all streets are still there: the share of
# the true map that has a point within 15 m.


def every_5_m(line: np.ndarray) -> np.ndarray:
    """Points along a line."""
    along = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
    return np.column_stack([np.interp(np.arange(0.0, along[-1], 5.0), along, column) for column in line.T])


network = np.vstack([every_5_m(meters(line)) for line in lines.lines])
for name, points in (("fixes as given", X), ("fixes after", meters(found.points)), ("lines, every 5 m", network)):
    off = town.distance(points)
    median, large = np.median(off), np.sqrt(np.mean(off**2))
    print(f"{name}: median {median:.1f} m, root mean square {large:.1f} m, coverage {town.coverage(points, 15):.0%}")

# %%
# The true streets are white, the lines blue.

figure, ax = wt.plotting.panels(1, 1, width=7.5, height=5.6)
ax.set_facecolor("#F1EEE6")
for color, width in (("#D9D3C5", 13), ("white", 11)):
    for piece in town.pieces:
        ax.plot(*piece.T, color=color, lw=width, solid_capstyle="round")
ax.scatter(*X.T, s=7, color="#E69F00", lw=0, zorder=3)
for line in lines.lines:
    ax.plot(*meters(line).T, color="#0072B2", lw=2, zorder=4)
ax.set_aspect("equal")
ax.set(xlim=(-30, 1230), ylim=(-30, 930), xticks=[], yticks=[])

# %%
# A street that one trip took is not confirmed by others: its fixes hardly move.
