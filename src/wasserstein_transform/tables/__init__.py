"""Read and write tables of points with named columns: CSV, Parquet, NPY, ARFF, GeoJSON, LAS, PLY and others."""

from .frames import as_table
from .kinds import KINDS
from .matrices import Matrix, read_matrix
from .reading import read
from .table import Table
from .writing import encode, write

__all__ = ["KINDS", "Matrix", "Table", "as_table", "encode", "read", "read_matrix", "write"]
