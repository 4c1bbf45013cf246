"""Facts for the summary of a run: the input, the command line, versions."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import shlex
import sys
from pathlib import Path
from typing import Any

from .. import __version__

VERSIONED_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")


def describe_input(name: str, content: bytes | None = None) -> dict[str, Any]:
    """Name, size and hash of a file, or of the content of a pipe."""
    if content is not None:
        return {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    with Path(name).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return {"name": name, "bytes": stream.tell(), "sha256": digest}


def versions() -> dict[str, str]:
    """Versions of the packages that a result may depend on."""
    from importlib.metadata import version

    ours = {"wasserstein-transform": __version__, "python": platform.python_version()}
    return ours | {name: version(name) for name in VERSIONED_PACKAGES}


def command_line() -> str:
    """The command line as typed."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def as_json(summary: dict[str, Any]) -> str:
    """The text in JSON, with null for NaN and infinity."""
    return json.dumps(_plain(summary), indent=2, allow_nan=False, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Convert to types of JSON; NaN and infinity become None."""
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return _plain(value.tolist())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
