"""Tables in files: points with names for their columns, read from what people have and written back beside it."""

from .kinds import KINDS
from .reading import read
from .table import Table
from .writing import encode, write

__all__ = ["KINDS", "Table", "encode", "read", "write"]
