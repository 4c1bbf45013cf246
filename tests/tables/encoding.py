"""Tables as the bytes of a file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from wasserstein_transform.tables import Table, write


def encode(table: Table, kind: str) -> bytes:
    """What `write` puts into a file."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "table"
        write(table, file, kind=kind)
        return file.read_bytes()
