"""
GPS traces onto their streets
=============================

A receiver is off by some meters, differently on every trip. Where many trips pass, their fixes say together where the
street is. This page draws the fixes onto the streets, makes lines of them, and measures both against the true map.
"""

# %%
# The town is made up, so its map is known: 120 trips, 6 m of noise along each axis. Fixes of your own are columns of
# meters; project longitudes and latitudes first.

import numpy as np
from scipy.spatial import cKDTree

import wasserstein_transform as wt

X, trips, streets = wt.datasets.streets(2, n_trips=120)
map_of_town = cKDTree(np.vstack([np.asarray(piece) for piece in streets.pieces]))


def meters_off(points: np.ndarray) -> float:
    """Median distance to the true streets."""
    return float(np.median(map_of_town.query(points)[0]))


def root_mean_square(points: np.ndarray) -> float:
    """The same, with large errors counting more."""
    return float(np.sqrt(np.mean(map_of_town.query(points)[0] ** 2)))


# %%
# **Points.** No radius and no number of steps is given: both are read from the data. ``order`` says which trip a fix is
# of, so that fixes on a crossing street are no neighbors.

found = wt.denoise(X, order=trips)
print(f"shape of dimension {found.dim}, noise of {found.sigma:.1f} m, points see {found.eps:.0f} m far")
print(f"median distance to the map before: {meters_off(X):.1f} m, after: {meters_off(found.points):.1f} m")
print(f"root mean square before: {root_mean_square(X):.1f} m, after: {root_mean_square(found.points):.1f} m")
print(found.outcome)

# %%

figure, (left, right) = wt.plotting.panels(1, 2, width=10, height=4)
wt.plotting.cloud(X, ax=left, title=f"{len(X)} fixes: {meters_off(X):.1f} m off")
wt.plotting.cloud(found.points, ax=right, title=f"after: {meters_off(found.points):.1f} m off")

# %%
# **Lines.** ``wt.skeleton`` joins the moved points to a network. ``to_geojson`` writes it for a map.

lines = wt.skeleton(found)
print(lines)
figure, ax = wt.plotting.panels(1, 1, width=7, height=5)
wt.plotting.skeleton(lines, ax=ax, title="the network, junctions as dots")

# %%
# **Where it does not help.** A street that one trip took is not confirmed by others. Such fixes stay about where they
# are, and the most lonely ones are marked as outliers.

print(f"{found.outliers.sum()} of {len(X)} fixes are outliers")
