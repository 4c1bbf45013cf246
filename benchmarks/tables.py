"""Tables of 50 MB as text: `wt.read` and `wt.write`, beside pandas, which is told how the file is written."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import wasserstein_transform as wt

from .timing import Row, median_seconds

_N = 1_000_000


def run() -> list[Row]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=_N), "y": rng.normal(size=_N), "id": np.arange(_N)})
    frame["word"] = np.array(["red", "light blue", "green"])[rng.integers(0, 3, _N)]
    plain = frame.to_csv(index=False)
    texts = {
        "numbers and a word": (plain, {}),
        "the same within quotes": (frame.to_csv(index=False, quoting=2), {}),
        "semicolons, decimal commas": (
            frame.to_csv(index=False, sep=";", decimal=","),
            {"sep": ";", "decimal": ","},
        ),
        "a comment above": (f"# made by hand\n{plain}", {"skiprows": 1}),
    }
    rows = [_reading(name, text.encode(), options) for name, (text, options) in texts.items()]
    table = wt.read(plain.encode(), name="a.csv")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.csv")
        ours = median_seconds(lambda: wt.write(table, file), 3)
        peer = median_seconds(lambda: table.to_csv(file, index=False), 3)
    return [*rows, Row("write numbers and a word", f"{ours:.2f} s", f"pandas: {peer:.2f} s", f"{peer / ours:.2f}×")]


def _reading(name: str, content: bytes, options: dict[str, object]) -> Row:
    ours = median_seconds(lambda: wt.read(content, name="a.csv"), 3)
    peer = median_seconds(lambda: pd.read_csv(io.BytesIO(content), **options), 3)
    work = f"read {len(content) / 1e6:.0f} MB: {name}"
    return Row(work, f"{ours:.2f} s", f"pandas: {peer:.2f} s", f"{peer / ours:.2f}×")
