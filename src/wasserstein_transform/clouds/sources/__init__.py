"""Sources of the points of a cloud: `.npy`, Parquet and Zarr, read a number of rows at a time."""

from .base import Rows, Source, Stretch
from .named import open_source
from .npy import Npy
from .parquet import Parquet
from .zarr import Zarr

__all__ = ["Npy", "Parquet", "Rows", "Source", "Stretch", "Zarr", "open_source"]
