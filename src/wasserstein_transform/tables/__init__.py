"""Tables in files: points with names for their columns, read from what people have and written back beside it."""

from .frames import as_table
from .kinds import KINDS
from .matrices import Matrix, read_matrix
from .reading import read
from .table import Table
from .writing import encode, write

__all__ = ["KINDS", "Matrix", "Table", "as_table", "encode", "read", "read_matrix", "write"]
