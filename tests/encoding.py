"""Tables as the bytes of a file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from wasserstein_transform.io import write


def encode(table: pd.DataFrame, kind: str) -> bytes:
    """What `write` puts into a file."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "table"
        write(table, file, kind=kind)
        return file.read_bytes()
