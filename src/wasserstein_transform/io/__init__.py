"""Read and write tables of points as DataFrames: text, Parquet, NumPy, maps (GeoJSON, GPX, …), scans (LAS, PLY).

Files are trusted as pandas trusts them: what is read is not run, pickles and links inside files are refused, and a file
that declares or unpacks to more than the memory limit is refused before the memory is taken. Readers of others (Arrow,
GDAL, laspy) are not a sandbox: open files from strangers in one.
"""

from .files import encode as encode, in_pieces as in_pieces, pack as pack, read, write
from .formats import PLACED as PLACED, WRITTEN as WRITTEN, kind_by_name as kind_by_name
from .matrices import read_matrix

__all__ = ("read", "read_matrix", "write")
