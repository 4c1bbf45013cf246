"""Small files of every kind that the pages name, so that their snippets run as written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import wasserstein_transform as wt


def make_files() -> None:
    """Small files of every kind, in the current folder."""
    rng = np.random.default_rng(0)
    shape = wt.datasets.dumbbell()
    table = pd.DataFrame(shape.points, columns=["x", "y"])
    for name in ("points.csv", "points.parquet"):
        wt.write(table, name)
    np.save("points.npy", shape.points)
    _trips()
    _scan(rng)
    _photo(rng)
    places = np.vstack([rng.normal(scale=0.3, size=(60, 2)), rng.normal(loc=4, scale=0.3, size=(60, 2))])
    np.save("distances.npy", np.linalg.norm(places[:, None] - places[None], axis=2))
    _plants(rng)
    _cities()
    _club()
    Path("edges.csv").write_text("source,target\n0,1\n1,2\n2,0\n3,4\n4,5\n5,3\n2,3\n")


def _plants(rng: np.random.Generator) -> None:
    """Three species by height, weight and leaves; a number for each row, a place, and two gaps."""
    kind = rng.integers(3, size=150)
    table = pd.DataFrame({"id": range(1, 151)})
    table["height_cm"] = (np.array([42, 60, 61])[kind] + rng.normal(scale=4, size=150)).round(1)
    table["weight_g"] = (np.array([310, 420, 780])[kind] + rng.normal(scale=40, size=150)).round()
    table["leaf_mm"] = (np.array([55, 95, 60])[kind] + rng.normal(scale=7, size=150)).round(1)
    table["site"] = rng.choice(["north", "south"], 150)
    table.loc[[3, 77], "weight_g"] = np.nan
    wt.write(table, "plants.csv")


def _cities() -> None:
    """Kilometers between cities of three continents, with their names."""
    at = {
        "Lisbon": (39, -9), "Madrid": (40, -4), "Paris": (49, 2), "London": (52, 0), "Berlin": (53, 13),
        "Rome": (42, 12), "Vienna": (48, 16), "Oslo": (60, 11), "Warsaw": (52, 21), "Delhi": (29, 77),
        "Mumbai": (19, 73), "Karachi": (25, 67), "Dhaka": (24, 90), "Chennai": (13, 80), "Kolkata": (23, 88),
        "Boston": (42, -71), "New York": (41, -74), "Chicago": (42, -88), "Toronto": (44, -79), "Atlanta": (34, -84),
        "Houston": (30, -95), "Denver": (40, -105),
    }  # fmt: skip
    lat, lon = np.radians(np.array(list(at.values()))).T
    lift = np.sin((lat[:, None] - lat) / 2) ** 2
    turn = np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2) ** 2
    km = np.round(2 * 6371 * np.arcsin(np.sqrt(lift + turn)))
    pd.DataFrame(km, index=list(at), columns=list(at)).to_csv("cities.csv")


def _club() -> None:
    """Zachary's karate club, as networkx has it."""
    import networkx as nx  # noqa: PLC0415

    nx.write_gml(nx.karate_club_graph(), "club.gml")


def _trips() -> None:
    """Fixes of a town at 48° north and 11° east."""
    X, trips, _ = wt.datasets.streets(2, n_trips=120)
    lat = 48.0 + X[:, 1] / 111_320
    lon = 11.0 + X[:, 0] / (111_320 * np.cos(np.radians(lat.mean())))
    wt.write(pd.DataFrame({"lon": lon, "lat": lat, "trip": trips}), "trips.csv")


def _scan(rng: np.random.Generator) -> None:
    """A hill of 40 m by 40 m, with noise of 10 cm."""
    x, y = rng.uniform(0, 40, size=(2, 3000))
    z = 5 * np.exp(-((x - 20) ** 2 + (y - 20) ** 2) / 200) + rng.normal(scale=0.1, size=3000)
    wt.write(pd.DataFrame({"x": x, "y": y, "z": z}), "scan.las")


def _photo(rng: np.random.Generator) -> None:
    """Two shapes on a ground, in color, with noise."""
    from PIL import Image  # noqa: PLC0415

    y, x = np.mgrid[:90, :120]
    color = np.array([[40, 60, 120], [220, 180, 60], [90, 180, 90]])
    which = np.where((x - 40) ** 2 + (y - 40) ** 2 < 500, 1, np.where(x + y > 140, 2, 0))
    picture = color[which] + rng.normal(scale=4, size=(90, 120, 3))
    Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save("photo.png")
