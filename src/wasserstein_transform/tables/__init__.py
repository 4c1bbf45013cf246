"""Read and write tables of points with named columns: CSV, Parquet, NPY, ARFF, GeoJSON, LAS, PLY and others."""

from .frames import as_table
from .matrices import read_matrix
from .reading import read
from .table import Table
from .writing import write

__all__ = (
    "Table",
    "as_table",
    "read",
    "read_matrix",
    "write",
)
