"""Tables in files: points with names for their columns, read from what people have and written back beside it."""

from .table import Table

__all__ = ["Table"]
