"""Write the sample of GPS trips in this folder: trips.csv and streets.geojson.

`python examples/data/make_town.py`. The town is made up by `wt.datasets.streets`, so its map is known exactly. It lies
at 48° north and 11° east, and places are in degrees, as a receiver writes them.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import wasserstein_transform as wt

FOLDER = Path(__file__).parent
LON, LAT, METERS = 11.0, 48.0, 111_320.0  # the corner of the town, and the length of a degree of latitude


def degrees(meters: np.ndarray) -> np.ndarray:
    """Longitude and latitude of places in meters east and north of the corner."""
    lat = LAT + meters[:, 1] / METERS
    lon = LON + meters[:, 0] / (METERS * np.cos(np.radians(LAT)))
    return np.column_stack([lon, lat]).round(6)  # 0.1 m


def main(folder: Path = FOLDER) -> None:
    """Write both files."""
    X, trips, town = wt.datasets.streets(2, n_trips=100)
    rows = [f"{trip},{lon:.6f},{lat:.6f}" for trip, (lon, lat) in zip(trips, degrees(X), strict=True)]
    (folder / "trips.csv").write_text("\n".join(["trip,lon,lat", *rows, ""]))
    features = [
        {
            "type": "Feature",
            "properties": {"street": k},
            "geometry": {"type": "LineString", "coordinates": degrees(piece[::4]).tolist()},
        }
        for k, piece in enumerate(town.pieces)
    ]
    (folder / "streets.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}) + "\n")


if __name__ == "__main__":
    main()
